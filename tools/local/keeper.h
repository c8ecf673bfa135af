/* keeper.h - a piece of work with many processes that leaves no process and no folder behind, even
 * if it is killed.
 *
 * Two processes run: one works, the other waits, passes signals on and clears up. If one of the two
 * is killed, the other ends everything. */
#ifndef LOCAL_KEEPER_H
#define LOCAL_KEEPER_H

#include "common/error.h"

/* Blocks SIGINT, SIGTERM and SIGHUP for the work, which reads them from the returned signalfd. */
int keeper_signals(void);

/* Runs `work`, which returns its exit status, in a process of its own. Afterwards none of its
 * descendants is left, nor the folder `temporary`, if that is not NULL. Returns the exit status;
 * -1, with `error`, if the work could not begin or was killed. */
int keeper_run(int (*work)(void *argument), void *argument, const char *temporary,
               struct error *error);

/* Kills and reaps all descendants of this process, and removes the folder, if there is one. */
void keeper_clear(const char *temporary);

#endif
