/* keeper.c - see keeper.h. Both processes adopt the orphans among their descendants, so that none
 * escapes. A process that the worker has started ends with the worker or becomes a child of the
 * keeper. */
#include "tools/local/keeper.h"

#include "common/child.h"
#include "common/descendants.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals whose default action is restored. A shell starts programs in the background with some of
 * them ignored. */
static const int heeded[] = {SIGINT, SIGTERM, SIGCHLD};

static sigset_t stop_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    return set;
}

int keeper_signals(void)
{
    const sigset_t set = stop_signals();

    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *walk)
{
    (void)stat;
    (void)kind;
    (void)walk;
    (void)remove(path);
    return 0;
}

void keeper_clear(const char *temporary)
{
    /* A process that forks while it is killed leaves its child to this process, so that waitpid
     * finds another child and the loop goes on. */
    do
        (void)descendants_kill(getpid(), NULL, 0);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
    if (temporary)
        (void)nftw(temporary, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static _Noreturn void begin(int (*work)(void *), void *argument, const char *temporary,
                            pid_t keeper)
{
    int status;

    (void)setpgid(0, 0); /* a process group of its own, so that signals of the terminal come once,
                            from the keeper */
    (void)signal(SIGTTOU, SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != keeper)
        _exit(2);
    descendants_adopt();
    status = work(argument);
    keeper_clear(temporary);
    (void)fflush(stdout);
    _exit(status);
}

/* Waits for the end of `worker` and passes signals on to it. Returns the status of waitpid. */
static int attend(pid_t worker)
{
    sigset_t set = stop_signals();
    int signal;
    int status;
    pid_t ended;

    (void)sigaddset(&set, SIGCHLD);
    for (;;) {
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == worker)
                return status;
        if (sigwait(&set, &signal) == 0 && signal != SIGCHLD)
            (void)kill(worker, signal);
    }
}

int keeper_run(int (*work)(void *argument), void *argument, const char *temporary,
               struct error *error)
{
    const pid_t keeper = getpid();
    sigset_t set = stop_signals();
    pid_t worker;
    int status;

    (void)sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    for (size_t i = 0; i < sizeof(heeded) / sizeof(heeded[0]); i++)
        (void)signal(heeded[i], SIG_DFL);
    descendants_adopt();
    (void)fflush(NULL);
    worker = fork();
    if (worker == 0)
        begin(work, argument, temporary, keeper);
    if (worker < 0)
        return error_set(error, "no process can be started: %s", strerror(errno));
    status = attend(worker);
    keeper_clear(temporary);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    if (WTERMSIG(status) == SIGPIPE) /* the reader of the worker's output is gone */
        return 128 + SIGPIPE;
    return error_set(error, "stopped: its own process was ended by %s", child_status_text(status));
}
