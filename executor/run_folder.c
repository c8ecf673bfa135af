/* run_folder.c - see run_folder.h. */
#include "executor/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Takes `parent`, which is closed, down to `name`. */
static int step_down(int parent, const char *name, bool make)
{
    int number = 0;
    int fd;

    if (make && mkdirat(parent, name, 0777) < 0 && errno != EEXIST)
        number = errno;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 || number == 0)
        number = errno;
    (void)close(parent);
    errno = number;
    return fd;
}

int run_folder_open(const char *path, const char *name, const char *below, bool make,
                    struct error *error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        fd = step_down(fd, name, make);
    if (fd >= 0 && below)
        fd = step_down(fd, below, make);
    if (fd < 0) {
        const int number = errno;

        (void)error_set(error, "%s/%s%s%s: the folder cannot be %s: %s", path, name,
                        below ? "/" : "", below ? below : "", make ? "made" : "opened",
                        strerror(number));
        errno = number;
    }
    return fd;
}
