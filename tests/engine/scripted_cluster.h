/* scripted_cluster.h - a cluster without processes. Jobs do what each decision expects of them,
 * except for the mischief that a seed draws. The cluster tells the engine what happens next. */
#ifndef TESTS_SCRIPTED_CLUSTER_H
#define TESTS_SCRIPTED_CLUSTER_H

#include "common/rng.h"
#include "scheduler/run/run.h"

/* The probability of each mischief in a step. With 0 everywhere, everything goes as expected. */
struct mischief {
    double node_leaves;  /* some node goes down */
    double node_drains;  /* some node is drained, and then goes down */
    double node_joins;   /* a node that went down is up again */
    double node_blinks;  /* some node goes down and is up again at once */
    double node_stays;   /* the end of some node's time becomes known */
    double node_shrinks; /* some node has another number of GPUs, from 1 to all */
    double job_slows;    /* some job trains slower in this interval */
    double job_lags;     /* some job trains slower, or faster, from now on */
    double job_loses;    /* some job loses iterations that it had done */
    double job_fails;    /* some job fails for good */
    double job_leaves;   /* some job is cancelled, whether it is to come, waits, runs or is over */
    double job_comes;    /* a job that was offered is submitted */
    double pays;         /* some job pays another overhead than expected */
    double unheard;      /* the engine hears nothing of a job that runs */
    double stray; /* the engine hears of a job that does not run or never existed, or again what it
                     knows of a node */
    double as_expected; /* the engine hears in one occurrence that all jobs do as expected */
    double timer;
    double early; /* a step comes before the next round is due */
    double again; /* a step comes at the same time as the last step */
    double late;  /* a step comes after the round was due. Without these three, the engine hears of
                     mischief a second later */
    int nodes_left; /* number of nodes that never go down */
    int calm_steps; /* number of steps without mischief at the start */
    int steps;      /* number of steps after which all nodes are up and mischief ends
                     */
};

/* Counts of the mischief that happened. */
struct mischief_tally {
    long steps;
    long left;
    long joined;
    long slowed;
    long lagged;
    long lost;
    long failed;
    long cancelled;
    long paid;
    long same_time;
    long late;
    long past;  /* jobs submitted with a time in the past */
    long ahead; /* jobs submitted with a time in the far future */
};

typedef struct scripted_cluster scripted_cluster_t;

/* The occurrences that the engine is told next. */
struct happening {
    int64_t now_s;
    struct occurrence *items;
    size_t count;
};

scripted_cluster_t *scripted_cluster_new(const struct mischief *mischief, rng_t *rng);
void scripted_cluster_destroy(scripted_cluster_t **self);

/* Prepares for the first step, unless the cluster is the driver of a run. */
void scripted_cluster_open(scripted_cluster_t *self, const struct engine_setting *setting);

/* Offers `submissions`, which are lent. Mischief submits them one by one. Submissions that the
 * policy cannot run are skipped. */
void scripted_cluster_offer(scripted_cluster_t *self, const struct submission submissions[],
                            size_t count);

/* Prepares for an engine that was told the jobs of a trace in its first step. `run` is the run in
 * the job numbers of protocol/job_number.h. */
void scripted_cluster_meet(scripted_cluster_t *self, const engine_t *engine, uint32_t run);

/* The first step, in which the first `count` offered jobs are submitted. */
struct happening scripted_cluster_begin(scripted_cluster_t *self, engine_t *engine, int64_t now_s,
                                        size_t count);

/* Checks `decision`, and fails the test if the decision is impossible. Returns whether the run goes
 * on, or -1, with `error`, if the engine expects nothing more. `next` is lent until the next
 * call. */
int scripted_cluster_next(scripted_cluster_t *self, engine_t *engine,
                          const struct decision *decision, struct happening *next,
                          struct error *error);

/* The cluster as the driver of a run. */
const struct driver *scripted_cluster_driver(scripted_cluster_t *self);

struct mischief_tally scripted_cluster_tally(const scripted_cluster_t *self);

#endif
