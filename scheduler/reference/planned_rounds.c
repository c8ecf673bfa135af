/* planned_rounds.c - the rounds of policies that plan ends: they turn a plan into the GPUs that
 * jobs hold, the times at which ends are due, and the charges of jobs. Ends that are due together
 * are handled in the order in which they moved. */
#include "scheduler/reference/artifact.h"

#include <assert.h>
#include <math.h>

static event_queue_t *events_of(engine_t *self)
{
    return artifact_of(self)->events;
}

static const struct share *share_of(const engine_t *self, const struct job *job)
{
    return &self->plan->shares[job->place];
}

/* EF-Q48 put right: a job uses no more GPUs than the cluster has, and only a number of GPUs up to
 * which its table has all rates. */
int planned_check(engine_t *self, struct job *job, struct error *error)
{
    const struct throughput_row *row = job->submission->throughput;
    const int cap = self->setting.policy->gpus_max(job, round_gpu_type(self, 0));
    const int most = cap < cluster_gpus(self->cluster) ? cap : cluster_gpus(self->cluster);
    int gpus = 0;

    for (int i = 0; i < row->level_count && row->gpus[i] <= most && row->iters_per_s[i] > 0; i++)
        gpus = row->gpus[i];
    return round_scale(self, job, row, gpus > 0 ? gpus : cap, error);
}

static void hold_share(engine_t *self, struct job *job, const struct share *share)
{
    round_hold(self, job, &share->grant);
    job->finish_s = share->finish_s;
}

/* A job that waits and gets nothing has an end in mind but none in the queue. */
static void adopt_one(engine_t *self, struct job *job)
{
    const struct share *share = share_of(self, job);

    hold_share(self, job, share);
    if (job->state == JOB_RUNNING && share->end_s != NEVER_S) {
        event_queue_move_end(events_of(self), job, share->end_s);
    } else if (job->state == JOB_RUNNING) {
        event_queue_drop_end(events_of(self), job);
        job->end_s = NEVER_S;
    } else if (grant_holds(&share->grant)) {
        round_start(self, job);
        event_queue_add_end(events_of(self), job, share->end_s);
    } else {
        job->end_s = share->end_s;
    }
}

void planned_adopt_in_order(engine_t *self)
{
    for (size_t i = 0; i < self->plan->count; i++)
        adopt_one(self, self->live.items[self->plan->order[i]]);
    round_drop_started(self);
    round_serve_in_order(self);
}

/* EF-Q39: a job that gets no GPU keeps its old end in a round that admits none. */
void planned_adopt_unless_idle(engine_t *self)
{
    for (size_t i = 0; i < self->plan->count; i++) {
        struct job *job = self->live.items[self->plan->order[i]];

        if (!grant_holds(&share_of(self, job)->grant))
            round_let_go(self, job);
        else
            adopt_one(self, job);
    }
    round_drop_started(self);
    round_serve_in_order(self);
}

void planned_adopt_proof(engine_t *self)
{
    const size_t running = self->running.count;

    for (size_t i = 0; i < running; i++)
        adopt_one(self, self->running.items[i]);
    for (size_t i = 0; i < self->pending.count; i++)
        adopt_one(self, self->pending.items[i]);
    round_drop_started(self);
}

static void start_waiting(engine_t *self)
{
    for (size_t i = 0; i < self->pending.count; i++) {
        struct job *job = self->pending.items[i];
        const struct share *share = share_of(self, job);

        if (job_holds(job))
            round_start(self, job);
        else if (loop_rules_of(self)->wake == wake_each && share->start_s != NEVER_S)
            event_queue_add_wake(events_of(self), share->start_s);
    }
}

/* Moves a job that grew in several steps only once, to its last end. Only wake-ups need each step,
 * as they disappear with the ends that pass over them (EF-Q13). */
static void adopt_growths(engine_t *self)
{
    const plan_t *plan = self->plan;
    const bool literally = loop_rules_of(self)->wake == wake_each;

    for (size_t i = 0; i < plan->growth_count; i++) {
        const struct growth *growth = &plan->growths[i];
        struct job *job = self->live.items[growth->place];

        if (job->state == JOB_PENDING)
            round_start(self, job);
        round_hold(self, job, &growth->grant);
        job->finish_s = growth->finish_s;
        plan->shares[growth->place].end_s = growth->end_s;
        if (literally)
            event_queue_move_end(events_of(self), job, growth->end_s);
    }
    for (size_t i = 0; i < plan->growth_count && !literally; i++)
        event_queue_move_end(events_of(self), self->live.items[plan->growths[i].place],
                             plan->shares[plan->growths[i].place].end_s);
}

