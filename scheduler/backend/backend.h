/* backend.h - what carries out the layout of a round and says what became of it: trainers behind a master. A
 * run without one is simulated: backend_sim.h says how far jobs get and what starts cost.
 *
 * The engine models every interval first and then asks what really happened. Where trainers do as the
 * tables say, the answer is "as modelled", and the run is that of the simulator to the last bit. */
#ifndef BACKEND_BACKEND_H
#define BACKEND_BACKEND_H

#include "common/error.h"
#include "scheduler/state/cluster_spec.h"
#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A job that holds GPUs in this round. */
struct assignment {
    const struct job *job;
    int64_t step;   /* iterations done, as credited */
    double rate;    /* iterations/s that are expected of it */
    int overhead_s; /* what the model says that its start costs */
    int *ranks;     /* counted through all nodes, rising */
    int rank_count;
};

enum release_why { RELEASE_PAUSED, RELEASE_DONE, RELEASE_HELD };

/* A job that held GPUs in the round before. */
struct release {
    const struct job *job;
    int64_t step;
    enum release_why why;
};

struct orders {
    int64_t round; /* from 1 */
    int64_t now_s;
    bool restart; /* all trainers restart first */
    const struct assignment *assignments;
    size_t assignment_count;
    const struct release *releases;
    size_t release_count;
};

/* What trainers did with a job in the interval that just ended. */
struct observed {
    double pace;       /* real by expected progress; 1: as modelled */
    double lost;       /* iterations done before, that a fault took back */
    bool stuck;        /* its iterations are not done, whatever the model says */
    const char *cause; /* of what was not as modelled, NULL if all was; lent until the next call */
};

struct backend {
    void *self;

    /* Waits until the cluster is there. -1, with `error`, if it cannot hold `spec`. */
    int (*open)(void *self, const struct cluster_spec *spec, struct error *error);

    /* Whether the node at `position` is there; `cause`, lent, says why not. Changes in `open`, `carry_out` and
     * `wait` only. */
    bool (*node_is_up)(void *self, int position, const char **cause);

    /* Why the node at `position` went since this was last asked for, or since `open`, be it back or not; NULL if it did
     * not go. Lent until the next call of `carry_out` or `wait`. */
    const char *(*node_went)(void *self, int position);

    /* Returns when every job of the round trains, or cannot. */
    int (*carry_out)(void *self, const struct orders *orders, struct error *error);

    /* What `job` pays for this round, the model saying `modelled_s`. */
    int (*overhead_s)(void *self, const struct job *job, int modelled_s);

    /* What became of `job` since the last call, the model saying that it did `iterations` (or all that were
     * left, if `done`) of those that are left, at `step` behind them. */
    struct observed (*observe)(void *self, const struct job *job, double iterations, bool done,
                               int64_t step);

    /* Iterations that the trainers of `job`, whose end is due, still have to do; 0 if they are done or it is
     * the model that says so. */
    int64_t (*left)(void *self, const struct job *job);

    /* Why `job` is not to be tried again; NULL if it is. */
    const char *(*held)(void *self, const struct job *job);

    /* Lets the clock go on from `now_s` until `next_s`. Returns where it stands then: earlier, but not
     * before now_s + 1, if something happened that the scheduler must see; -1 with `error`. With
     * `idle`, nothing runs although jobs are there, and nothing will before nodes come. */
    int64_t (*wait)(void *self, int64_t now_s, int64_t next_s, bool idle, struct error *error);

    /* The run is over: whatever still runs stops. */
    void (*close)(void *self, const char *why);
};

#endif
