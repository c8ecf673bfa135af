/* draft_exchange.c - a draft that becomes the folder itself; see draft.h. */
#include "common/draft_folder.h"
#include "common/failpoint.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define CARRIED_MAX 64 /* most files of others; a folder with more keeps its identity */

struct exchange {
    const draft_t *draft;
    int parent;
    char folder[NAME_MAX + 1]; /* name in the parent folder */
    char beside[NAME_MAX + 16];
    char *carried[CARRIED_MAX];
    size_t carried_count;
};

/* ---- whether the folder may be another one afterwards ---- */

/* Whether `name` is a process number in /proc. */
static int see_process(void *context, int proc, const char *name)
{
    const struct stat *folder = context;
    char path[NAME_MAX + 8];
    struct stat stands;

    if (name[0] < '0' || name[0] > '9')
        return 0;
    (void)snprintf(path, sizeof(path), "%s/cwd", name);
    return fstatat(proc, path, &stands, 0) == 0 && stands.st_dev == folder->st_dev &&
                   stands.st_ino == folder->st_ino
               ? 1
               : 0;
}

static bool has_process(struct stat *folder)
{
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool has = proc >= 0 && draft_folder_each(proc, see_process, folder) != 0;

    if (proc >= 0)
        (void)close(proc);
    return has;
}

/* Attributes of security modules come with the folder above. */
static bool has_attributes(int folder)
{
    static const char of_security[] = "security.";
    char names[4096];
    const ssize_t length = flistxattr(folder, names, sizeof(names));

    if (length < 0)
        return errno != ENOTSUP;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1)
        if (strncmp(names + at, of_security, sizeof(of_security) - 1) != 0)
            return true;
    return false;
}

static int take_owner(const draft_t *self, const struct stat *folder)
{
    struct stat own;

    if (fstat(self->files, &own) < 0)
        return -1;
    if ((own.st_uid != folder->st_uid || own.st_gid != folder->st_gid) &&
        fchown(self->files, folder->st_uid, folder->st_gid) < 0)
        return -1;
    return own.st_mode == folder->st_mode ? 0 : fchmod(self->files, folder->st_mode & 07777);
}

/* ---- files of others ---- */

static int carry(void *context, int folder, const char *name)
{
    struct exchange *self = context;
    struct stat status;

    if (!strcmp(name, self->draft->name) || draft_folder_is_ours(folder, name, &self->draft->names))
        return 0;
    if (self->carried_count == CARRIED_MAX ||
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(status.st_mode) ||
        linkat(folder, name, self->draft->files, name, 0) < 0)
        return 1;
    self->carried[self->carried_count++] = xstrdup(name);
    return 0;
}

static void leave_carried(struct exchange *self)
{
    for (size_t i = 0; i < self->carried_count; i++)
        (void)draft_folder_remove(self->draft->files, self->carried[i], 0);
}

/* ---- the exchange ---- */

static bool prepare(struct exchange *self)
{
    const draft_t *draft = self->draft;
    struct stat folder;

    self->parent = draft_folder_parent(draft->in, self->folder);
    if (self->parent < 0 || fstat(draft->in, &folder) < 0 || has_attributes(draft->in) ||
        has_process(&folder) || take_owner(draft, &folder) < 0)
        return false;
    (void)snprintf(self->beside, sizeof(self->beside), "%s" DRAFT_BESIDE, self->folder);
    return draft_folder_each(draft->in, carry, self) == 0;
}

/* Reports that the draft cannot leave the place where it is. */
static int complain(draft_t *self, struct error *error)
{
    const int number = errno;
    char own[64];
    char path[PATH_MAX];
    ssize_t length;

    (void)snprintf(own, sizeof(own), "/proc/self/fd/%d", self->files);
    length = readlink(own, path, sizeof(path) - 1);
    path[length < 0 ? 0 : length] = '\0';
    free(self->path);
    self->path = xstrdup(path);
    self->name[0] = '\0';
    return error_unwritten(error, self->folder, number);
}

/* Exchanges the folders by two renames. If a mount point is in the way the first one fails. */
static int swap(struct exchange *self, draft_t *draft, struct error *error)
{
    if (renameat(draft->in, draft->name, self->parent, self->beside) < 0)
        return 1;
    (void)FAILPOINT("result-beside");
    if (renameat2(self->parent, self->beside, self->parent, self->folder, RENAME_EXCHANGE) == 0)
        return 0;
    if (renameat(self->parent, self->beside, draft->in, draft->name) == 0)
        return 1;
    return complain(draft, error);
}

int draft_exchange(draft_t *self, struct error *error)
{
    struct exchange exchange = {.draft = self, .parent = -1};
    int status = prepare(&exchange) ? swap(&exchange, self, error) : 1;

    if (status > 0)
        leave_carried(&exchange);
    (void)FAILPOINT("result-exchanged");
    if (status == 0 &&
        draft_folder_clear(exchange.parent, exchange.beside, self->files, &self->names) < 0)
        draft_folder_tell(self->folder, NULL,
                          "cannot be removed now; the next run there removes it");
    for (size_t i = 0; i < exchange.carried_count; i++)
        free(exchange.carried[i]);
    if (exchange.parent >= 0)
        (void)close(exchange.parent);
    return status;
}
