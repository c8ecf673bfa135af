/* scripted_cluster.h - a cluster without processes: jobs do what is expected of them, but for the
 * mischief that a seed does. It looks at each decision, and says what happens next. */
#ifndef TESTS_SCRIPTED_CLUSTER_H
#define TESTS_SCRIPTED_CLUSTER_H

#include "common/rng.h"
#include "scheduler/run/run.h"

/* How often it does what, in each step; all 0: everything is as expected. */
struct mischief {
    double node_leaves;  /* some node */
    double node_drains;  /* the same, and says so before */
    double node_joins;   /* one that had left */
    double node_blinks;  /* some node leaves and is back at once */
    double node_stays;   /* some node is known to be there until a time */
    double node_shrinks; /* some node has another number of GPUs, from 1 to all */
    double job_slows;    /* some job, for this interval */
    double job_lags;     /* some job, for good; or it is faster than expected */
    double job_loses;    /* iterations that it had done */
    double job_fails;    /* for good */
    double job_leaves;   /* it is cancelled; these may be to come, wait, run or be over */
    double job_comes;    /* one of those that are offered */
    double pays;         /* another overhead than expected */
    double unheard;      /* nothing is heard of a job that runs */
    double stray; /* something is heard of a job that does not run, or that was never there; or of a
                     node, what is known */
    double as_expected; /* all jobs do as expected, and are not told of one by one */
    double timer;
    double early; /* a step comes before the round is due, */
    double again; /* at the same time as the last */
    double late; /* or after it is due; without any of these, mischief is heard of a second later */
    int nodes_left; /* so many never leave */
    int calm_steps; /* so many are peaceful at first */
    int steps;      /* then there is peace: all nodes come back, and all is as expected */
};

/* What came up. */
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
    long past;  /* jobs that were submitted for a time gone by */
    long ahead; /* or for one far ahead */
};

typedef struct scripted_cluster scripted_cluster_t;

/* What happens next. */
struct happening {
    int64_t now_s;
    struct occurrence *items;
    size_t count;
};

scripted_cluster_t *scripted_cluster_new(const struct mischief *mischief, rng_t *rng);
void scripted_cluster_destroy(scripted_cluster_t **self);

/* Before the first step, unless the cluster is the driver of a run. */
void scripted_cluster_open(scripted_cluster_t *self, const struct engine_setting *setting);

/* Announces `submissions`, lent, one by one, whenever they are to arrive, but for those that the
 * policy cannot run. */
void scripted_cluster_offer(scripted_cluster_t *self, const struct submission submissions[],
                            size_t count);

/* After the first step of an engine that was told of the jobs of a trace, which `run` numbered as
 * protocol/job_number.h has it. */
void scripted_cluster_meet(scripted_cluster_t *self, const engine_t *engine, uint32_t run);

/* The first step: so many of those that are offered are announced. */
struct happening scripted_cluster_begin(scripted_cluster_t *self, engine_t *engine, int64_t now_s,
                                        size_t count);

/* Looks at `decision`, and fails the test if that is none. Returns whether the run goes on; -1 with
 * `error` if the engine expects nothing. `next` is lent until the next call. */
int scripted_cluster_next(scripted_cluster_t *self, engine_t *engine,
                          const struct decision *decision, struct happening *next,
                          struct error *error);

/* As the driver of a run. */
const struct driver *scripted_cluster_driver(scripted_cluster_t *self);

struct mischief_tally scripted_cluster_tally(const scripted_cluster_t *self);

#endif
