/* draft_mend.c - drafts that killed processes left; see draft.h. */
#include "common/draft_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct mending {
    const char *folder; /* name by which the caller calls the folder */
    const struct draft_names *names;
};

/* Whether no living process holds the draft. */
static bool is_left(int draft)
{
    return draft >= 0 && flock(draft, LOCK_EX | LOCK_NB) == 0;
}

/* Moves the files of the version; -1 as soon as a file cannot be moved. */
static int move_all(int from, int to, const struct draft_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (draft_folder_has_file(from, names->names[i]) &&
            renameat(from, names->names[i], to, names->names[i]) < 0)
            return -1;
    return 0;
}

/* The first name is the first to be moved into the folder: without it in the draft, no older file
 * is in the folder any more, and the newer version is made whole. */
static int settle(const struct mending *self, int in, int draft, int aside)
{
    const char *first = self->names->names[0];
    const char *last = self->names->names[self->names->count - 1];
    const bool goes_on = draft < 0 || !draft_folder_has_file(draft, first);

    if (goes_on && draft >= 0 && move_all(draft, in, self->names) < 0)
        return -1;
    if (aside >= 0 && !(goes_on && draft_folder_has_file(in, last)) &&
        move_all(aside, in, self->names) < 0)
        return -1;
    return 0;
}

static void tell(const struct mending *self, const char *name, int status)
{
    draft_folder_tell(self->folder, name,
                      status == 0 ? "left by a run that was killed, and removed"
                                  : "left by a run that was killed, and cannot be removed");
}

/* Mends both folders of the process with this number. */
static void mend_one(const struct mending *self, int in, const char *number)
{
    char running[NAME_MAX + 1];
    char moved[NAME_MAX + 1];
    int draft;
    int aside;
    int status;

    (void)snprintf(running, sizeof(running), DRAFT_RUNNING "%s", number);
    (void)snprintf(moved, sizeof(moved), DRAFT_ASIDE "%s", number);
    draft = draft_folder_open(in, running);
    aside = draft_folder_open(in, moved);
    if ((draft >= 0 || aside >= 0) && (draft < 0 || is_left(draft))) {
        status = settle(self, in, draft, aside);
        if (status == 0 && aside >= 0)
            status = draft_folder_clear(in, moved, in, self->names);
        if (status == 0 && draft >= 0)
            status = draft_folder_clear(in, running, in, self->names);
        tell(self, draft >= 0 ? running : moved, status);
    }
    if (draft >= 0)
        (void)close(draft);
    if (aside >= 0)
        (void)close(aside);
}

static int see(void *context, int in, const char *name)
{
    static const char *const starts[] = {DRAFT_RUNNING, DRAFT_ASIDE};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            mend_one(context, in, name + strlen(starts[i]));
    return 0;
}

/* Mends a draft beside the folder: exchanged already, still to be exchanged, or empty by now. */
static void mend_beside(const struct mending *self, int in)
{
    char name[NAME_MAX + 1];
    char beside[NAME_MAX + 16];
    const int parent = draft_folder_parent(in, name);
    int old = -1;

    (void)snprintf(beside, sizeof(beside), "%s" DRAFT_BESIDE, parent < 0 ? "" : name);
    if (parent >= 0)
        old = draft_folder_open(parent, beside);
    if (is_left(old))
        tell(self, NULL,
             draft_folder_has_file(old, self->names->names[0])
                 ? draft_folder_clear(parent, beside, in, self->names)
                 : draft_folder_remove(parent, beside, AT_REMOVEDIR));
    if (old >= 0)
        (void)close(old);
    if (parent >= 0)
        (void)close(parent);
}

void draft_mend(const char *folder, const struct draft_names *names)
{
    struct mending self = {folder, names};
    const int in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (in < 0)
        return;
    (void)draft_folder_each(in, see, &self);
    mend_beside(&self, in);
    (void)close(in);
}
