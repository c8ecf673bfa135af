/* draft.c - see draft.h. */
#include "common/draft.h"

#include "common/draft_folder.h"
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define DRAFTS_MAX 100 /* most drafts of one process number */

/* Gives the draft the name NAME in the folder. */
static void call(draft_t *self, const char *name)
{
    const size_t size = strlen(self->folder) + strlen(name) + 2;

    free(self->path);
    self->path = xmalloc(size);
    (void)snprintf(self->path, size, "%s/%s", self->folder, name);
    (void)snprintf(self->name, sizeof(self->name), "%s", name);
}

/* The number of this process, or that number and `i` from 2 on. */
static void name_of(char name[64], const char *start, int i)
{
    (void)snprintf(name, 64, i == 1 ? "%s%ld" : "%s%ld-%d", start, (long)getpid(), i);
}

static int make(draft_t *self)
{
    for (int i = 1; i <= DRAFTS_MAX; i++) {
        char name[64];

        name_of(name, DRAFT_RUNNING, i);
        call(self, name);
        if (mkdirat(self->in, name, 0777) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int start(draft_t *self)
{
    self->in = open(self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->in < 0 || make(self) < 0)
        return -1;
    self->files = draft_folder_open(self->in, self->name);
    if (self->files < 0) {
        const int number = errno;

        (void)draft_folder_remove(self->in, self->name, AT_REMOVEDIR);
        errno = number;
        return -1;
    }
    (void)flock(self->files, LOCK_SH); /* NFS locks for writing only what is open for writing */
    return 0;
}

draft_t *draft_new(const char *folder, const struct draft_names *names, struct error *error)
{
    draft_t *self = xcalloc(1, sizeof(*self));
    size_t length = strlen(folder);

    assert(names->count <= 64);
    self->folder = xstrdup(folder);
    while (length > 1 && folder[length - 1] == '/')
        self->folder[--length] = '\0';
    self->names = *names;
    self->in = -1;
    self->files = -1;
    if (start(self) < 0) {
        (void)error_unwritten(error, self->path ? self->path : folder, errno);
        self->over = true;
        draft_destroy(&self);
    }
    return self;
}

const char *draft_path(const draft_t *self)
{
    return self->path;
}

int draft_commit(draft_t *self, struct error *error)
{
    int status = draft_exchange(self, error);

    if (status > 0)
        status = draft_move(self, error);
    self->over = status == 0;
    return status;
}

/* Renames the draft to a name that is free or belongs to an empty folder; -1 if there is none. */
static int rename_kept(draft_t *self)
{
    for (int i = 1; i <= DRAFTS_MAX; i++) {
        char kept[64];

        name_of(kept, DRAFT_KEPT, i);
        if ((self->name[0] ? renameat(self->in, self->name, self->in, kept)
                           : renameat(AT_FDCWD, self->path, self->in, kept)) == 0) {
            call(self, kept);
            return 0;
        }
        if (errno != ENOTEMPTY && errno != EEXIST)
            return -1;
    }
    return -1;
}

void draft_keep(draft_t *self, struct error *error)
{
    const int kept = rename_kept(self);

    self->over = true;
    (void)error_append(error, "; what the run has written stays in %s%s", self->path,
                       kept == 0 ? "" : ", until the next run comes there");
}

void draft_abandon(const draft_t *self)
{
    for (size_t i = 0; i < self->names.count; i++)
        (void)unlinkat(self->files, self->names.names[i], 0);
    (void)unlinkat(self->in, self->name, AT_REMOVEDIR);
}

void draft_destroy(draft_t **self)
{
    draft_t *draft = *self;

    if (!draft)
        return;
    if (!draft->over && draft->name[0] &&
        (draft_folder_empty(draft->files, &draft->names) < 0 ||
         draft_folder_remove(draft->in, draft->name, AT_REMOVEDIR) < 0))
        draft_folder_tell(draft->folder, draft->name,
                          "cannot be removed now; the next run there removes it");
    if (draft->files >= 0)
        (void)close(draft->files);
    if (draft->in >= 0)
        (void)close(draft->in);
    free(draft->path);
    free(draft->folder);
    free(draft);
    *self = NULL;
}
