/* event_queue.h - what is due when: jobs that arrive, jobs whose end is due, or nothing but a look
 * at the clock (a wake-up). There is one event for each time.
 *
 * A job's end is in at most one event; its place among the ends of that event is the order in which
 * ends are handled. */
#ifndef REFERENCE_EVENT_QUEUE_H
#define REFERENCE_EVENT_QUEUE_H

#include "scheduler/plan/side_table.h"

#include <stdbool.h>
#include <stdint.h>

/* A job that arrives with an event, or whose end is due with it. */
struct due {
    struct job *job;
    struct event *event; /* in which its end is due; NULL if in none */
    struct due *next;
    struct due *previous;
};

struct event {
    int64_t at_s;
    struct due *starts;
    struct due *starts_last;
    struct due *ends;
    struct due *ends_last;
    bool awaited; /* stays when it is left empty: a round is wanted then */
    bool gone;    /* no longer in the queue; its memory is used again later */
    struct event *free_next;
};

typedef struct event_queue event_queue_t;

event_queue_t *event_queue_new(void);
void event_queue_destroy(event_queue_t **self);

bool event_queue_is_empty(const event_queue_t *self);

/* The earliest event, NULL if there is none. */
struct event *event_queue_first(event_queue_t *self);

/* `job` arrives at `at_s`. */
void event_queue_add_start(event_queue_t *self, struct job *job, int64_t at_s);

/* Moves the end of `job` from job->end_s to `at_s` and sets job->end_s; nothing happens if they are
 * equal. An event that is left empty disappears, even if a round was wanted then
 * (EF-Q13), unless it is awaited. */
void event_queue_move_end(event_queue_t *self, struct job *job, int64_t at_s);

/* The same for a job that has no end in the queue, also if job->end_s is `at_s` already. */
void event_queue_add_end(event_queue_t *self, struct job *job, int64_t at_s);

/* The event in which the end of `job` is due; NULL if in none. */
struct event *event_queue_end_of(event_queue_t *self, const struct job *job);

/* Takes `job`, which was to arrive, out of the queue. An event that is left empty disappears,
 * unless it is awaited. */
void event_queue_drop_start(event_queue_t *self, struct job *job);

/* Takes the end of `job`, if it has one, out of the queue. */
void event_queue_drop_end(event_queue_t *self, struct job *job);

/* Whether an event is due at `at_s`. */
bool event_queue_has(const event_queue_t *self, int64_t at_s);

/* Makes sure that there is an event at `at_s`. */
void event_queue_add_wake(event_queue_t *self, int64_t at_s);

/* The same, and the event stays until it is due or nothing waits for it any more. */
void event_queue_await(event_queue_t *self, int64_t at_s);

/* Nothing waits for `at_s` any more; an event there that is empty disappears. */
void event_queue_await_no_more(event_queue_t *self, int64_t at_s);

/* Takes out the event at `at_s`, if there is one, with every end that is still in it. */
void event_queue_remove(event_queue_t *self, int64_t at_s);

/* Events due before `now_s` become part of an event at `now_s`: only rounds that come late find
 * any. Returns the earliest event, NULL if there is none. */
struct event *event_queue_catch_up(event_queue_t *self, int64_t now_s);

/* If the first event is due within `slot_s`, it is moved to the end of the slot, and all that is
 * due until then is folded into it. EF-Q16, CO-Q2: with `unless_sole` the only event there is keeps
 * its time. */
void event_queue_merge(event_queue_t *self, int64_t now_s, int64_t slot_s, bool unless_sole);

#endif
