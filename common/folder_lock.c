/* folder_lock.c - see folder_lock.h. */
#include "common/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_lock_allows(const char *folder, struct error *error)
{
    struct stat found;

    if (stat(folder, &found) < 0)
        return error_set(error, "%s: %s", folder, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return error_set(error, "%s: is no folder", folder);
    if (found.st_mode & (S_IWGRP | S_IWOTH))
        return error_set(error, "%s: others may write to it; chmod 700 it", folder);
    return 0;
}

static int make_folder(const char *folder, struct error *error)
{
    if (mkdir(folder, 0700) == 0)
        return 0;
    if (errno != EEXIST)
        return error_set(error, "%s: cannot be made: %s", folder, strerror(errno));
    return folder_lock_allows(folder, error);
}

/* The process that has the file locked; 0 if there is none, or if the process cannot be told. */
static pid_t holder_of(int fd)
{
    struct flock held = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_GETLK, &held) < 0 || held.l_type == F_UNLCK || held.l_pid <= 0 ? 0
                                                                                      : held.l_pid;
}

static int complain_used(const char *folder, int fd, struct error *error)
{
    const pid_t holder = holder_of(fd);

    if (holder == 0)
        return error_set(error, "%s: is used by another process", folder);
    return error_set(error, "%s: is used by process %ld", folder, (long)holder);
}

static int put_path(char path[PATH_MAX], const char *folder, struct error *error)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/lock", folder) < PATH_MAX
               ? 0
               : error_set(error, "%s: the path is too long", folder);
}

int folder_lock(const char *folder, struct error *error)
{
    const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_MAX];
    int fd;

    if (make_folder(folder, error) < 0 || put_path(path, folder, error) < 0)
        return -1;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return fd;
    (void)complain_used(folder, fd, error);
    (void)close(fd);
    return -1;
}

pid_t folder_lock_holder(const char *folder)
{
    char path[PATH_MAX];
    struct error ignored;
    pid_t holder = 0;
    int fd;

    if (put_path(path, folder, &ignored) < 0)
        return 0;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    holder = holder_of(fd);
    (void)close(fd);
    return holder;
}
