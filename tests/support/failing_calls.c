/* failing_calls.c - makes one call of a program fail, or all from that one on: a library to be
 * preloaded.
 *
 *   RUBATO_FAIL_CALL=write|fsync|rename|open   which kind of call
 *   RUBATO_FAIL_NTH=N                          the N-th of them, from 1
 *   RUBATO_FAIL_ON=1                           and all later ones
 *   RUBATO_FAIL_UNDER=FOLDER                   of files below this folder alone
 *   RUBATO_FAIL_NOTE=FILE                      is made when a call fails
 *
 * A call that fails does nothing and sets errno to EIO. A program that is begun by another one
 * counts for itself. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long count;
static bool noting;

#define REAL(name) (*(__typeof__(&(name)))(real(#name)))

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static bool is_kind(const char *kind)
{
    const char *wanted = getenv("RUBATO_FAIL_CALL");

    return !noting && wanted && !strcmp(wanted, kind);
}

static void note(void)
{
    const char *path = getenv("RUBATO_FAIL_NOTE");
    int fd;

    noting = true;
    fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0)
        (void)close(fd);
    noting = false;
}

/* Counts a call about `path`, which a name without a slash at its front makes one of the working
 * folder. Whether it is to fail. */
static bool fails(const char *path)
{
    const char *under = getenv("RUBATO_FAIL_UNDER");
    const char *nth = getenv("RUBATO_FAIL_NTH");
    char whole[PATH_MAX];
    long chosen = nth ? strtol(nth, NULL, 10) : 0;

    if (path[0] != '/') {
        size_t length;

        if (!getcwd(whole, sizeof(whole)))
            return false;
        length = strlen(whole);
        (void)snprintf(whole + length, sizeof(whole) - length, "/%s", path);
        path = whole;
    }
    if (under && strncmp(path, under, strlen(under)) != 0)
        return false;
    count++;
    if (count != chosen && !(count > chosen && getenv("RUBATO_FAIL_ON")))
        return false;
    note();
    errno = EIO;
    return true;
}

static bool file_fails(const char *kind, int fd)
{
    char link[64];
    char path[PATH_MAX];
    ssize_t length;

    if (!is_kind(kind))
        return false;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    if (length <= 0 || path[0] != '/')
        return false;
    path[length] = '\0';
    return fails(path);
}

static bool name_fails(const char *kind, const char *path)
{
    return is_kind(kind) && fails(path);
}

/* The names of parameters are those of the C library, so that both declarations agree. */

/* ---- write ---- */

ssize_t write(int __fd, const void *__buf, size_t __n)
{
    return file_fails("write", __fd) ? -1 : REAL(write)(__fd, __buf, __n);
}

ssize_t pwrite(int __fd, const void *__buf, size_t __n, off_t __offset)
{
    return file_fails("write", __fd) ? -1 : REAL(pwrite)(__fd, __buf, __n, __offset);
}

ssize_t pwrite64(int __fd, const void *__buf, size_t __n, off64_t __offset)
{
    return file_fails("write", __fd) ? -1 : REAL(pwrite64)(__fd, __buf, __n, __offset);
}

ssize_t writev(int __fd, const struct iovec *__iovec, int __count)
{
    return file_fails("write", __fd) ? -1 : REAL(writev)(__fd, __iovec, __count);
}

/* ---- fsync ---- */

int fsync(int __fd)
{
    return file_fails("fsync", __fd) ? -1 : REAL(fsync)(__fd);
}

int fdatasync(int __fildes)
{
    return file_fails("fsync", __fildes) ? -1 : REAL(fdatasync)(__fildes);
}

/* ---- rename ---- */

int rename(const char *__old, const char *__new)
{
    return name_fails("rename", __new) ? -1 : REAL(rename)(__old, __new);
}

int renameat2(int __oldfd, const char *__old, int __newfd, const char *__new, unsigned __flags)
{
    return name_fails("rename", __new) ? -1
                                       : REAL(renameat2)(__oldfd, __old, __newfd, __new, __flags);
}

int link(const char *__from, const char *__to)
{
    return name_fails("rename", __to) ? -1 : REAL(link)(__from, __to);
}

/* ---- open ---- */

#define OPEN_MODE(flags, mode)                                                                     \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                       \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        (mode) = va_arg(more, mode_t);                                                             \
        va_end(more);                                                                              \
    }

int open(const char *__file, int __oflag, ...)
{
    mode_t mode = 0;

    OPEN_MODE(__oflag, mode)
    return name_fails("open", __file) ? -1 : REAL(open)(__file, __oflag, mode);
}

int open64(const char *__file, int __oflag, ...)
{
    mode_t mode = 0;

    OPEN_MODE(__oflag, mode)
    return name_fails("open", __file) ? -1 : REAL(open64)(__file, __oflag, mode);
}

int openat(int __fd, const char *__file, int __oflag, ...)
{
    mode_t mode = 0;

    OPEN_MODE(__oflag, mode)
    return name_fails("open", __file) ? -1 : REAL(openat)(__fd, __file, __oflag, mode);
}

FILE *fopen(const char *__filename, const char *__modes)
{
    return name_fails("open", __filename) ? NULL : REAL(fopen)(__filename, __modes);
}
