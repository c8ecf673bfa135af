/* run_folder.c - see run_folder.h. */
#include "executor/run_folder.h"

#include "common/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARED_MODE 0711 /* mode of a folder in which each user has something */
#define JOB_MODE    0750

/* A folder that its owner closed can still be named by its descriptor. */
static int open_folder(int parent, const char *name)
{
    const int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = openat(parent, name, O_RDONLY | flags);

    return fd < 0 && errno == EACCES ? openat(parent, name, O_PATH | flags) : fd;
}

/* A folder that was made gets its mode whatever the umask is, and hands its group down as the
 * folder above does; one that was there before can be
 * entered. */
static int open_made(int parent, const char *name, mode_t mode)
{
    const bool made = mkdirat(parent, name, mode) == 0;
    const int number = made || errno == EEXIST ? 0 : errno;
    const int fd = open_folder(parent, name);
    struct stat status;

    if (fd < 0 && number != 0)
        errno = number;
    if (fd < 0 || fstat(fd, &status) < 0 || status.st_uid != geteuid())
        return fd;
    if (made)
        (void)fchmod(fd, mode | (status.st_mode & S_ISGID));
    else if ((status.st_mode & mode & 0111) != (mode & 0111))
        (void)fchmod(fd, (status.st_mode & 07777) | (mode & 0111));
    return fd;
}

/* Users could fill a folder of their own with links to the files of others. */
static bool is_trusted(int fd)
{
    struct stat status;

    return !privileges_run_others() ||
           (fstat(fd, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
            (status.st_mode & S_IWOTH) == 0);
}

/* Takes `parent`, which is closed, down to `name`. */
static int step_down(int parent, const char *name, bool make, mode_t mode)
{
    const int fd = make ? open_made(parent, name, mode) : open_folder(parent, name);
    const int number = errno;

    (void)close(parent);
    errno = number;
    return fd;
}

static int step_into_shared(int parent, const char *name, bool make)
{
    const int fd = step_down(parent, name, make, SHARED_MODE);

    if (fd < 0 || is_trusted(fd))
        return fd;
    (void)close(fd);
    errno = EPERM;
    return -1;
}

int run_folder_open(const char *path, const char *name, const char *below, bool make,
                    struct error *error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        fd = step_into_shared(fd, name, make);
    if (fd >= 0 && below)
        fd = step_down(fd, below, make, JOB_MODE);
    if (fd < 0) {
        const int number = errno;

        (void)error_set(error, "%s/%s%s%s: the folder cannot be %s: %s", path, name,
                        below ? "/" : "", below ? below : "", make ? "made" : "opened",
                        strerror(number));
        errno = number;
    }
    return fd;
}

int run_folder_give(int fd, uid_t user)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -1;
    if (status.st_uid == user)
        return 0;
    if (status.st_uid != geteuid() ||
        (!S_ISDIR(status.st_mode) && (!S_ISREG(status.st_mode) || status.st_nlink != 1))) {
        errno = EPERM;
        return -1;
    }
    return fchownat(fd, "", user, (gid_t)-1, AT_EMPTY_PATH);
}

/* Whatever is in the folder `name` of `path` and belongs to this process' user is made by it: no
 * other user can have put a link there. */
static void close_all(const char *path, const char *name)
{
    struct error ignored;
    const int fd = run_folder_open(path, name, NULL, false, &ignored);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    struct stat status;

    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    while ((entry = readdir(folder)))
        if (*entry->d_name != '.' &&
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISLNK(status.st_mode) && (status.st_mode & S_IRWXO) != 0 &&
            fchmodat(fd, entry->d_name, status.st_mode & 07770, 0) < 0)
            continue; /* a folder that was given away is its user's business */
    (void)closedir(folder);
}

void run_folder_close(const char *path)
{
    close_all(path, "logs");
    close_all(path, "jobs");
}
