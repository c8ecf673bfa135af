/* live.h - what the scheduler does on a real cluster, for which it needs libzmq and SQLite.
 *
 * Two programs are made from main.c, so that a simulation does not load these: in `scheduler-live`
 * live.c does the work, in `scheduler` live_elsewhere.c becomes `scheduler-live` for it. */
#ifndef SCHEDULER_LIVE_H
#define SCHEDULER_LIVE_H

#include "scheduler/testbed/testbed.h"

/* First thing in the program, with the words of its command line. -1 with `error`. */
int live_begin(char **words, struct error *error);

/* `scheduler --serve`; returns the exit status. */
int live_serve(int argc, char **argv);

/* As testbed_run; `words` are the command line as it was. */
int live_run(const struct testbed *testbed, const struct simulation *simulation, char **words,
             struct simulation_result *result, struct error *error);

#endif
