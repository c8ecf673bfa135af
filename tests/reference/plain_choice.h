/* plain_choice.h - solves a lease round by its definition: tries every plan, one by one. */
#ifndef TESTS_PLAIN_CHOICE_H
#define TESTS_PLAIN_CHOICE_H

#include "scheduler/reference/lease_choice.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest problem: entries, slots, GPUs and sum of values. */
#define PLAIN_CHOICE_ENTRIES 8
#define PLAIN_CHOICE_SLOTS   12
#define PLAIN_CHOICE_GPUS    16
#define PLAIN_CHOICE_VALUE   64

/* The worth of a choice. */
struct plain_worth {
    int64_t value; /* value of the served levels */
    int64_t gpus;  /* GPUs in the first slot */
    int64_t order; /* GPUs in the first slot, each times the place of its entry in the order of
                      deadlines */
};

/* The best choices of a problem. */
struct plain_best {
    bool possible;
    int64_t objective;
    int64_t least_order[PLAIN_CHOICE_VALUE][PLAIN_CHOICE_GPUS + 1]; /* by value and GPUs */
};

void plain_choice_best(const struct lease_problem *problem, struct plain_best *best);

/* The objective of the problem: first the value, then the GPUs, of which the problem wants many or
 * few. */
int64_t plain_choice_objective(const struct lease_problem *problem,
                               const struct plain_worth *worth);

/* The worth of `choices`. The test fails unless the choices serve each job at one level, in as many
 * slots before its deadline as it needs, and no slot has more GPUs than the cluster. */
struct plain_worth plain_choice_check(const struct lease_problem *problem,
                                      const struct lease_choice choices[]);

#endif
