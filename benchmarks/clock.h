/* clock.h - the clocks that the benchmarks read. */
#ifndef BENCHMARKS_CLOCK_H
#define BENCHMARKS_CLOCK_H

#include <time.h>

static inline double clock_read_s(clockid_t clock)
{
    struct timespec now;

    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds since some moment; it never goes back. */
static inline double clock_now_s(void)
{
    return clock_read_s(CLOCK_MONOTONIC);
}

/* Seconds that this process has computed: what others do on the machine counts little. */
static inline double clock_cpu_s(void)
{
    return clock_read_s(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
