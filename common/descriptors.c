/* descriptors.c - see descriptors.h. */
#include "common/descriptors.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

/* Opens /dev/null on each closed standard descriptor. Opening takes the lowest closed number, which
 * is the one that the loop looks at. */
void descriptors_open_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", O_RDONLY);
}

/* Limit of descriptors: no program here needs more. Other programs that inherit the limit may
 * close all descriptors up to the limit one by one. */
#define COUNT_MAX 524288

int descriptors_allow(size_t count, struct error *error)
{
    struct rlimit limit;
    rlim_t most;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    most = limit.rlim_max < COUNT_MAX ? limit.rlim_max : COUNT_MAX;
    if (limit.rlim_cur < most) {
        limit.rlim_cur = most;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= count)
        return 0;
    return error_set(error, "%zu files are to be open at once, and at most %ju may be (ulimit -n)",
                     count, (uintmax_t)limit.rlim_max);
}
