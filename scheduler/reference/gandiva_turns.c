/* gandiva_turns.c - see gandiva_turns.h. */
#include "scheduler/reference/gandiva_turns.h"

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

static void hold_turn(engine_t *self, struct job *job, bool runs)
{
    if (!runs)
        round_hold(self, job, 0);
    else if (job->level == 0)
        round_hold(self, job, job->scaling->top);
}

/* The jobs of a set have their places in it, and the first ones their turns. */
static size_t serve_set(engine_t *self, const struct slice_set *set, struct job **served)
{
    const size_t running = slice_set_running(set);

    for (size_t i = 0; i < set->job_count; i++) {
        served[i] = job_table_at(self->jobs, set->jobs[i]->row);
        hold_turn(self, served[i], i < running);
    }
    return set->job_count;
}

/* Jobs are served in the order of the slice sets and of the turns in them; those without a set come
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

/* GA-Q10: a job that waits pays anew in each round that charges, and is forgiven at the end of the
 * round if it was turned away. */
static void settle_charges(const struct gandiva_memory *memory, struct job *job)
{
    struct gandiva_job *own = gandiva_job_of(memory, job);

    if (own->charges == memory->charges)
        return;
    own->charges = memory->charges;
    job->overhead_s =
        own->turned_away && !memory->charged ? 0 : memory->charge_s[slice_set_class_of(job)];
}

static void step_forward(engine_t *self, struct job *job)
{
    struct gandiva_memory *memory = memory_of(self);
    struct gandiva_job *own = gandiva_job_of(memory, job);

    if (own->serving + 1 != memory->servings)
        settle_charges(memory, job);
    own->serving = memory->servings;
    hold_turn(self, job, true);
    jobs_append(&self->scratch, job);
}

/* A job that loses its turn at the end of a round that charged is forgiven then. */
static void step_back(engine_t *self, struct job *job)
{
    const struct gandiva_memory *memory = memory_of(self);
    struct gandiva_job *own = gandiva_job_of(memory, job);

    if (own->serving == memory->servings)
        return;
    hold_turn(self, job, false);
    if (own->turned_away && memory->charged)
        job->overhead_s = 0;
    own->charges = memory->charges;
}

static size_t serve_front_of(engine_t *self, const struct slice_set *set)
{
    const size_t running = slice_set_running(set);

    for (size_t i = 0; i < running; i++)
        step_forward(self, job_table_at(self->jobs, set->jobs[i]->row));
    return set->job_count;
}

static void copy_jobs(struct jobs *to, const struct jobs *from)
{
    to->count = 0;
    for (size_t i = 0; i < from->count; i++)
        jobs_append(to, from->items[i]);
}

static void serve_front(engine_t *self)
{
    const slice_sets_t *sets = memory_of(self)->sets;
    const size_t live_count = round_live_count(self);
    const struct jobs live = self->live;
    size_t count = self->pending.count;

    memory_of(self)->servings++;
    self->scratch.count = 0;
    for (int c = 0; c < sets->class_count; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            count += serve_front_of(self, sets->classes[c].sets[k]);
    assert(count == live_count);
    for (size_t i = 0; i < live.count; i++)
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

    start_found(self);
    if (sets->turns_changed)
        self->layout_is_old = true;
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