static void move_ends(engine_t *self)
{
    for (size_t i = 0; i < self->plan->count; i++) {
        struct job *job = self->live.items[self->plan->order[i]];
        const struct share *share = share_of(self, job);

        hold_share(self, job, share);
        event_queue_move_end(events_of(self), job, share->end_s);
    }
}

static void start_then_grow(engine_t *self)
{
    start_waiting(self);
    adopt_growths(self);
    round_drop_started(self);
    round_serve_in_order(self);
}

/* Moves every end first. Then waiting jobs start, then jobs grow. */
void planned_adopt_then_start(engine_t *self)
{
    move_ends(self);
    start_then_grow(self);
}

void planned_adopt_and_leave(engine_t *self)
{
    move_ends(self);
    event_queue_remove(events_of(self), self->now_s);
    start_then_grow(self);
}

/* ---- wake-ups ---- */

void wake_never(engine_t *self)
{
    (void)self;
}

/* Wakes at the earliest planned change of all jobs, if it comes before every event. EF-Q44: ends
 * carry no overhead yet, so it hardly ever does. */
void wake_earliest(engine_t *self)
{
    const struct event *first = event_queue_first(events_of(self));
    int64_t earliest_s = NEVER_S;

    for (size_t i = 0; i < self->plan->count; i++)
        if (self->plan->shares[i].change_s < earliest_s)
            earliest_s = self->plan->shares[i].change_s;
    if (earliest_s != NEVER_S && (!first || earliest_s < first->at_s))
        event_queue_add_wake(events_of(self), earliest_s);
}

/* EF-Q13: wakes at every planned change of a running job, also at a change that only repeats the
 * job's end (EF-Q12). */
void wake_each(engine_t *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        const int64_t change_s = share_of(self, self->running.items[i])->change_s;

        if (change_s != NEVER_S)
            event_queue_add_wake(events_of(self), change_s);
    }
}

/* EF-Q13 put right: the next planned change of any job, also a start, wakes the scheduler and is
 * not lost to an end that moves over it. The change awaited before is forgotten, as each round
 * plans everything anew. Most changes are planned for the end of another job. These need no
 * wake-up: that end is about to move by its overhead, and the GPUs are not free before. */
void wake_next(engine_t *self)
{
    struct artifact *memory = artifact_of(self);
    int64_t next_s = NEVER_S;

    event_queue_await_no_more(memory->events, memory->wake_s);
    for (size_t i = 0; i < self->plan->count; i++) {
        const int64_t change_s = self->plan->shares[i].change_s;

        if (change_s < next_s && !event_queue_has(memory->events, change_s))
            next_s = change_s;
    }
    if (next_s != NEVER_S)
        event_queue_await(memory->events, next_s);
    memory->wake_s = next_s;
}

/* ---- overheads ---- */

/* EF-Q20: every job pays in every round. */
bool pays_always(const engine_t *self, const struct job *job)
{
    (void)self;
    (void)job;
    return true;
}

bool pays_for_changes(const engine_t *self, const struct job *job)
{
    return prices_moved(self->prices, job) || prices_restart(self->prices);
}

static void charge(engine_t *self, const struct jobs *jobs)
{
    loop_rules_of(self)->wake(self);
    if (event_queue_is_empty(events_of(self)))
        return;
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->items[i];

        if (!job_holds(job))
            continue;
        if (loop_rules_of(self)->pays(self, job))
            job->overhead_s = prices_of(self->prices, job);
        if (job->overhead_s > 0)
            event_queue_move_end(events_of(self), job, job->end_s + job->overhead_s);
    }
}

void planned_charge_running(engine_t *self)
{
    charge(self, &self->running);
}

void planned_charge_live(engine_t *self)
{
    charge(self, &self->live);
}

void planned_leave_and_charge(engine_t *self)
{
    event_queue_remove(events_of(self), self->now_s);
    charge(self, &self->running);
}

void planned_leave(engine_t *self)
{
    event_queue_remove(events_of(self), self->now_s); /* EF-Q38 */
}

/* ---- the end that is foreseen ---- */

/* EF-Q33: the end without the overhead. */
int64_t planned_foresee_bare(const engine_t *self, const struct job *job)
{
    const double pace = job->pace > 0 ? job->pace : 1;
    double left_s;

    if (job->finish_s == NEVER_S || job->finish_s == 0)
        return NEVER_S;
    left_s = (double)(job->finish_s - self->now_s) / pace;
    return left_s < 1e15 ? self->now_s + (int64_t)ceil(left_s) : NEVER_S;
}
