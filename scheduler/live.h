/* live.h - running the scheduler on a real cluster, which needs libzmq and SQLite. main.c is linked
 * into two programs, so that a simulation does not load these libraries: in `scheduler-live` live.c
 * does the work, in `scheduler` live_elsewhere.c executes `scheduler-live`. */
#ifndef SCHEDULER_LIVE_H
#define SCHEDULER_LIVE_H

#include "scheduler/testbed/testbed.h"

/* Called first in the program, with the words of its command line. -1 with `error`. */
int live_begin(char **words, struct error *error);

/* `scheduler --serve`; returns the exit status. */
int live_serve(int argc, char **argv);

/* As testbed_run; `words` are the command line as it was. */
int live_run(const struct testbed *testbed, const struct simulation *simulation, char **words,
             struct simulation_result *result, struct error *error);

#endif
