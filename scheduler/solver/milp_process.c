/* milp_process.c - see milp_process.h. */
#include "scheduler/solver/milp_process.h"

#include "common/clock.h"
#include "common/memory.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void milp_limit_memory(int64_t more_mib)
{
    FILE *statm = more_mib > 0 ? fopen("/proc/self/statm", "re") : NULL;
    long pages = 0;
    struct rlimit limit;

    if (statm && fscanf(statm, "%ld", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0) {
        const rlim_t most =
            (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)more_mib << 20);

        limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
        (void)setrlimit(RLIMIT_AS, &limit);
    }
    if (statm)
        (void)fclose(statm);
}

enum milp_child_end milp_await(int end, double deadline_s, const struct stop *stop)
{
    struct pollfd poll = {.fd = end, .events = POLLIN};

    for (;;) {
        const double left_s = fmin(deadline_s - clock_s(), 0.2);
        struct timespec wait;

        if (stop_is_asked(stop))
            return MILP_CHILD_STOPPED;
        if (left_s <= 0)
            return MILP_CHILD_LATE;
        wait = (struct timespec){.tv_nsec = (long)(left_s * 1e9)};
        if (ppoll(&poll, 1, &wait, NULL) > 0)
            return MILP_CHILD_ANSWERED;
    }
}

enum milp_child_end milp_end_of(int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_OUT_STATUS)
        return MILP_CHILD_FULL;
    return MILP_CHILD_BROKEN;
}

void milp_say_how(int status, struct error *error)
{
    if (WIFSIGNALED(status))
        error_set(error, "its process was ended by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    else
        error_set(error, "its process ended with status %d and no answer", WEXITSTATUS(status));
}
