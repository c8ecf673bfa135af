/* lease_problem.h - makes the problem of a lease round for a test. */
#ifndef TESTS_LEASE_PROBLEM_H
#define TESTS_LEASE_PROBLEM_H

#include "scheduler/reference/lease_choice.h"

#include <stddef.h>
#include <stdint.h>

/* The slot for which the round chooses. */
#define LEASE_PROBLEM_SLOT 5

/* The most jobs of a problem. */
#define LEASE_PROBLEM_JOBS 2000

/* A problem with 4 GPUs and no job, whose objective is to use as many GPUs as possible. */
struct lease_problem *lease_problem_new(void);
void lease_problem_destroy(struct lease_problem **self);

/* Removes all jobs. */
void lease_problem_clear(struct lease_problem *self);

/* Adds a job and returns its lease. The test then adds `levels` levels to the job. */
struct lease *lease_problem_add_job(struct lease_problem *self, size_t levels);

/* Adds a level to the last job. Its deadline is `slots` slots after LEASE_PROBLEM_SLOT. */
void lease_problem_add_level(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus,
                             int64_t value);

/* Adds a job of one level. */
void lease_problem_add(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus);

#endif
