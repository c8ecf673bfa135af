/* draft_folder.c - see draft_folder.h. */
#include "common/draft_folder.h"

#include "common/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int draft_folder_open(int in, const char *name)
{
    return openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

bool draft_folder_has(int folder, const char *name)
{
    struct stat status;

    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool draft_folder_has_file(int folder, const char *name)
{
    struct stat status;

    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

int draft_folder_move_back(int from, int to, const char *name)
{
    if (renameat(from, name, to, name) == 0)
        return 0;
    if (draft_folder_remove(to, name, 0) < 0 || linkat(from, name, to, name, 0) < 0)
        return -1;
    return draft_folder_remove(from, name, 0);
}

int draft_folder_remove(int folder, const char *name, int flags)
{
    if (unlinkat(folder, name, flags) == 0 || errno == ENOENT)
        return 0;
    return unlinkat(folder, name, flags) == 0 || errno == ENOENT ? 0 : -1;
}

int draft_folder_empty(int folder, const struct draft_names *names)
{
    int status = 0;

    for (size_t i = 0; i < names->count; i++)
        if (draft_folder_has_file(folder, names->names[i]) &&
            draft_folder_remove(folder, names->names[i], 0) < 0)
            status = -1;
    return status;
}

int draft_folder_each(int folder, int (*see)(void *context, int folder, const char *name),
                      void *context)
{
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    const struct dirent *entry;
    int answer = 0;

    if (!entries) {
        if (again >= 0)
            (void)close(again);
        return -1;
    }
    while (answer == 0 && (entry = readdir(entries)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            answer = see(context, folder, entry->d_name);
    (void)closedir(entries);
    return answer;
}

bool draft_folder_is_ours(int folder, const char *name, const struct draft_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(name, names->names[i]))
            return draft_folder_has_file(folder, name);
    return false;
}

struct clearing {
    int folder; /* folder that replaces the old folder */
    const struct draft_names *names;
};

static bool is_in_both(int old, int folder, const char *name)
{
    struct stat here;
    struct stat there;

    return fstatat(old, name, &here, AT_SYMLINK_NOFOLLOW) == 0 &&
           fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static int clear_one(void *context, int old, const char *name)
{
    const struct clearing *self = context;
    int status;

    if (!strcmp(name, self->names->names[0]))
        return 0;
    if (draft_folder_is_ours(old, name, self->names) || is_in_both(old, self->folder, name))
        status = draft_folder_remove(old, name, 0);
    else
        status = renameat2(old, name, self->folder, name, RENAME_NOREPLACE);
    return status < 0 ? -1 : 0;
}

int draft_folder_clear(int in, const char *name, int folder, const struct draft_names *names)
{
    struct clearing clearing = {folder, names};
    const int old = draft_folder_open(in, name);
    int status;

    if (old < 0)
        return -1;
    status = draft_folder_each(old, clear_one, &clearing);
    if (status == 0)
        status = draft_folder_remove(old, names->names[0], 0);
    (void)close(old);
    return status < 0 ? -1 : draft_folder_remove(in, name, AT_REMOVEDIR);
}

void draft_folder_tell(const char *folder, const char *name, const char *what)
{
    char shown[PATH_MAX];

    (void)input_printable(shown, sizeof(shown), folder, strlen(folder));
    (void)fprintf(stderr, "%s%s%s: %s\n", shown, name ? "/" : "", name ? name : DRAFT_BESIDE, what);
}

int draft_folder_parent(int folder, char name[NAME_MAX + 1])
{
    char own[64];
    char path[PATH_MAX];
    struct stat here;
    struct stat there;
    ssize_t length;
    const char *last;
    int parent;

    (void)snprintf(own, sizeof(own), "/proc/self/fd/%d", folder);
    length = readlink(own, path, sizeof(path) - 1);
    path[length < 0 ? 0 : length] = '\0';
    last = strrchr(path, '/');
    if (!last || last[1] == '\0' || strlen(last + 1) > NAME_MAX) {
        errno = ENOENT;
        return -1;
    }
    (void)snprintf(name, NAME_MAX + 1, "%s", last + 1);
    parent = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return -1;
    if (fstat(folder, &here) == 0 && fstatat(parent, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        here.st_dev == there.st_dev && here.st_ino == there.st_ino)
        return parent;
    (void)close(parent); /* the root, or a folder that has been removed */
    errno = ENOENT;
    return -1;
}
