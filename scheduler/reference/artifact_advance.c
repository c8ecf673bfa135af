/* artifact_advance.c - when the next round is: what is folded into the end of the slot, what is forecast for
 * one round only, and rounds that come whatever happens. */
#include "scheduler/reference/artifact.h"

#include <stdlib.h>

void merge_unless_sole(engine_t *self)
{
    event_queue_merge(artifact_of(self)->events, self->now_s, self->setting.slot_s, true);
}

void merge_always(engine_t *self)
{
    event_queue_merge(artifact_of(self)->events, self->now_s, self->setting.slot_s, false);
}

void merge_never(engine_t *self)
{
    (void)self;
}

int64_t tick_never(const engine_t *self)
{
    (void)self;
    return NEVER_S;
}

/* GA-Q9: a slot later once no job is still to arrive. */
int64_t tick_after_arrivals(const engine_t *self)
{
    const bool is_over = self->live.count == 0;

    return is_over || event_queue_first(artifact_of(self)->events)
               ? NEVER_S
               : self->now_s + self->setting.slot_s;
}

int64_t tick_every_slot(const engine_t *self)
{
    const bool is_over =
        self->live.count == 0 && !event_queue_first(artifact_of(self)->events);

    return is_over ? NEVER_S : self->now_s + self->setting.slot_s;
}

/* A job that waits for what is gone is looked at again. */
static void wait_for_nodes(engine_t *self)
{
    if (self->next_s == NEVER_S && self->status.disturbed && self->live.count > 0) {
        self->next_s = self->now_s + self->setting.slot_s;
        event_queue_add_wake(artifact_of(self)->events, self->next_s);
    }
}

static int check_ends(const engine_t *self, struct error *error)
{
    if (self->next_s != NEVER_S || self->live.count == 0)
        return 0;
    return error_set(error, "job %s and %zu more never end: the event of their end was lost (EF-Q13)",
                     self->live.items[0]->submission->id, self->live.count - 1);
}

int artifact_advance(engine_t *self, struct error *error)
{
    const struct event *first;
    int64_t tick_s;

    if (self->status.rounds > 0)
        loop_rules_of(self)->merge(self);
    tick_s = loop_rules_of(self)->tick_s(self);
    first = event_queue_first(artifact_of(self)->events);
    self->next_s = first && first->at_s < tick_s ? first->at_s : tick_s;
    wait_for_nodes(self);
    if (check_ends(self, error) < 0)
        return -1;
    return round_check_endless(self, error);
}

/* ---- Tiresias: ends and demotions are worked out in each round anew ---- */

static int compare_forecast(const void *a, const void *b)
{
    return job_compare_size(*(struct job *const *)a, *(struct job *const *)b);
}

static int64_t find_next_ends(engine_t *self)
{
    struct jobs *forecast = &artifact_of(self)->forecast;
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const int64_t seen_s = job->level > 0 ? loop_rules_of(self)->seen_s(self, job) : NEVER_S;

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
    const int64_t next_s = find_next_ends(self);

    for (size_t i = 0; i < forecast->count; i++) {
        struct job *job = forecast->items[i];
        const int64_t end_s = job->end_s;

        event_queue_add_end(artifact_of(self)->events, job, next_s);
        job->end_s = end_s;
    }
}

/* The earliest change that the policy wants to see, but not within the slot. */
static void forecast_wake(engine_t *self)
{
    struct artifact *memory = artifact_of(self);
    const int64_t slot_end_s = self->now_s + self->setting.slot_s;

    for (size_t i = 0; i < self->plan->count && self->live.count > 0; i++)
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

void tiresias_collect(engine_t *self)
{
    artifact_collect_first(self);
    forget_forecast(artifact_of(self));
}

/* TI-Q9: jobs larger than the cluster are forgotten, so that a run may end while they wait. */
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
    wait_for_nodes(self);
    return round_check_endless(self, error);
}
