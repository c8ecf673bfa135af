/* descendants.h - all processes below a process, whatever group or session they have moved to. A
 * process that is the subreaper of its descendants inherits those whose parents end, so that none
 * can leave its tree. */
#ifndef COMMON_DESCENDANTS_H
#define COMMON_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct descendant {
    pid_t pid;
    pid_t parent;
    bool ended; /* a zombie: gone but for its status */
    unsigned long long
        started; /* start time, which tells a process from a later process with the same id */
};

/* Reads the state of process `pid`; false if there is none. */
bool descendants_look(pid_t pid, struct descendant *process);

/* Makes this process the subreaper of all its descendants. */
void descendants_adopt(void);

/* Finds the processes below `root` now, in an array that the caller frees. Returns their number. */
size_t descendants_of(pid_t root, struct descendant **found);

/* Sends SIGKILL to all below `root`, except the `count` processes in `spared` and what is below
 * these. Returns how many are left that have not ended. A caller that wants none to be left calls
 * again until it is 0: a process can fork while it is looked for. Zombies are for their parents to
 * reap. */
size_t descendants_kill(pid_t root, const pid_t spared[], size_t count);

/* Sends SIGKILL to all descendants of the `count` processes in `roots`, not to the roots
 * themselves. */
void descendants_kill_below(const pid_t roots[], size_t count);

/* Reaps ended children of this process, except the `count` in `spared`. */
void descendants_reap(const pid_t spared[], size_t count);

#endif
