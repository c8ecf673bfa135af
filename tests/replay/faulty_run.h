/* faulty_run.h - a small run with many faults, and its record. Nodes go, are drained and come back.
 * One job is cancelled and one fails. Some jobs do less than expected and end late, and one pays
 * more for its start. */
#ifndef REPLAY_FAULTY_RUN_H
#define REPLAY_FAULTY_RUN_H

#include <stdint.h>

/* Runs the jobs under `policy` and records the run at `path`. Returns the number of steps. The test
 * fails if the run fails. */
int64_t faulty_run(const char *policy, const char *path);

#endif
