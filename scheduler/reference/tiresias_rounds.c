/* tiresias_rounds.c - the rounds of Tiresias: ends and demotions are forecast in each round
 * anew. */
#include "scheduler/reference/artifact.h"
#include "scheduler/reference/way_out.h"

#include <inttypes.h>
#include <stdlib.h>

/* TI-Q4: a job holds its GPUs until the slot is over, if its end comes before. */
int64_t seen_after_slot(const engine_t *self, const struct job *job)
{
    const int64_t from_s = self->now_s + self->setting.slot_s;

    return job->end_s > from_s ? job->end_s : from_s;
}

int64_t seen_at_end(const engine_t *self, const struct job *job)
{
    return job->end_s > self->now_s + 1 ? job->end_s : self->now_s + 1;
}

/* TI-Q1: the overhead is foreseen in rounds of restarts only. */
bool foresees_restarts(const engine_t *self)
{
    return prices_restart(self->prices);
}

bool foresees_always(const engine_t *self)
{
    (void)self;
    return true;
}

/* Forecasts the end of each job as if the job were left alone. */
void tiresias_charge(engine_t *self)
{
    const bool restart = prices_restart(self->prices);
    const bool foreseen = loop_rules_of(self)->foresees(self);

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (!job_holds(job))
            continue;
        if (restart || job->resumed_s == self->now_s)
            job->overhead_s = prices_of_new(self->prices, job_gpus(job));
        job->end_s = self->now_s + job->submission->duration_s - job->attained_s +
                     (foreseen ? job->overhead_s : 0);
    }
}

/* ---- stale ends ---- */

/* Replaces the ends that happen with the next arrival by the forecast ends. */
static void attach_ends(struct artifact *memory)
{
    memory->stale_count = 0;
    for (size_t i = 0; i < memory->forecast.count; i++) {
        const struct job *job = memory->forecast.items[i];

        memory->stale = grow_array(memory->stale, memory->stale_count, &memory->stale_room,
                                   sizeof(*memory->stale));
        memory->stale[memory->stale_count++] =
            (struct stale_end){job->submission, job->row, job->end_s};
    }
}

static void renew_stale_end(struct artifact *memory, const struct job *job)
{
    for (size_t i = 0; i < memory->stale_count; i++)
        if (memory->stale[i].submission == job->submission)
            memory->stale[i].end_s = job->end_s;
}

/* TI-Q11: looking for the earliest end, the artifact goes through jobs by falling size and arrival,
 * and notes each end that is no later than the ends before it. The last note is when the job
 * ends. */
static void renew_stale_ends(engine_t *self)
{
    struct artifact *memory = artifact_of(self);
    int64_t earliest_s = NEVER_S;

    for (size_t i = 0; i < memory->placed.count && memory->stale_count > 0; i++) {
        const struct job *job = memory->placed.items[i].job;
        const int64_t seen_s = loop_rules_of(self)->seen_s(self, job);

        if (seen_s > earliest_s)
            continue;
        earliest_s = seen_s;
        renew_stale_end(memory, job);
    }
}

/* Keeps the forecast ends for the next arrival, except in a disturbed run, where a job ends when it
 * is done. */
void stale_ends_happen(engine_t *self, bool with_arrival)
{
    if (self->status.disturbed)
        artifact_of(self)->stale_count = 0;
    else if (with_arrival)
        attach_ends(artifact_of(self));
    else
        renew_stale_ends(self);
}

void stale_ends_are_forgotten(engine_t *self, bool with_arrival)
{
    (void)self;
    (void)with_arrival;
}

/* Has the stale ends happen as jobs arrive, in place of the forecast ends. */
static int take_stale_ends(engine_t *self, struct error *error)
{
    struct artifact *memory = artifact_of(self);

    if (memory->stale_count > 0)
        self->due.count = 0;
    for (size_t i = 0; i < memory->stale_count; i++) {
        const struct stale_end *stale = &memory->stale[i];
        struct job *job = job_table_find(self->jobs, stale->row, stale->submission->number);
        const bool is_over = !job || job_is_over(job);

        if (is_over || job->state != JOB_RUNNING || !job_holds(job))
            return error_set(
                error,
                "job %s: the artifact aborts here: it ends the job with the arrival at "
                "%" PRId64 " s, for which its end was forecast, but the job %s (TI-Q11); " WAY_OUT,
                stale->submission->id, self->now_s, is_over ? "has ended before" : "waits");
        job->end_s = stale->end_s;
        jobs_append(&self->due, job);
    }
    memory->stale_count = 0;
    return 0;
}

