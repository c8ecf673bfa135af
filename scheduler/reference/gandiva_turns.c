/* gandiva_turns.c - see gandiva_turns.h. */
#include "scheduler/reference/gandiva_turns.h"

#include "scheduler/plan/level.h"

#include <assert.h>

static struct gandiva_memory *memory_of(const engine_t *self)
{
    return self->memory;
}

static bool sets_aside(const engine_t *self)
{
    return self->setting.sets_aside && !self->status.disturbed;
}

static void start_found(engine_t *self)
{
    struct gandiva_memory *memory = memory_of(self);

    for (size_t i = 0; i < memory->seats.found.count; i++) {
        struct job *job = job_table_at(self->jobs, memory->seats.found.items[i]->row);

        round_start(self, job);
        gandiva_job_of(memory, job)->charges = memory->charges;
    }
    jobs_drop(&self->pending, JOB_PENDING, memory->seats.found.count);
    memory->seats.found.count = 0;
}

/* ---- all jobs are live ---- */

static void hold_all(engine_t *self, struct job *job)
{
    const struct grant all = level_grant_here(job, job->scaling->top);

    round_hold(self, job, &all);
}

static void hold_turn(engine_t *self, struct job *job, bool runs)
{
    if (!runs)
        round_let_go(self, job);
    else if (!job_holds(job))
        hold_all(self, job);
}

/* Gives the jobs of a set their places, and the first jobs their turns. */
static size_t serve_set(engine_t *self, const struct slice_set *set, struct job **served)
{
    const size_t running = slice_set_running(set);

    for (size_t i = 0; i < set->job_count; i++) {
        served[i] = job_table_at(self->jobs, set->jobs[i]->row);
        hold_turn(self, served[i], i < running);
    }
    return set->job_count;
}

/* Serves jobs in the order of the slice sets and of the turns in the sets. Jobs without a set come
 * last, in the order of their admission. */
static void serve_all(engine_t *self)
{
    const slice_sets_t *sets = memory_of(self)->sets;
    const struct jobs live = self->live;
    struct job **served;
    size_t count = 0;

    list_reserve(&self->scratch, round_live_count(self));
    served = self->scratch.items;
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            count += serve_set(self, sets->classes[c].sets[k], served + count);
    for (size_t i = 0; i < self->pending.count; i++)
        served[count++] = self->pending.items[i];
    assert(count == round_live_count(self));
    self->scratch.count = count;
    self->live = self->scratch;
    self->scratch = live;
    self->aside = 0;
    places_forget(&self->places, 0);
}

/* ---- jobs in front are live ---- */

/* GA-Q10: a waiting job pays anew in each round that charges. A job that was turned away is
 * forgiven at the end of the round. */
static void settle_charges(const struct gandiva_memory *memory, struct job *job)
{
    struct gandiva_job *own = gandiva_job_of(memory, job);

    if (own->charges == memory->charges)
        return;
    own->charges = memory->charges;
    job->overhead_s =
        own->turned_away && !memory->charged ? 0 : memory->charge_s[slice_set_class_of(job)];
}

/* Puts the job in its place among the live jobs. A job that held no GPU was set aside. */
static void step_forward(engine_t *self, struct job *job, size_t place)
{
    job->place = place;
    if (job_holds(job))
        return;
    settle_charges(memory_of(self), job);
    hold_all(self, job);
}

/* A job that loses its turn at the end of a round that charged is forgiven then. */
static void step_back(engine_t *self, struct job *job)
{
    const struct gandiva_memory *memory = memory_of(self);
    struct gandiva_job *own = gandiva_job_of(memory, job);

    round_let_go(self, job);
    if (own->turned_away && memory->charged)
        job->overhead_s = 0;
    own->charges = memory->charges;
}

/* Adds the jobs in front of `set` to engine->scratch, which has room. */
static void serve_front_of(engine_t *self, const struct slice_set *set)
{
    const size_t running = slice_set_running(set);
    struct jobs *served = &self->scratch;

    for (size_t i = 0; i < running; i++) {
        struct job *job = job_table_at(self->jobs, set->jobs[i]->row);

        step_forward(self, job, served->count);
        served->items[served->count++] = job;
    }
}

/* Returns how many jobs the sets have. */
static size_t serve_front_of_all(engine_t *self)
{
    const slice_sets_t *sets = memory_of(self)->sets;
    size_t count = 0;

    self->scratch.count = 0;
    list_reserve(&self->scratch, (size_t)cluster_gpus(self->cluster));
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++) {
            serve_front_of(self, sets->classes[c].sets[k]);
            count += sets->classes[c].sets[k]->job_count;
        }
    return count;
}

static bool is_at(const struct jobs *jobs, const struct job *job)
{
    return job->place < jobs->count && jobs->items[job->place] == job;
}

static void copy_jobs(struct jobs *to, const struct jobs *from)
{
    list_reserve(to, from->count);
    for (size_t i = 0; i < from->count; i++)
        to->items[i] = from->items[i];
    to->count = from->count;
}

static void serve_front(engine_t *self)
{
    const size_t live_count = round_live_count(self);
    const struct jobs live = self->live;
    const size_t count = serve_front_of_all(self) + self->pending.count;

    assert(count == live_count);
    for (size_t i = 0; i < live.count; i++)
        if (!is_at(&self->scratch, live.items[i]))
            step_back(self, live.items[i]);
    self->live = self->scratch;
    self->scratch = live;
    self->aside = count - self->live.count;
    copy_jobs(&self->running, &self->live);
    places_forget(&self->places, 0);
}

/* Arrivals that found no set come last among the live jobs. */
static void set_arrivals_aside(engine_t *self)
{
    while (self->live.count > 0 && self->live.items[self->live.count - 1]->state == JOB_PENDING) {
        self->live.count--;
        self->aside++;
    }
    places_forget(&self->places, self->live.count);
}

void gandiva_serve(engine_t *self)
{
    slice_sets_t *sets = memory_of(self)->sets;

    if (memory_of(self)->seats.found.count > 0)
        start_found(self);
    self->layout_is_old = self->layout_is_old || sets->turns_changed;
    if (sets->turns_changed && sets_aside(self))
        serve_front(self);
    else if (sets->turns_changed)
        serve_all(self);
    else if (sets_aside(self))
        set_arrivals_aside(self);
    sets->turns_changed = false;
}

static void settle_set(engine_t *self, const struct slice_set *set)
{
    for (size_t i = slice_set_running(set); i < set->job_count; i++)
        settle_charges(memory_of(self), job_table_at(self->jobs, set->jobs[i]->row));
}

void gandiva_gather(engine_t *self)
{
    const slice_sets_t *sets = memory_of(self)->sets;

    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            settle_set(self, sets->classes[c].sets[k]);
    serve_all(self);
    copy_jobs(&self->running, &self->live);
    jobs_keep(&self->running, JOB_RUNNING);
}
