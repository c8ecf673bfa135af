/* adopt.c - a plan becomes what jobs hold and when their ends are due. The order in which ends move
 * is the order in which they are handled when they are due together. */
#include "scheduler/engine/round.h"

#include <assert.h>

static void start_job(engine_t *self, struct job *job)
{
    assert(job->state == JOB_PENDING);
    job->state = JOB_RUNNING;
    if (job->attained_s == 0) /* else it lost its seat with a node */
        job->start_s = self->now_s;
    self->accepted += !job->submission->best_effort;
    jobs_append(&self->running, job);
}

static void hold_share(engine_t *self, struct job *job, const struct share *share)
{
    round_hold(self, job, share->level);
    job->finish_s = share->finish_s;
}

static const struct share *share_of(const engine_t *self, const struct job *job)
{
    return &self->plan->shares[job->place];
}

static void start_waiting(engine_t *self)
{
    for (size_t i = 0; i < self->pending.count; i++) {
        struct job *job = self->pending.items[i];
        const struct share *share = share_of(self, job);

        if (job->level > 0)
            start_job(self, job);
        else if (self->rules->wake == WAKE_EACH && share->start_s != NEVER_S)
            event_queue_add_wake(self->events, share->start_s);
    }
}

/* A job that grew in several steps needs to move only once, to its last end; but for wake-ups,
 * which disappear with the ends that pass over them (EF-Q13). */
static void adopt_growths(engine_t *self)
{
    const plan_t *plan = self->plan;
    const bool literally = self->rules->wake == WAKE_EACH;

    for (size_t i = 0; i < plan->growth_count; i++) {
        const struct growth *growth = &plan->growths[i];
        struct job *job = self->live.items[growth->place];

        if (job->state == JOB_PENDING)
            start_job(self, job);
        round_hold(self, job, growth->level);
        job->finish_s = growth->finish_s;
        plan->shares[growth->place].end_s = growth->end_s;
        if (literally)
            event_queue_move_end(self->events, job, growth->end_s);
    }
    for (size_t i = 0; i < plan->growth_count && !literally; i++)
        event_queue_move_end(self->events, self->live.items[plan->growths[i].place],
                             plan->shares[plan->growths[i].place].end_s);
}

/* Every end moves first; who waits starts afterwards, then jobs grow. */
static void adopt_then_start(engine_t *self)
{
    const plan_t *plan = self->plan;

    for (size_t i = 0; i < plan->count; i++) {
        struct job *job = self->live.items[plan->order[i]];

        hold_share(self, job, share_of(self, job));
        event_queue_move_end(self->events, job, share_of(self, job)->end_s);
    }
    if (self->rules->event == EVENT_LEAVES_WITH_PLAN)
        event_queue_remove(self->events, self->now_s);
    start_waiting(self);
    adopt_growths(self);
}

/* Who waits and gets nothing has an end in mind but none in the queue. */
static void adopt_one(engine_t *self, struct job *job)
{
    const struct share *share = share_of(self, job);

    hold_share(self, job, share);
    if (job->state == JOB_RUNNING && share->end_s != NEVER_S) {
        event_queue_move_end(self->events, job, share->end_s);
    } else if (job->state == JOB_RUNNING) {
        event_queue_drop_end(self->events, job);
        job->end_s = NEVER_S;
    } else if (share->level > 0) {
        start_job(self, job);
        event_queue_add_end(self->events, job, share->end_s);
    } else {
        job->end_s = share->end_s;
    }
}

static void adopt_in_order(engine_t *self)
{
    for (size_t i = 0; i < self->plan->count; i++) {
        struct job *job = self->live.items[self->plan->order[i]];

        if (self->rules->idle_keeps_end && share_of(self, job)->level == 0)
            round_hold(self, job, 0); /* EF-Q39 */
        else
            adopt_one(self, job);
    }
}

