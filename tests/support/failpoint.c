/* failpoint.c - see common/failpoint.h. */
#include "common/failpoint.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 4 };

/* Which NAME:NTH:ACTION is of `name`, from 0, with its parts; -1 if none is. */
static int chosen(const char *name, long *nth, char action[16])
{
    const char *text = getenv("RUBATO_FAILPOINT");
    char wanted[64];

    for (int i = 0; text && i < POINTS_MAX; i++) {
        if (sscanf(text, "%63[^:]:%ld:%15[^,]", wanted, nth, action) == 3 && !strcmp(name, wanted))
            return i;
        text = strchr(text, ',');
        if (text)
            text++;
    }
    return -1;
}

/* SIGCONT, blocked from here on: one that comes before it is waited for counts. */
static sigset_t block_continue(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCONT);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return set;
}

static void await_continue(const sigset_t *blocked)
{
    int signal;

    while (sigwait(blocked, &signal) != 0)
        ;
    (void)sigprocmask(SIG_UNBLOCK, blocked, NULL);
}

static void tell(const char *name, long nth, const char *action)
{
    (void)fprintf(stderr, "failpoint %s %ld %s\n", name, nth, action);
}

bool failpoint_reach(const char *name)
{
    static long times[POINTS_MAX];
    char action[16];
    long nth;
    const int point = chosen(name, &nth, action);

    if (point < 0 || ++times[point] != nth)
        return false;
    if (!strcmp(action, "wait")) {
        const sigset_t blocked = block_continue();

        tell(name, nth, action);
        await_continue(&blocked);
        return false;
    }
    tell(name, nth, action);
    if (!strcmp(action, "kill"))
        (void)kill(getpid(), SIGKILL);
    if (!strcmp(action, "exit"))
        _exit(70);
    return true;
}
