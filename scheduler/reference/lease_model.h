/* clang-format off */
/* lease_model.h - the integer program of a lease round.
 *
 * For each entry e (a job at a level) that needs k leases of r GPUs in the m slots before its
 * deadline:
 *
 *     now[e]      0 or 1: it runs in the slot that begins
 *     later[e,p]  in how many slots of period p it runs, of the periods that end by its deadline
 *     served[e]   0 or 1: the job is served at this level; left out (and 1) where there is but one
 *
 *     now[e] + sum of later[e,p]  =  k served[e]
 *     sum of r now[e]            <=  GPUs
 *     sum of r later[e,p]        <=  GPUs * slots of p        for each period
 *     sum of served[e]            =  1                        for each job
 *
 * In the full model each slot is a period. In the compacted one a period lasts from one deadline to
 * the next, which is a relaxation: what fits into a period need not fit into its slots. The
 * tightened one knows that a slot which holds a small job has room for one large one less:
 *
 *     sum of floor(r / S) later[f,p] over f with r >= S, + later[e,p]  <=  floor(GPUs / S) * slots of p
 *
 * for each size S and each smaller e that takes a block of S GPUs from the others; and the same
 * without e where blocks of S leave GPUs over.
 *
 * Source: Chronus (SoCC 2021), the model that the published ElasticFlow artifact builds. */
/* clang-format on */
#ifndef REFERENCE_LEASE_MODEL_H
#define REFERENCE_LEASE_MODEL_H

#include "scheduler/reference/lease_choice.h"
#include "scheduler/solver/milp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slots, counted from 0 for the slot that begins. */
struct lease_period {
    int64_t from;
    int64_t to;
};

struct lease_model {
    milp_t *milp; /* the caller's */
    const struct lease_problem *problem;
    struct lease_period *periods;
    size_t period_count;
    int *now;    /* columns, one an entry */
    int *later;  /* column of the first period of each entry; its other periods follow */
    int *served; /* column of each entry, -1 where it is left out */
};

enum lease_detail { LEASE_MODEL_COMPACTED, LEASE_MODEL_TIGHTENED, LEASE_MODEL_FULL };

/* The number of columns that the model would have. A huge deadline makes a huge full model. */
int64_t lease_model_columns(const struct lease_problem *problem, enum lease_detail detail);

/* Builds the model into `milp`, whose old content is lost, without an objective. */
void lease_model_build(struct lease_model *self, const struct lease_problem *problem,
                       enum lease_detail detail, milp_t *milp);
void lease_model_free(struct lease_model *self);

/* The first aim of the model: as much value as possible, and then as many GPUs in the slot that
 * begins, or as few, as the problem says. All coefficients are whole: a point within less than
 * 1 of the best is best. */
void lease_model_aim_at_use(const struct lease_model *self);

/* Sets the second aim of the model: the earliest deadlines run now. Value and GPUs stay those of
 * the point `values`. */
void lease_model_aim_at_order(const struct lease_model *self, const double values[]);

/* Periods that the deadline of `entry` does not cut off. */
size_t lease_model_periods_of(const struct lease_model *self, const struct lease_entry *entry);

#endif
