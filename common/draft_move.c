/* draft_move.c - a draft whose files are moved one by one; see draft.h. */
#include "common/draft_folder.h"
#include "common/failpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct moves {
    const draft_t *draft;
    int aside; /* folder of the older files, -1 for none */
    char aside_name[NAME_MAX + 1];
    uint64_t older; /* bit i: file i is moved aside */
    uint64_t newer; /* bit i: file i is moved into the folder */
};

static int make_aside(struct moves *self)
{
    const draft_t *draft = self->draft;

    (void)snprintf(self->aside_name, sizeof(self->aside_name), DRAFT_ASIDE "%s",
                   draft->name + strlen(DRAFT_RUNNING));
    if (mkdirat(draft->in, self->aside_name, 0777) < 0)
        return -1;
    self->aside = draft_folder_open(draft->in, self->aside_name);
    if (self->aside < 0) {
        const int number = errno;

        (void)draft_folder_remove(draft->in, self->aside_name, AT_REMOVEDIR);
        errno = number;
    }
    return self->aside;
}

/* Moves the files. Returns the name of a file that cannot be moved, with errno; NULL if all were
 * moved. */
static const char *move_older(struct moves *self)
{
    const draft_t *draft = self->draft;

    for (size_t i = draft->names.count; i-- > 0;) {
        const char *name = draft->names.names[i];

        if (!draft_folder_has_file(draft->in, name))
            continue;
        if ((self->aside < 0 && make_aside(self) < 0) ||
            renameat(draft->in, name, self->aside, name) < 0)
            return name;
        self->older |= UINT64_C(1) << i;
    }
    return NULL;
}

static const char *move_newer(struct moves *self)
{
    const draft_t *draft = self->draft;

    for (size_t i = 0; i < draft->names.count; i++) {
        const char *name = draft->names.names[i];

        (void)FAILPOINT("result-moves");
        if (!draft_folder_has_file(draft->files, name))
            continue;
        if (renameat(draft->files, name, draft->in, name) < 0)
            return name;
        self->newer |= UINT64_C(1) << i;
    }
    return NULL;
}

/* Moves the files of `bits` back: out of the folder from the last name on, into the folder from
 * the first name on. -1 as soon as a file cannot be moved. */
static int move_back(const struct moves *self, uint64_t bits, int from, int to)
{
    const size_t count = self->draft->names.count;

    for (size_t i = 0; i < count; i++) {
        const size_t at = from == self->draft->in ? count - 1 - i : i;

        if ((bits >> at & 1) != 0 &&
            draft_folder_move_back(from, to, self->draft->names.names[at]) < 0)
            return -1;
    }
    return 0;
}

static void remove_aside(struct moves *self)
{
    if (self->aside < 0)
        return;
    if (draft_folder_empty(self->aside, &self->draft->names) < 0 ||
        draft_folder_remove(self->draft->in, self->aside_name, AT_REMOVEDIR) < 0)
        draft_folder_tell(self->draft->folder, self->aside_name,
                          "cannot be removed now; the next run there removes it");
}

/* The next run finds the older version aside, and puts it back. */
static void undo(struct moves *self, struct error *error)
{
    const draft_t *draft = self->draft;

    if (move_back(self, self->newer, draft->in, draft->files) == 0 &&
        move_back(self, self->older, self->aside, draft->in) == 0)
        remove_aside(self);
    else
        (void)error_append(error, "; older results are in %s/%s until the next run comes there",
                           draft->folder, self->aside_name);
}

static int complain(const draft_t *self, const char *name, struct error *error)
{
    const int number = errno;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    return error_unwritten(error, path, number);
}

int draft_move(draft_t *self, struct error *error)
{
    struct moves moves = {.draft = self, .aside = -1};
    const char *failed = move_older(&moves);

    if (!failed)
        failed = move_newer(&moves);
    if (failed) {
        (void)complain(self, failed, error);
        undo(&moves, error);
    } else {
        remove_aside(&moves);
        if (draft_folder_remove(self->in, self->name, AT_REMOVEDIR) < 0)
            draft_folder_tell(self->folder, self->name,
                              "cannot be removed now; the next run there removes it");
    }
    if (moves.aside >= 0)
        (void)close(moves.aside);
    return failed ? -1 : 0;
}
