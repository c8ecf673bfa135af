/* lease_choice.h - the optimisation of a lease round: which jobs run in the lease slot that begins,
 * and in which slots each job runs later.
 *
 * Every active job is served at one of its levels, in as many slots before its deadline as it
 * needs, and no slot holds more GPUs than the cluster has. Among these plans the choice is a plan
 * that is worth most and, in the slot that begins, uses as many GPUs as possible, or as few.
 *
 * Source: the model of Chronus (SoCC 2021), as the published ElasticFlow artifact states it.
 * Choices that the artifact leaves to the solver are settled here: among the best choices for the
 * slot that begins, the jobs with the earliest deadlines run (CH-Q11), and later slots are taken as
 * late as possible. */
#ifndef REFERENCE_LEASE_CHOICE_H
#define REFERENCE_LEASE_CHOICE_H

#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/lease_packing.h"
#include "scheduler/reference/leasing.h"

#include <stdbool.h>

/* The entries to be chosen from. leasing.observe shows the problem to a measurement or check before
 * it is solved, and lends it for that call. */
struct lease_problem {
    const struct lease_entries *entries;
    int64_t slot; /* the slot that begins */
    int64_t gpu_count;
    enum lease_objective objective; /* not OBJECTIVE_ADAPTIVE */
};

/* The choice for an entry; slots are numbered as in the problem. */
struct lease_choice {
    bool served; /* the job is served at this level */
    bool now;
    struct slot_runs later;
};

/* The choice for a round in which all jobs could run at once. No solver is needed, as every optimum
 * runs the same jobs now. False if not all jobs could run at once. `choices` has an element for
 * each entry, cleared by the caller. */
bool lease_choose_by_closed_form(const struct lease_problem *problem,
                                 struct lease_choice choices[]);

/* The choice for any round, by the solver of `leasing`. `round` records the solve. False if the
 * solver finds no choice. */
bool lease_choose_by_solver(const struct lease_problem *problem, const struct leasing *leasing,
                            struct lease_choice choices[], struct lease_round *round);

#endif
