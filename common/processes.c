/* processes.c - see processes.h. */
#include "common/processes.h"

#include "common/child.h"
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
    memory_leave_telling();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before prctl */
        _exit(1);
}

void processes_share_end(int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_OUT_STATUS)
        memory_out();
}

pid_t processes_copy(int *end, struct error *error)
{
    const pid_t parent = getpid();
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return error_set(error, "no pipe: %s", strerror(errno));
    pid = fork();
    if (pid == 0)
        processes_begin(parent);
    if (pid < 0)
        error_set(error, "no process: %s", strerror(errno));
    (void)close(ends[pid == 0 ? 0 : 1]);
    *end = ends[pid == 0 ? 1 : 0];
    if (pid < 0)
        (void)close(*end);
    return pid;
}

void processes_close_others(int end)
{
    const unsigned first = STDERR_FILENO + 1;

    if ((unsigned)end > first)
        (void)close_range(first, (unsigned)end - 1, 0);
    (void)close_range((unsigned)end + 1, UINT_MAX, 0);
}

void processes_write(int to, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(to, text, length);

        if (written < 0 && errno != EINTR)
            _exit(1);
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
}

/* The memory that the copy and this process share. */
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
    processes_share_end(status);
    return error_set(error, "a process on trial ended with %s", child_status_text(status));
}

int processes_try(void (*work)(void *argument, void *answer), void *argument, void *answer,
                  size_t size, struct error *error)
{
    const size_t bytes = sizeof(struct shared) + size;
    const pid_t parent = getpid();
    struct shared *shared = memory_share(bytes);
    int result;
    pid_t pid;

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
