/* keeper.h - a piece of work with many processes that leaves none of them, nor its folder, whatever
 * happens to it.
 *
 * It takes two processes: one works, the other waits, passes signals on and clears up. The one that
 * is left when the other is killed ends everything. */
#ifndef LOCAL_KEEPER_H
#define LOCAL_KEEPER_H

#include "common/error.h"

/* SIGINT, SIGTERM and SIGHUP: blocked while the work is done, for it to read them from a
 * signalfd. */
int keeper_signals(void);

/* Does `work`, which returns its exit status, in a process of its own, of which all that it starts
 * are descendants. Afterwards nothing of them is left, nor of the folder `temporary`, if that is
 * not NULL. Returns the exit status; -1, with `error`, if it could not begin or was killed. */
int keeper_run(int (*work)(void *argument), void *argument, const char *temporary,
               struct error *error);

/* Kills all that is below this process, reaps it and removes the folder, if there is one. */
void keeper_clear(const char *temporary);

#endif
