/* lease_problem.h - what a lease round has to choose from, made up by a test. */
#ifndef TESTS_LEASE_PROBLEM_H
#define TESTS_LEASE_PROBLEM_H

#include "scheduler/reference/lease_choice.h"

#include <stddef.h>
#include <stdint.h>

/* The slot that begins. */
#define LEASE_PROBLEM_SLOT 5

/* Jobs that there may be. */
#define LEASE_PROBLEM_JOBS 2000

/* 4 GPUs and no job yet, as many GPUs as possible wanted. */
struct lease_problem *lease_problem_new(void);
void lease_problem_destroy(struct lease_problem **self);

/* Takes every job out. */
void lease_problem_clear(struct lease_problem *self);

/* The lease of the next job, with so many levels, which are added next. */
struct lease *lease_problem_add_job(struct lease_problem *self, size_t levels);

/* A level of that job, its deadline so many slots from the one that begins. */
void lease_problem_add_level(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus,
                             int64_t value);

/* A job of one level. */
void lease_problem_add(struct lease_problem *self, int64_t slots, int64_t need, int64_t gpus);

#endif
