/* keeper.h - runs work with many processes and leaves no process and no folder behind, even if the
 * work is killed.
 *
 * There are two processes. The worker does the work. The keeper waits, passes signals on and clears
 * up. If one of the two is killed, the other ends everything. */
#ifndef LOCAL_KEEPER_H
#define LOCAL_KEEPER_H

#include "common/error.h"

/* Returns a signalfd from which the work reads SIGINT, SIGTERM and SIGHUP, which keeper_run
 * blocks. */
int keeper_signals(void);

/* Runs `work` in a process of its own. `work` returns an exit status. Afterwards none of its
 * descendants is left, nor the folder `temporary`, unless that is NULL. Returns the exit status, or
 * -1, with `error`, if the work could not begin or was killed. */
int keeper_run(int (*work)(void *argument), void *argument, const char *temporary,
               struct error *error);

/* Kills and reaps all descendants of this process, and removes the folder `temporary` unless that
 * is NULL. */
void keeper_clear(const char *temporary);

#endif
