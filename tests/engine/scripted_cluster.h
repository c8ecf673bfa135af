/* scripted_cluster.h - a backend without processes: it checks the orders that it gets, and disturbs the run by a
 * seed. */
#ifndef TESTS_SCRIPTED_CLUSTER_H
#define TESTS_SCRIPTED_CLUSTER_H

#include "common/rng.h"
#include "scheduler/backend/backend.h"

/* How often it does what, in each round; all 0: everything is as modelled. */
struct mischief {
    double node_leaves; /* some node, if another is left */
    double node_joins;  /* one that had left */
    double node_blinks; /* some node leaves and is back at once */
    double job_slows;   /* some job, for this interval */
    double job_lags;    /* some job, for good */
    double job_loses;   /* iterations that it had done */
    double job_fails;   /* for good */
};

/* What came up. */
struct mischief_tally {
    long rounds;
    long left; /* as often as there is to tell: once between two looks */
    long joined;
    long blinked;
    long untold; /* of those that left, that the scheduler did not ask for */
    long slowed;
    long lagged;
    long lost;
    long failed;
    long moved; /* assignments on other ranks than the round before */
};

typedef struct scripted_cluster scripted_cluster_t;

scripted_cluster_t *scripted_cluster_new(const struct mischief *mischief, rng_t *rng);
void scripted_cluster_destroy(scripted_cluster_t **self);

const struct backend *scripted_cluster_calls(scripted_cluster_t *self);
struct mischief_tally scripted_cluster_tally(const scripted_cluster_t *self);

#endif
