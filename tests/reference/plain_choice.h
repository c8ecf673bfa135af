/* plain_choice.h - the optimisation of a lease round by its definition: every plan there is, one by
 * one. */
#ifndef TESTS_PLAIN_CHOICE_H
#define TESTS_PLAIN_CHOICE_H

#include "scheduler/reference/lease_choice.h"

#include <stdbool.h>
#include <stdint.h>

/* Problems may have so many entries, slots and GPUs, and their values may add up to so much. */
#define PLAIN_CHOICE_ENTRIES 8
#define PLAIN_CHOICE_SLOTS   12
#define PLAIN_CHOICE_GPUS    16
#define PLAIN_CHOICE_VALUE   64

/* What a choice comes to. */
struct plain_worth {
    int64_t value; /* of the levels that are served */
    int64_t gpus;  /* in the slot that begins */
    int64_t order; /* GPUs there, each counted by its place in the order of deadlines */
};

/* The best that can be had. */
struct plain_best {
    bool possible;
    int64_t objective;
    int64_t least_order[PLAIN_CHOICE_VALUE][PLAIN_CHOICE_GPUS + 1]; /* by value and GPUs */
};

void plain_choice_best(const struct lease_problem *problem, struct plain_best *best);

/* The objective of the problem: value first, then GPUs, as many as possible or as few. */
int64_t plain_choice_objective(const struct lease_problem *problem,
                               const struct plain_worth *worth);

/* What `choices` come to; the test fails if they serve a job not at one level, or not in as many
 * slots before its deadline as it needs, or if a slot has more GPUs than there are. */
struct plain_worth plain_choice_check(const struct lease_problem *problem,
                                      const struct lease_choice choices[]);

#endif
