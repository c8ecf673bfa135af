/* event_queue.h - the events to come: arrivals of jobs, ends of jobs, or only a look at the clock
 * (a wake-up). Each time has at most one event.
 *
 * The end of a job is in at most one event. Its place among the ends of that event is the order in
 * which ends are handled. */
#ifndef REFERENCE_EVENT_QUEUE_H
#define REFERENCE_EVENT_QUEUE_H

#include "scheduler/plan/side_table.h"

#include <stdbool.h>
#include <stdint.h>

/* A job that arrives with an event, or whose end is due with it. */
struct due {
    struct job *job;
    struct event *event; /* the event in which the job's end is due; NULL for none */
    struct due *next;
    struct due *previous;
};

struct event {
    int64_t at_s;
    struct due *starts;
    struct due *starts_last;
    struct due *ends;
    struct due *ends_last;
    bool awaited; /* the event stays when empty, as a round is wanted then */
    bool gone;    /* the event is not in the queue any more; its memory is used again later */
    struct event *free_next;
};

typedef struct event_queue event_queue_t;

event_queue_t *event_queue_new(void);
void event_queue_destroy(event_queue_t **self);

bool event_queue_is_empty(const event_queue_t *self);

/* The earliest event, NULL if there is none. */
struct event *event_queue_first(event_queue_t *self);

/* Adds the arrival of `job` at `at_s`. */
void event_queue_add_start(event_queue_t *self, struct job *job, int64_t at_s);

/* Moves the end of `job` from job->end_s to `at_s` and sets job->end_s. Nothing happens if both are
 * equal. An event left empty disappears unless it is awaited, even if a round was wanted then
 * (EF-Q13). */
void event_queue_move_end(event_queue_t *self, struct job *job, int64_t at_s);

/* Adds the end of `job`, which has no end in the queue, at `at_s` and sets job->end_s, which may be
 * `at_s` already. */
void event_queue_add_end(event_queue_t *self, struct job *job, int64_t at_s);

/* The event in which the end of `job` is due; NULL for none. */
struct event *event_queue_end_of(event_queue_t *self, const struct job *job);

/* Takes the arrival of `job` out of the queue. An event left empty disappears unless it is
 * awaited. */
void event_queue_drop_start(event_queue_t *self, struct job *job);

/* Takes the end of `job`, if there is one, out of the queue. */
void event_queue_drop_end(event_queue_t *self, struct job *job);

/* Whether an event is due at `at_s`. */
bool event_queue_has(const event_queue_t *self, int64_t at_s);

/* Makes sure that there is an event at `at_s`. */
void event_queue_add_wake(event_queue_t *self, int64_t at_s);

/* Makes sure that there is an event at `at_s`, which stays until it is due or no longer awaited. */
void event_queue_await(event_queue_t *self, int64_t at_s);

/* Ends the wait for `at_s`. An empty event at that time disappears. */
void event_queue_await_no_more(event_queue_t *self, int64_t at_s);

/* Takes out the event at `at_s`, if there is one, with the ends still in it. */
void event_queue_remove(event_queue_t *self, int64_t at_s);

/* Merges events due before `now_s` into an event at `now_s`; only rounds that come late find such
 * events. Returns the earliest event, NULL for none. */
struct event *event_queue_catch_up(event_queue_t *self, int64_t now_s);

/* Moves the first event, if due within `slot_s`, to the end of the slot, and folds all events until
 * then into it. EF-Q16, CO-Q2: with `unless_sole` the only event of the queue keeps its time. */
void event_queue_merge(event_queue_t *self, int64_t now_s, int64_t slot_s, bool unless_sole);

#endif