/* ---- forecasts ---- */

static int compare_forecast(const void *a, const void *b)
{
    return job_compare_size(*(struct job *const *)a, *(struct job *const *)b);
}

/* The time of the next arrival if it is the first event; NEVER_S if it is not. */
static int64_t next_arrival_s(const engine_t *self)
{
    const struct event *first = event_queue_first(artifact_of(self)->events);

    return first && first->starts ? first->at_s : NEVER_S;
}

static int64_t find_next_ends(engine_t *self)
{
    struct jobs *forecast = &artifact_of(self)->forecast;
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const int64_t seen_s = job_holds(job) ? loop_rules_of(self)->seen_s(self, job) : NEVER_S;

        if (seen_s == NEVER_S || seen_s > next_s)
            continue;
        if (seen_s < next_s)
            forecast->count = 0;
        next_s = seen_s;
        jobs_append(forecast, job);
    }
    if (forecast->count > 1)
        qsort(forecast->items, forecast->count, sizeof(struct job *), compare_forecast);
    return next_s;
}

/* The jobs whose end is the next to be seen. */
static void forecast_ends(engine_t *self)
{
    const struct jobs *forecast = &artifact_of(self)->forecast;
    const int64_t arrival_s = next_arrival_s(self);
    const int64_t next_s = find_next_ends(self);

    for (size_t i = 0; i < forecast->count; i++) {
        struct job *job = forecast->items[i];
        const int64_t end_s = job->end_s;

        event_queue_add_end(artifact_of(self)->events, job, next_s);
        job->end_s = end_s;
    }
    loop_rules_of(self)->keep_stale_ends(self, next_s != NEVER_S && next_s == arrival_s);
}

/* The earliest change that the policy wants to see, but not within the slot. */
static void forecast_wake(engine_t *self)
{
    struct artifact *memory = artifact_of(self);
    const int64_t slot_end_s = self->now_s + self->setting.slot_s;

    for (size_t i = 0; i < self->plan->count; i++)
        if (self->plan->shares[i].change_s < memory->wake_s)
            memory->wake_s = self->plan->shares[i].change_s;
    if (memory->wake_s == NEVER_S)
        return;
    memory->wake_s = memory->wake_s < slot_end_s ? slot_end_s : memory->wake_s;
    event_queue_await(memory->events, memory->wake_s);
}

static void forget_forecast(struct artifact *memory)
{
    for (size_t i = 0; i < memory->forecast.count; i++)
        event_queue_drop_end(memory->events, memory->forecast.items[i]);
    memory->forecast.count = 0;
    if (memory->wake_s == NEVER_S)
        return;
    event_queue_await_no_more(memory->events, memory->wake_s);
    memory->wake_s = NEVER_S;
}

int tiresias_collect(engine_t *self, struct error *error)
{
    (void)artifact_collect(self, error);
    if (self->arrivals.count > 0 && take_stale_ends(self, error) < 0)
        return -1;
    event_queue_remove(artifact_of(self)->events, self->now_s);
    forget_forecast(artifact_of(self));
    return 0;
}

/* TI-Q9: forgets jobs larger than the cluster, so that a run may end while they wait. */
int tiresias_advance(engine_t *self, struct error *error)
{
    const struct event *first;

    forget_forecast(artifact_of(self));
    if (self->status.rounds > 0)
        loop_rules_of(self)->merge(self);
    forecast_ends(self);
    forecast_wake(self);
    first = event_queue_first(artifact_of(self)->events);
    self->next_s = first ? first->at_s : NEVER_S;
    artifact_wait_for_nodes(self);
    return round_check_endless(self, error);
}
