/* round.h - the engine's insides, shared by the files of its stages only. */
#ifndef ENGINE_ROUND_H
#define ENGINE_ROUND_H

#include "common/memory.h"
#include "scheduler/backend/backend_sim.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/metrics.h"
#include "scheduler/plan/plan.h"
#include "scheduler/reference/event_queue.h"
#include "scheduler/state/cluster.h"

/* Jobs in some order. */
struct jobs {
    struct job **items;
    size_t count;
    size_t capacity;
};

/* Jobs with the same table row and cap share one scaling. */
struct scalings {
    struct scaling **items;
    size_t count;
    size_t capacity;
};

struct engine {
    struct engine_setting setting;
    const struct round_rules *rules;
    report_t *report;
    struct job *jobs; /* in the order of their arrival */
    arena_t *submissions;
    metrics_t *metrics;
    cluster_t *cluster;
    event_queue_t *events;
    overheads_t *overheads;
    plan_t *plan;
    struct scalings scalings;

    int64_t first_submit_s;
    int64_t last_retired_s;
    int64_t now_s;
    int64_t elapsed_s;    /* since the round before */
    int64_t event_s;      /* when a job last arrived or ended */
    bool layout_is_old;   /* somebody got or lost GPUs since the last placement */
    bool layout_is_empty; /* nodes left or came, so that it was given up */
    bool order_matters;  /* a layout depends on the order in which nodes came free: EF-Q4, EF-Q23 */
    int64_t wake_s;      /* the planned change that is waited for, NEVER_S for none */
    struct jobs live;    /* in the order of service */
    struct jobs running; /* in the order of start; also those that hold no GPU at the moment */
    struct jobs pending; /* in the order of admission */
    struct jobs arrivals; /* of this round */
    struct jobs due;      /* whose end is due in this round */
    struct jobs forecast; /* whose end is in the event queue until it happens or is forecast anew */
    struct jobs scratch;
    struct placement_request *requests;
    size_t request_capacity;
    struct placement_request *placed; /* the requests that gave the layout in force */
    size_t placed_count;
    size_t placed_capacity;

    int64_t job_count;
    int64_t deadline_jobs;
    int64_t arrived;
    size_t admitted; /* in this round */
    int64_t accepted;
    int64_t declined;
    int64_t settled;
    int64_t rounds;
    int64_t held_gpu_s;
    int64_t idle_rounds; /* since the last iteration or arrival */

    /* On a real cluster. */
    struct jobs assigned; /* held GPUs under the last orders */
    arena_t *orders_memory;
    bool troubled;         /* something went otherwise than planned, in this round or before */
    char disturbance[256]; /* what it was in this round, or "" */
};

/* Makes room for `count` jobs. */
void jobs_reserve(struct jobs *jobs, size_t count);

static inline void jobs_append(struct jobs *jobs, struct job *job)
{
    jobs->items = grow_array(jobs->items, jobs->count, &jobs->capacity, sizeof(*jobs->items));
    jobs->items[jobs->count++] = job;
}

/* Drops every job that is no longer in one of the two states. */
void jobs_keep(struct jobs *jobs, enum job_state one, enum job_state other);

/* The stages, in their order; each returns -1 with `error` where the artifact aborts. */
int round_progress(engine_t *self, struct error *error);
int round_retire(engine_t *self, struct error *error);
int round_admit(engine_t *self, struct error *error);
int round_allocate(engine_t *self, struct error *error);
int round_place(engine_t *self, struct error *error);
void round_charge(engine_t *self);

/* What a job that holds GPUs pays for this round, as the overhead model has it. */
int round_price(const engine_t *self, const struct job *job);

/* Real clusters only: sees which nodes and jobs are still there; hands the layout to the trainers; corrects what
 * the model credits `job` with; marks jobs whose deadline is in danger. */
int round_take_stock(engine_t *self, struct error *error);
int round_carry_out(engine_t *self, struct error *error);
void round_correct(engine_t *self, struct job *job, struct progress *progress);
void round_mark_risks(engine_t *self);

/* Real clusters only: `job` is due; it is behind if its trainers are not done. */
void round_check_end(engine_t *self, struct job *job);

/* Whether `job` has work left, in a run in which that does not follow from the plan. */
bool round_is_unfinished(const engine_t *self, const struct job *job);

/* Iterations/s that are expected of `job` on the GPUs that it holds, and how many it has done. */
double round_expected_rate(const engine_t *self, const struct job *job);
int64_t round_step(const engine_t *self, const struct job *job);

/* Makes `plan` what jobs hold. */
void round_adopt(engine_t *self);

/* The same for a plan that just proved an admission, when arrivals are decided one by one. */
void round_adopt_proof(engine_t *self);

/* Shows the live jobs, the last `arrival_count` of which just arrived. Each learns its place. */
struct view round_look(engine_t *self, size_t arrival_count);

/* Lets the policy change its slice sets before the interval that just ended is credited. */
void round_rearrange(engine_t *self);

/* When the round is that sees `job` arrive. */
int64_t round_sees_arrival_s(const engine_t *self, const struct job *job);

/* Adds to the events that the queue keeps what is due besides. Returns when the next round is, NEVER_S
 * for no more. What was added is forgotten when that round has come. */
int64_t round_forecast(engine_t *self);
void round_forget_forecast(engine_t *self);

/* `job` holds so much from now on. */
static inline void round_hold(engine_t *self, struct job *job, int level)
{
    if (job->level == level)
        return;
    if (job->level == 0)
        job->resumed_s = self->now_s;
    job->level = level;
    self->layout_is_old = true;
}

/* Takes `job` off its GPUs, if it holds any; or all `jobs` in their order. Nothing happens where that
 * order does not matter: placement then empties the layout as a whole. */
int round_release(engine_t *self, struct job *job, struct error *error);
int round_release_all(engine_t *self, const struct jobs *jobs, struct error *error);

#endif
