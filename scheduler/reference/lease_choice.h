/* lease_choice.h - which jobs run in the lease slot that begins, and in which slots each runs
 * later: the optimisation of a lease round.
 *
 * Every active job is served at one of its levels, in as many slots before its deadline as it
 * needs, and no slot holds more GPUs than there are. Of all such plans one is looked for that is
 * worth most and, in the slot that begins, uses as many GPUs as possible, or as few.
 *
 * Source: the model of Chronus (SoCC 2021), as the published ElasticFlow artifact states it. What
 * it leaves to the solver is settled here: among the best choices for the slot that begins, the
 * jobs with the earliest deadlines run (CH-Q11); later slots are taken as late as possible. */
#ifndef REFERENCE_LEASE_CHOICE_H
#define REFERENCE_LEASE_CHOICE_H

#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/lease_packing.h"
#include "scheduler/reference/leasing.h"

#include <stdbool.h>

/* The entries to be chosen from. A measurement or check of choices sees the problem by
 * leasing.observe, before it is solved; it is lent for that call. */
struct lease_problem {
    const struct lease_entries *entries;
    int64_t slot; /* the one that begins */
    int64_t gpu_count;
    enum lease_objective objective; /* not OBJECTIVE_ADAPTIVE */
};

/* The choice for an entry; slots are numbered as in the problem. */
struct lease_choice {
    bool served; /* the job, at this level */
    bool now;
    struct slot_runs later;
};

/* The choice for a round in which all jobs could run at once; no solver is needed for it, because
 * what runs now is the same in every optimum. Returns false if that is not so. `choices` has an
 * element for each entry, cleared by the caller. */
bool lease_choose_by_closed_form(const struct lease_problem *problem,
                                 struct lease_choice choices[]);

/* The same for any round, by the solver of `leasing`; how that went becomes part of `round`.
 * Returns false if there is no choice to be had. */
bool lease_choose_by_solver(const struct lease_problem *problem, const struct leasing *leasing,
                            struct lease_choice choices[], struct lease_round *round);

#endif
