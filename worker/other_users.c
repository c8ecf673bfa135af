/* other_users.c - see other_users.h. */
#include "worker/other_users.h"

#include "common/privileges.h"
#include "executor/run_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Whether no other user can enter the folder for certain: a group other than the worker's may have
 * the users of a laboratory in it, and so may an access control list. */
static bool is_closed(const char *path)
{
    struct stat folder;

    return stat(path, &folder) == 0 && (folder.st_mode & S_IXOTH) == 0 &&
           ((folder.st_mode & S_IXGRP) == 0 || folder.st_gid == getegid()) &&
           getxattr(path, "system.posix_acl_access", NULL, 0) < 0;
}

/* The first folder on the way down to `path` that others cannot enter, in `path` itself. */
static bool find_closed(char *path)
{
    for (char *end = path; end; end = strchr(end + 1, '/')) {
        const char before = *(end == path ? path + 1 : end);
        char *const cut = end == path ? path + 1 : end;
        bool closed;

        *cut = '\0';
        closed = is_closed(path);
        if (closed)
            return true;
        *cut = before;
    }
    return is_closed(path);
}

/* Whether this process would take the folder `name` in `run_dir`, if it is there. */
static bool is_usable(const char *run_dir, const char *name, char *why, size_t size)
{
    struct error error;
    const int fd = run_folder_open(run_dir, name, NULL, false, &error);
    const int number = fd < 0 ? errno : 0;

    if (fd >= 0)
        (void)close(fd);
    if (number == EPERM)
        (void)snprintf(why, size, "%s/%s belongs to another user, or others may write to it",
                       run_dir, name);
    else if (number != 0 && number != ENOENT)
        (void)snprintf(why, size, "%s", error.text);
    return *why == '\0';
}

bool other_users_can_run(const char *run_dir, char *why, size_t size)
{
    char path[PATH_MAX];

    *why = '\0';
    (void)snprintf(path, sizeof(path), "%s", run_dir);
    if (!privileges_run_others())
        (void)snprintf(why, size, "%s",
                       privileges_are_root() ? "its worker may not become other users"
                                             : "its worker is not root");
    else if (find_closed(path))
        (void)snprintf(why, size, "no other user can enter %s, where its run folder is", path);
    return *why == '\0' && is_usable(run_dir, "logs", why, size) &&
           is_usable(run_dir, "jobs", why, size);
}
