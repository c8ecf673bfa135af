/* failpoint.c - see common/failpoint.h. */
#include "common/failpoint.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NAME:NTH:ACTION, cut into its parts; false if there is none. */
static bool chosen(char name[64], long *nth, char action[16])
{
    const char *text = getenv("RUBATO_FAILPOINT");

    return text && sscanf(text, "%63[^:]:%ld:%15s", name, nth, action) == 3;
}

bool failpoint_reach(const char *name)
{
    static long times;
    char wanted[64];
    char action[16];
    long nth;

    if (!chosen(wanted, &nth, action) || strcmp(name, wanted) != 0 || ++times != nth)
        return false;
    (void)fprintf(stderr, "failpoint %s %ld %s\n", name, nth, action);
    if (!strcmp(action, "kill"))
        (void)kill(getpid(), SIGKILL);
    if (!strcmp(action, "exit"))
        _exit(70);
    return true;
}
