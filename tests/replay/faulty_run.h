/* faulty_run.h - a small run in which much goes wrong, and its record: nodes go, drain and come
 * back, a job is cancelled, one fails, some do less than is expected of them and will be late, and
 * one pays more for its start. */
#ifndef REPLAY_FAULTY_RUN_H
#define REPLAY_FAULTY_RUN_H

#include <stdint.h>

/* Runs it under `policy` into a record at `path`; the test fails if that does. Returns how many
 * steps it took. */
int64_t faulty_run(const char *policy, const char *path);

#endif
