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

/* The names of parameters are those of the C library, so that both declarations agree. */

int open(const char *__file, int __oflag, ...)
{
    const char *slash = strrchr(__file, '/');
    va_list arguments;
    mode_t mode = 0;
    int fd;

    if (__oflag & O_CREAT) {
        va_start(arguments, __oflag);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    fd = REAL(open)(__file, __oflag, mode);
    if (fd >= 0 && fd < FILES)
        is_mark[fd] = slash && (!strcmp(slash, "/mark") || !strncmp(slash, "/mark-", 6));
    return fd;
}

int close(int __fd)
{
    if (has_mark(__fd))
        is_mark[__fd] = false;
    return REAL(close)(__fd);
}

ssize_t pwrite(int __fd, const void *__buf, size_t __n, off_t __offset)
{
    static __typeof__(&pwrite) next;

    if (has_mark(__fd))
        return (ssize_t)__n;
    if (!next)
        next = &REAL(pwrite);
    return next(__fd, __buf, __n, __offset);
}

int fdatasync(int __fildes)
{
    return has_mark(__fildes) ? 0 : REAL(fdatasync)(__fildes);
}
