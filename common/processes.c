/* processes.c - see processes.h. */
#include "common/processes.h"

#include "common/child.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

/* What the copy and this process both see. */
struct shared {
    bool complete; /* set last */
    max_align_t answer[];
};

static _Noreturn void try_here(void (*work)(void *argument, void *answer), void *argument,
                               struct shared *shared, pid_t parent)
{
    processes_begin(parent);
    work(argument, shared->answer);
    shared->complete = true;
    _exit(0);
}

static int await_copy(pid_t pid, const struct shared *shared, struct error *error)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (shared->complete)
        return 0;
    return error_set(error, "a process on trial ended with %s", child_status_text(status));
}

int processes_try(void (*work)(void *argument, void *answer), void *argument, void *answer,
                  size_t size, struct error *error)
{
    const size_t bytes = sizeof(struct shared) + size;
    const pid_t parent = getpid();
    struct shared *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int result;
    pid_t pid;

    if (shared == MAP_FAILED)
        return error_set(error, "no memory for a process on trial: %s", strerror(errno));
    pid = fork();
    if (pid == 0)
        try_here(work, argument, shared, parent);
    result = pid < 0 ? error_set(error, "no process on trial: %s", strerror(errno))
                     : await_copy(pid, shared, error);
    if (result == 0)
        memcpy(answer, shared->answer, size);
    (void)munmap(shared, bytes);
    return result;
}
