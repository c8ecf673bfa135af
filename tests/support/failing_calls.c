/* clang-format off */
/* failing_calls.c - makes one call of a program fail, or all from that one on: a library to be
 * preloaded.
 *
 *   RUBATO_FAIL_CALL=KIND        write, fsync, rename, link, open, close, mkdir, unlink or
 *                                truncate; "list": none fails, and each call's kind is a line
 *                                of the note
 *   RUBATO_FAIL_NTH=N            the N-th of them, from 1
 *   RUBATO_FAIL_ON=1             and all later ones
 *   RUBATO_FAIL_UNDER=FOLDER     of files below this folder alone
 *   RUBATO_FAIL_NOTE=FILE        is made when a call fails
 *   RUBATO_FAIL_ERRNO=NUMBER     in the place of EIO
 *   RUBATO_FAIL_KILL=1           SIGKILL in the place of a failure
 *
 * A call that fails does nothing and sets errno, but close, which closes. A program that is begun
 * by another one counts for itself. */
/* clang-format on */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

    return !noting && wanted && (!strcmp(wanted, kind) || !strcmp(wanted, "list"));
}

static void note(const char *kind)
{
    const char *path = getenv("RUBATO_FAIL_NOTE");
    int fd;

    noting = true;
    fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        (void)dprintf(fd, "%s\n", kind);
        (void)close(fd);
    }
    noting = false;
}

/* Counts a call about `path`, which a name without a slash at its front makes one of the working
 * folder. Whether it is to fail. */
static bool fails(const char *kind, const char *path)
{
    const char *under = getenv("RUBATO_FAIL_UNDER");
    const char *nth = getenv("RUBATO_FAIL_NTH");
    const char *number;
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
    if (!strcmp(getenv("RUBATO_FAIL_CALL"), "list")) {
        note(kind);
        return false;
    }
    count++;
    if (count != chosen && !(count > chosen && getenv("RUBATO_FAIL_ON")))
        return false;
    note(kind);
    if (getenv("RUBATO_FAIL_KILL"))
        (void)kill(getpid(), SIGKILL);
    number = getenv("RUBATO_FAIL_ERRNO");
    errno = number ? (int)strtol(number, NULL, 10) : EIO;
    return true;
}

static bool find_path(int fd, char path[PATH_MAX])
{
    char link[64];
    ssize_t length;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0 || path[0] != '/')
        return false;
    path[length] = '\0';
    return true;
}

static bool file_fails(const char *kind, int fd)
{
    char path[PATH_MAX];

    return is_kind(kind) && find_path(fd, path) && fails(kind, path);
}

static bool name_fails(const char *kind, const char *path)
{
    return is_kind(kind) && fails(kind, path);
}

/* `path` is seen from the folder `at`. */
static bool name_fails_at(const char *kind, int at, const char *path)
{
    char whole[PATH_MAX];
    size_t length;

    if (at == AT_FDCWD || path[0] == '/')
        return name_fails(kind, path);
    if (!is_kind(kind) || !find_path(at, whole))
        return false;
    length = strlen(whole);
    (void)snprintf(whole + length, sizeof(whole) - length, "/%s", path);
    return fails(kind, whole);
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

/* ---- rename, link ---- */

int rename(const char *__old, const char *__new)
{
    return name_fails("rename", __new) ? -1 : REAL(rename)(__old, __new);
}

int renameat2(int __oldfd, const char *__old, int __newfd, const char *__new, unsigned __flags)
{
    return name_fails_at("rename", __newfd, __new)
               ? -1
               : REAL(renameat2)(__oldfd, __old, __newfd, __new, __flags);
}

int renameat(int __oldfd, const char *__old, int __newfd, const char *__new)
{
    return name_fails_at("rename", __newfd, __new) ? -1
                                                   : REAL(renameat)(__oldfd, __old, __newfd, __new);
}

int link(const char *__from, const char *__to)
{
    return name_fails("link", __to) ? -1 : REAL(link)(__from, __to);
}

int linkat(int __fromfd, const char *__from, int __tofd, const char *__to, int __flags)
{
    return name_fails_at("link", __tofd, __to)
               ? -1
               : REAL(linkat)(__fromfd, __from, __tofd, __to, __flags);
}

/* ---- mkdir, unlink, truncate, close ---- */

int mkdir(const char *__path, mode_t __mode)
{
    return name_fails("mkdir", __path) ? -1 : REAL(mkdir)(__path, __mode);
}

int mkdirat(int __fd, const char *__path, mode_t __mode)
{
    return name_fails_at("mkdir", __fd, __path) ? -1 : REAL(mkdirat)(__fd, __path, __mode);
}

int unlink(const char *__name)
{
    return name_fails("unlink", __name) ? -1 : REAL(unlink)(__name);
}

int unlinkat(int __fd, const char *__name, int __flag)
{
    return name_fails_at("unlink", __fd, __name) ? -1 : REAL(unlinkat)(__fd, __name, __flag);
}

int rmdir(const char *__path)
{
    return name_fails("unlink", __path) ? -1 : REAL(rmdir)(__path);
}

int ftruncate(int __fd, off_t __length)
{
    return file_fails("truncate", __fd) ? -1 : REAL(ftruncate)(__fd, __length);
}

int ftruncate64(int __fd, off64_t __length)
{
    return file_fails("truncate", __fd) ? -1 : REAL(ftruncate64)(__fd, __length);
}

int close(int __fd)
{
    const bool failed = file_fails("close", __fd);
    const int number = errno;
    const int result = REAL(close)(__fd);

    if (!failed)
        return result;
    errno = number;
    return -1;
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
    return name_fails_at("open", __fd, __file) ? -1 : REAL(openat)(__fd, __file, __oflag, mode);
}

FILE *fopen(const char *__filename, const char *__modes)
{
    return name_fails("open", __filename) ? NULL : REAL(fopen)(__filename, __modes);
}
