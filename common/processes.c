/* processes.c - see processes.h. */
#include "common/processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

size_t processes_count(int64_t asked)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (asked > 0)
        return (size_t)asked;
    return processors > 0 ? (size_t)processors : 1;
}

void processes_begin(pid_t parent)
{
    (void)setpgid(0, 0);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it ended before it could be noticed */
        _exit(1);
}
