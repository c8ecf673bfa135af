/* forecast.c - what is due next beside the events that the queue keeps: ends and wake-ups that are
 * worked out anew in each round, and rounds that come whatever happens. */
#include "scheduler/engine/round.h"

#include <stdlib.h>

/* When an end is seen; its GPUs are held until then. */
static int64_t seen_s(const engine_t *self, const struct job *job)
{
    const bool for_slot = self->rules->holds == HOLDS_FOR_SLOT;
    const int64_t from_s = self->now_s + (for_slot ? self->setting.slot_s : 1);

    return job->end_s > from_s ? job->end_s : from_s;
}

static int compare_forecast(const void *a, const void *b)
{
    return job_compare_size(*(struct job *const *)a, *(struct job *const *)b);
}

/* The jobs whose end is the next to be seen. */
static void forecast_ends(engine_t *self)
{
    int64_t next_s = NEVER_S;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const int64_t end_seen_s = job->level > 0 ? seen_s(self, job) : NEVER_S;

        if (end_seen_s == NEVER_S || end_seen_s > next_s)
            continue;
        if (end_seen_s < next_s)
            self->forecast.count = 0;
        next_s = end_seen_s;
        jobs_append(&self->forecast, job);
    }
    if (self->forecast.count > 1)
        qsort(self->forecast.items, self->forecast.count, sizeof(struct job *), compare_forecast);
    for (size_t i = 0; i < self->forecast.count; i++) {
        struct job *job = self->forecast.items[i];
        const int64_t end_s = job->end_s;

        event_queue_add_end(self->events, job, next_s);
        job->end_s = end_s;
    }
}

/* The earliest change that the policy wants to see, but not within the slot. */
static void forecast_wake(engine_t *self)
{
    const int64_t slot_end_s = self->now_s + self->setting.slot_s;

    for (size_t i = 0; i < self->plan->count; i++)
        if (self->plan->shares[i].change_s < self->wake_s)
            self->wake_s = self->plan->shares[i].change_s;
    if (self->wake_s == NEVER_S)
        return;
    self->wake_s = self->wake_s < slot_end_s ? slot_end_s : self->wake_s;
    event_queue_await(self->events, self->wake_s);
}

/* The first of the times that `step_s` divides which is not before `from_s`. */
static int64_t round_up(int64_t from_s, int64_t step_s)
{
    return (from_s + step_s - 1) / step_s * step_s;
}

int64_t round_sees_arrival_s(const engine_t *self, const struct job *job)
{
    return self->rules->tick == TICK_AT_LEASES
               ? round_up(job->submission->submit_s, self->setting.leasing.admission_s)
               : job->submission->submit_s;
}

/* When something happens to a running job: it ends, or outlives its estimate, which on a lease does not
 * count before the lease is over. Whoever did so before, and is out of hope since, does so again. */
static int64_t change_due_s(const struct lease *lease)
{
    const int64_t end_s = lease_end_due_s(lease);
    const int64_t used_up_s = lease->since_s + lease->estimate_s - lease->job->attained_s;
    const bool settled = lease->out_of_plan && lease->class >= LEASE_UNACCEPTED;

    return lease->held || settled || end_s < used_up_s ? end_s : used_up_s;
}

/* The first check of the jobs that sees anything of the kind; NEVER_S if nobody runs. */
static int64_t change_seen_s(const engine_t *self)
{
    const int64_t check_s = self->setting.leasing.check_s;
    int64_t first_s = NEVER_S;

    for (size_t i = 0; i < self->live.count; i++) {
        const struct job *job = self->live.items[i];
        int64_t seen_at_s;

        if (job->level == 0)
            continue;
        seen_at_s = round_up(change_due_s(lease_of(self->plan->leases, job)), check_s);
        first_s = seen_at_s < first_s ? seen_at_s : first_s;
    }
    return first_s > self->now_s ? first_s : round_up(self->now_s + 1, check_s);
}

/* The next lease round or admission, or the check before it that sees a change. Short leases, and checks
 * at odd times (CH-Q6), are more than that. */
static int64_t lease_tick_s(const engine_t *self)
{
    const struct leasing *leasing = &self->setting.leasing;
    const int64_t lease_s = round_up(self->now_s + 1, leasing->lease_s);
    const int64_t admission_s = round_up(self->now_s + 1, leasing->admission_s);
    const int64_t planned_s = lease_s < admission_s ? lease_s : admission_s;
    int64_t seen_s;

    if (self->live.count == 0)
        return NEVER_S;
    if (leasing->lease_s <= SHORT_LEASE_S || leasing->check_s % 2 == 1)
        return round_up(self->now_s + 1, leasing->check_s);
    if (planned_s - self->now_s <= leasing->check_s)
        return planned_s;
    seen_s = change_seen_s(self);
    return seen_s < planned_s ? seen_s : planned_s;
}

/* When there is a round whatever is due; NEVER_S if there is none. */
static int64_t tick_s(const engine_t *self, const struct event *first)
{
    if (self->rules->tick == TICK_AT_LEASES)
        return lease_tick_s(self);
    if (self->rules->tick == TICK_NEVER || (self->live.count == 0 && !first))
        return NEVER_S;
    if (self->rules->tick == TICK_AFTER_ARRIVALS && first)
        return NEVER_S;
    return self->now_s + self->setting.slot_s;
}

int64_t round_forecast(engine_t *self)
{
    const struct event *first;
    int64_t next_s;

    if (self->rules->ends == ENDS_ARE_FORECAST)
        forecast_ends(self);
    if (self->rules->wake == WAKE_AFTER_SLOT)
        forecast_wake(self);
    first = event_queue_first(self->events);
    next_s = tick_s(self, first);
    return first && first->at_s < next_s ? first->at_s : next_s;
}

void round_forget_forecast(engine_t *self)
{
    for (size_t i = 0; i < self->forecast.count; i++)
        event_queue_drop_end(self->events, self->forecast.items[i]);
    self->forecast.count = 0;
    if (self->rules->wake != WAKE_AFTER_SLOT || self->wake_s == NEVER_S)
        return;
    event_queue_await_no_more(self->events, self->wake_s);
    self->wake_s = NEVER_S;
}
