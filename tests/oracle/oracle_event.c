/* oracle_event.c - the event list (section 6) and how it moves on (section 8). */
#include "oracle_internal.h"

#include <math.h>
#include <string.h>

static struct event *event_at(const struct events *events, double time_s)
{
    for (size_t i = 0; i < events->count; i++)
        if (events->at[i].time_s == time_s)
            return &events->at[i];
    return NULL;
}

static struct event *event_new(struct oracle_call *call, struct events *events, double time_s)
{
    if (events->count == events->room) {
        events->room = 2 * events->room + 8;
        events->at = oracle_resize(call, events->at, events->room * sizeof(events->at[0]));
    }
    events->at[events->count] = (struct event){.serial = ++events->serial_last, .time_s = time_s};
    return &events->at[events->count++];
}

void oracle_event_drop(struct oracle_call *call, struct event *copy)
{
    oracle_jobs_drop(call, &copy->starts);
    oracle_jobs_drop(call, &copy->ends);
}

static void event_remove(struct oracle_call *call, struct events *events, struct event *event)
{
    size_t index = (size_t)(event - events->at);

    oracle_event_drop(call, event);
    memmove(event, event + 1, (events->count - index - 1) * sizeof(*event));
    events->count--;
}

void oracle_event_add_start(struct oracle_call *call, struct events *events, struct job *job)
{
    struct event *event = event_at(events, job->given->submit_s);

    if (!event)
        event = event_new(call, events, job->given->submit_s);
    oracle_jobs_append(call, &event->starts, job);
}

void oracle_event_add_end(struct oracle_call *call, struct events *events, struct job *job)
{
    struct event *event = event_at(events, job->end_s);

    if (!event)
        event = event_new(call, events, job->end_s);
    if (!oracle_jobs_have(&event->ends, job))
        oracle_jobs_append(call, &event->ends, job);
}

void oracle_event_move_end(struct oracle_call *call, struct events *events, struct job *job)
{
    struct event *event;

    if (job->end_old_s == job->end_s)
        return;
    event = event_at(events, job->end_old_s);
    if (event) {
        oracle_jobs_remove(&event->ends, job);
        /* EF-Q13: this may take a wake-up away that the job had nothing to do with. */
        if (event->starts.count == 0 && event->ends.count == 0)
            event_remove(call, events, event);
    }
    oracle_event_add_end(call, events, job);
}

void oracle_event_add_wakeup(struct oracle_call *call, struct events *events, double time_s)
{
    if (!event_at(events, time_s))
        event_new(call, events, time_s);
}

struct event oracle_event_copy(struct oracle_call *call, const struct events *events, double time_s)
{
    const struct event *event = event_at(events, time_s);
    struct event copy = {.time_s = time_s};

    if (!event)
        return copy;
    copy.serial = event->serial;
    oracle_jobs_append_all(call, &copy.starts, &event->starts);
    oracle_jobs_append_all(call, &copy.ends, &event->ends);
    return copy;
}

void oracle_events_remove(struct oracle_call *call, struct events *events, long serial)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->at[i].serial == serial) {
            event_remove(call, events, &events->at[i]);
            return;
        }
    }
}

void oracle_events_sort(struct events *events)
{
    for (size_t i = 1; i < events->count; i++) {
        struct event event = events->at[i];
        size_t to = i;

        for (; to > 0 && event.time_s < events->at[to - 1].time_s; to--)
            events->at[to] = events->at[to - 1];
        events->at[to] = event;
    }
}

/* EF-Q16: all that is due within a slot happens at the end of the slot, unless nothing else is
 * left. EF-Q2: only one of the two tests truncates; with whole seconds they are the same. */
void oracle_events_advance(struct oracle_call *call, struct events *events, double *now_s,
                           double *elapsed_s)
{
    double due_s;

    oracle_events_sort(events);
    due_s = events->at[0].time_s;
    while (trunc(due_s - *now_s) <= call->slot_s && events->count > 1) {
        struct event *first = &events->at[0];
        struct event *second = &events->at[1];

        first->time_s = *now_s + call->slot_s;
        if (second->time_s - *now_s > call->slot_s)
            break;
        due_s = second->time_s;
        oracle_jobs_append_all(call, &first->starts, &second->starts);
        oracle_jobs_append_all(call, &first->ends, &second->ends);
        event_remove(call, events, second);
    }
    *elapsed_s = trunc(events->at[0].time_s - *now_s);
    *now_s = events->at[0].time_s;
}
