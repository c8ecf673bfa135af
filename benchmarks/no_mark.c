/* no_mark.c - makes what a state writes to its marks (journal/mark.h) nothing, for mark_cost.sh: a
 * library to be preloaded. A state that was written so notices no loss. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 65536

static bool is_mark[FILES];

#define REAL(name) (*(__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static bool has_mark(int fd)
{
    return fd >= 0 && fd < FILES && is_mark[fd];
}

int open(const char *path, int flags, ...)
{
    const char *slash = strrchr(path, '/');
    va_list arguments;
    mode_t mode = 0;
    int fd;

    if (flags & O_CREAT) {
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    fd = REAL(open)(path, flags, mode);
    if (fd >= 0 && fd < FILES)
        is_mark[fd] = slash && (!strcmp(slash, "/mark") || !strncmp(slash, "/mark-", 6));
    return fd;
}

int close(int fd)
{
    if (has_mark(fd))
        is_mark[fd] = false;
    return REAL(close)(fd);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    static __typeof__(&pwrite) next;

    if (has_mark(fd))
        return (ssize_t)count;
    if (!next)
        next = &REAL(pwrite);
    return next(fd, bytes, count, at);
}

int fdatasync(int fd)
{
    return has_mark(fd) ? 0 : REAL(fdatasync)(fd);
}