/* No end is planned: whoever gets GPUs, or a place where he takes turns, has started. */
static void adopt_levels(engine_t *self)
{
    for (size_t i = 0; i < self->plan->count; i++) {
        struct job *job = self->live.items[self->plan->order[i]];
        const struct share *share = share_of(self, job);

        round_hold(self, job, share->level);
        job->note = share->note;
        if (job->state == JOB_PENDING && share->level > 0)
            start_job(self, job);
    }
}

/* `job` has its place in a slice set, and perhaps its turn. */
static void seat(engine_t *self, struct job *job, bool turn)
{
    if (turn != (job->level > 0))
        round_hold(self, job, turn ? job->scaling->top : 0);
    if (job->state == JOB_PENDING)
        start_job(self, job);
}

/* Jobs are served in the order of the slice sets and of the turns in them; those without a set come
 * last, in the order of their admission. */
static void adopt_turns(engine_t *self)
{
    slice_sets_t *sets = self->plan->slice_sets;
    const struct jobs live = self->live;
    struct job **next;
    size_t count = 0;

    if (!sets->turns_changed)
        return;
    sets->turns_changed = false;
    self->layout_is_old = true;
    jobs_reserve(&self->scratch, live.count);
    next = self->scratch.items;
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++) {
            const struct slice_set *set = sets->classes[c].sets[k];

            for (size_t i = 0; i < set->job_count; i++) {
                struct job *job = &self->jobs[set->jobs[i]->arrival];

                seat(self, job, i < slice_set_running(set));
                next[count++] = job;
            }
        }
    for (size_t i = 0; i < self->pending.count; i++)
        if (self->pending.items[i]->state == JOB_PENDING)
            next[count++] = self->pending.items[i];
    assert(count == live.count);
    self->scratch.count = count;
    self->live = self->scratch;
    self->scratch = live;
}

/* Who runs on a lease, or on what was free, holds the GPUs that he asked for. */
static void adopt_leases(engine_t *self)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const bool runs = lease_of(self->plan->leases, job)->running;

        round_hold(self, job, runs ? job->scaling->top : 0);
        if (runs && job->state == JOB_PENDING)
            start_job(self, job);
    }
}

static void note_turned_away(engine_t *self)
{
    for (size_t i = 0; i < self->arrivals.count; i++)
        if (self->arrivals.items[i]->state == JOB_PENDING)
            self->arrivals.items[i]->was_turned_away = true;
}

static void drop_started(engine_t *self)
{
    jobs_keep(&self->pending, JOB_PENDING, JOB_PENDING);
}

static void serve_in_order(engine_t *self)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < self->plan->count; i++)
        jobs_append(&self->scratch, self->live.items[self->plan->service[i]]);
    for (size_t i = 0; i < self->plan->count; i++)
        self->live.items[i] = self->scratch.items[i];
}

void round_adopt(engine_t *self)
{
    if (self->plan->slice_sets) {
        adopt_turns(self);
        note_turned_away(self);
        drop_started(self);
        return;
    }
    if (self->plan->leases) {
        adopt_leases(self);
        drop_started(self);
        return;
    }
    switch (self->rules->adopt) {
    case ADOPT_IN_ORDER:
        adopt_in_order(self);
        break;
    case ADOPT_THEN_START:
        adopt_then_start(self);
        break;
    case ADOPT_LEVELS:
        adopt_levels(self);
        break;
    }
    drop_started(self);
    serve_in_order(self);
}

void round_rearrange(engine_t *self)
{
    const struct view view = round_look(self, 0);

    if (self->setting.policy->rearrange(&view, self->plan))
        round_adopt(self);
}

void round_adopt_proof(engine_t *self)
{
    const size_t running = self->running.count;

    for (size_t i = 0; i < running; i++)
        adopt_one(self, self->running.items[i]);
    for (size_t i = 0; i < self->pending.count; i++)
        adopt_one(self, self->pending.items[i]);
    drop_started(self);
}
