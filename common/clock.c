/* clock.c - see clock.h. */
#include "common/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double clock_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t clock_boot_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void clock_boot_name(char name[CLOCK_BOOT_BYTES])
{
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, name, CLOCK_BOOT_BYTES - 1) : 0;

    name[length > 0 ? length : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (file >= 0)
        (void)close(file);
}

int64_t clock_day_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
