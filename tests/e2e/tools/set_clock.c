/* set_clock.c - a library to be loaded before others: the time of day is as many seconds later as
 * the file that SET_CLOCK names says, which may change at any time. Its 32 bytes are a number and
 * blanks. Other clocks are left alone. */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BYTES 32

static const char *offset;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SET_CLOCK");
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes;

    if (fd < 0)
        return;
    bytes = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes != MAP_FAILED)
        offset = bytes;
    (void)close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now) /* NOLINT: names of the header */
{
    const int result = (int)syscall(SYS_clock_gettime, clock, now);

    if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += strtoll(offset, NULL, 10);
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) /* NOLINT: likewise */
{
    struct timespec exact;

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) /* NOLINT: likewise */
{
    struct timespec exact;

    (void)clock_gettime(CLOCK_REALTIME, &exact);
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
