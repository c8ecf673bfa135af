/* event_queue.c - see event_queue.h.
 *
 * A heap gives the earliest event, and a table finds the event of a time. Every running job's end
 * moves several times a round, so an event that becomes empty leaves only the table. The heap
 * forgets empty events when they come up, or all at once when they outnumber the rest. The table
 * holds pointers and uses linear probing, as a move only looks up, adds and removes. */
#include "scheduler/reference/event_queue.h"

#include "common/heap.h"
#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

/* An arrival that is not yet an event. */
struct start {
    int64_t at_s;
    struct job *job;
};

struct event_queue {
    heap_t *heap;
    struct event **table; /* by time; the size is a power of two, at most half full */
    size_t table_size;
    size_t count; /* events in the table */
    arena_t *memory;
    struct event *free;   /* events to use again */
    struct start *starts; /* in order of time */
    size_t start_count;
    size_t start_room;
    size_t next_start; /* starts before this index are events */
    side_table_t *dues;
};

static struct due *due_of(event_queue_t *self, struct job *job)
{
    struct due *due = side_table_at(self->dues, job);

    due->job = job;
    return due;
}

event_queue_t *event_queue_new(void)
{
    event_queue_t *self = xcalloc(1, sizeof(*self));

    self->heap = heap_new();
    self->table_size = 64;
    self->table = xcalloc(self->table_size, sizeof(*self->table));
    self->memory = arena_new();
    self->dues = side_table_new(sizeof(struct due));
    return self;
}

void event_queue_destroy(event_queue_t **self)
{
    if (!*self)
        return;
    heap_destroy(&(*self)->heap);
    arena_destroy(&(*self)->memory);
    side_table_destroy(&(*self)->dues);
    free((*self)->starts);
    free((*self)->table);
    free(*self);
    *self = NULL;
}

static size_t home_of(const event_queue_t *self, int64_t at_s)
{
    return ((uint64_t)at_s * 0x9e3779b97f4a7c15u >> 20) & (self->table_size - 1);
}

/* The slot of the event at `at_s`, or the free slot where the event belongs. */
static size_t slot_of(const event_queue_t *self, int64_t at_s)
{
    size_t slot = home_of(self, at_s);

    while (self->table[slot] && self->table[slot]->at_s != at_s)
        slot = (slot + 1) & (self->table_size - 1);
    return slot;
}

static void table_grow(event_queue_t *self)
{
    struct event **old = self->table;
    const size_t old_size = self->table_size;

    self->table_size *= 2;
    self->table = xcalloc(self->table_size, sizeof(*self->table));
    for (size_t i = 0; i < old_size; i++)
        if (old[i])
            self->table[slot_of(self, old[i]->at_s)] = old[i];
    free(old);
}

static void table_add(event_queue_t *self, struct event *event)
{
    const size_t slot = slot_of(self, event->at_s);

    assert(!self->table[slot]);
    self->table[slot] = event;
    self->count++;
    if (self->count * 2 > self->table_size)
        table_grow(self);
}

/* Removes `event` and closes its slot by moving up events that had to step aside. */
static void table_remove(event_queue_t *self, const struct event *event)
{
    const size_t mask = self->table_size - 1;
    size_t hole = slot_of(self, event->at_s);

    assert(self->table[hole] == event);
    for (size_t at = (hole + 1) & mask; self->table[at]; at = (at + 1) & mask) {
        const size_t home = home_of(self, self->table[at]->at_s);

        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        self->table[hole] = self->table[at];
        hole = at;
    }
    self->table[hole] = NULL;
    self->count--;
}

static struct event *event_new(event_queue_t *self, int64_t at_s)
{
    struct event *event = self->free;

    if (event)
        self->free = event->free_next;
    else
        event = arena_alloc(self->memory, sizeof(*event));
    *event = (struct event){.at_s = at_s};
    table_add(self, event);
    heap_push(self->heap, at_s, event);
    return event;
}

static struct event *find_or_add(event_queue_t *self, int64_t at_s)
{
    struct event *event = self->table[slot_of(self, at_s)];

    return event ? event : event_new(self, at_s);
}

static void recycle(event_queue_t *self, struct event *event)
{
    event->free_next = self->free;
    self->free = event;
}

static bool keep_event(void *context, void *item)
{
    struct event *event = item;

    if (event->gone)
        recycle(context, event);
    return !event->gone;
}

static void forget(event_queue_t *self, struct event *event)
{
    table_remove(self, event);
    event->gone = true;
    if (heap_count(self->heap) > 2 * self->count + 64)
        heap_filter(self->heap, keep_event, self);
}

static void link_start(struct event *event, struct due *due)
{
    due->next = NULL;
    if (event->starts)
        event->starts_last->next = due;
    else
        event->starts = due;
    event->starts_last = due;
}

static bool has_starts(const event_queue_t *self)
{
    return self->next_start < self->start_count;
}

/* The next arrivals become part of the event at their time. */
static void bring_starts(event_queue_t *self)
{
    const int64_t at_s = self->starts[self->next_start].at_s;
    struct event *event = find_or_add(self, at_s);

    while (has_starts(self) && self->starts[self->next_start].at_s == at_s)
        link_start(event, due_of(self, self->starts[self->next_start++].job));
}

static struct event *first_in_heap(event_queue_t *self)
{
    struct event *event;

    while ((event = heap_first(self->heap)) && event->gone) {
        heap_pop(self->heap);
        recycle(self, event);
    }
    return event;
}

bool event_queue_is_empty(const event_queue_t *self)
{
    return self->count == 0 && !has_starts(self);
}

struct event *event_queue_first(event_queue_t *self)
{
    struct event *event = first_in_heap(self);

    if (!has_starts(self) || (event && event->at_s < self->starts[self->next_start].at_s))
        return event;
    bring_starts(self);
    return first_in_heap(self);
}

/* Jobs are mostly added in the order of their arrival. Such jobs wait for their turn outside the
 * heap, which stays small. */
void event_queue_add_start(event_queue_t *self, struct job *job, int64_t at_s)
{
    if (has_starts(self) && at_s < self->starts[self->start_count - 1].at_s) {
        while (has_starts(self))
            bring_starts(self);
    }
    self->starts =
        grow_array(self->starts, self->start_count, &self->start_room, sizeof(*self->starts));
    self->starts[self->start_count++] = (struct start){at_s, job};
}

/* Turns the arrivals up to the arrival of `job` into events, unless that arrival is an event
 * already. */
static void bring_start_of(event_queue_t *self, const struct job *job)
{
    size_t place = self->next_start;

    while (place < self->start_count && self->starts[place].job != job)
        place++;
    while (place < self->start_count && self->next_start <= place)
        bring_starts(self);
}

static void unlink_start(struct event *event, const struct due *due)
{
    struct due **link = &event->starts;

    event->starts_last = NULL;
    while (*link) {
        if (*link == due)
            *link = due->next;
        else {
            event->starts_last = *link;
            link = &(*link)->next;
        }
    }
}

void event_queue_drop_start(event_queue_t *self, struct job *job)
{
    const struct due *due = due_of(self, job);

    bring_start_of(self, job);
    for (size_t i = 0; i < self->table_size; i++) {
        struct event *event = self->table[i];

        if (!event || !event->starts)
            continue;
        unlink_start(event, due);
        if (!event->starts && !event->ends && !event->awaited) {
            forget(self, event);
            return;
        }
    }
}

static void link_end(struct event *event, struct due *due)
{
    due->event = event;
    due->next = NULL;
    due->previous = event->ends_last;
    if (event->ends_last)
        event->ends_last->next = due;
    else
        event->ends = due;
    event->ends_last = due;
}

static void unlink_end(struct due *due)
{
    struct event *event = due->event;

    if (due->previous)
        due->previous->next = due->next;
    else
        event->ends = due->next;
    if (due->next)
        due->next->previous = due->previous;
    else
        event->ends_last = due->previous;
    due->event = NULL;
}

struct event *event_queue_end_of(event_queue_t *self, const struct job *job)
{
    return ((struct due *)side_table_at(self->dues, job))->event;
}

void event_queue_add_end(event_queue_t *self, struct job *job, int64_t at_s)
{
    struct due *due = due_of(self, job);

    assert(!due->event);
    job->end_s = at_s;
    link_end(find_or_add(self, at_s), due);
}

void event_queue_move_end(event_queue_t *self, struct job *job, int64_t at_s)
{
    if (job->end_s == at_s)
        return;
    event_queue_drop_end(self, job);
    event_queue_add_end(self, job, at_s);
}

void event_queue_drop_end(event_queue_t *self, struct job *job)
{
    struct due *due = due_of(self, job);
    struct event *event = due->event;

    if (!event)
        return;
    unlink_end(due);
    if (!event->starts && !event->ends && !event->awaited)
        forget(self, event);
}

bool event_queue_has(const event_queue_t *self, int64_t at_s)
{
    size_t low = self->next_start;
    size_t high = self->start_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (self->starts[middle].at_s < at_s)
            low = middle + 1;
        else
            high = middle;
    }
    return self->table[slot_of(self, at_s)] != NULL ||
           (low < self->start_count && self->starts[low].at_s == at_s);
}

void event_queue_add_wake(event_queue_t *self, int64_t at_s)
{
    (void)find_or_add(self, at_s);
}

void event_queue_await(event_queue_t *self, int64_t at_s)
{
    find_or_add(self, at_s)->awaited = true;
}

void event_queue_await_no_more(event_queue_t *self, int64_t at_s)
{
    struct event *event = self->table[slot_of(self, at_s)];

    if (!event || !event->awaited)
        return;
    event->awaited = false;
    if (!event->starts && !event->ends)
        forget(self, event);
}

void event_queue_remove(event_queue_t *self, int64_t at_s)
{
    struct event *event = self->table[slot_of(self, at_s)];

    if (!event)
        return;
    for (struct due *due = event->ends; due; due = due->next)
        due->event = NULL;
    forget(self, event);
}

static void fold(struct event *into, struct event *event)
{
    struct due *due = event->ends;

    if (event->starts) {
        if (into->starts)
            into->starts_last->next = event->starts;
        else
            into->starts = event->starts;
        into->starts_last = event->starts_last;
    }
    while (due) {
        struct due *next = due->next;

        link_end(into, due);
        due = next;
    }
    event->starts = event->ends = NULL;
}

/* Moves all events from `first` to `until_s` to an event at `until_s`. */
static void fold_until(event_queue_t *self, struct event *first, int64_t until_s)
{
    struct event *next;

    heap_pop(self->heap);
    table_remove(self, first);
    while ((next = event_queue_first(self)) && next->at_s <= until_s) {
        fold(first, next);
        forget(self, next);
    }
    first->at_s = until_s;
    table_add(self, first);
    heap_push(self->heap, first->at_s, first);
}

void event_queue_merge(event_queue_t *self, int64_t now_s, int64_t slot_s, bool unless_sole)
{
    struct event *first = event_queue_first(self);

    if (!first || first->at_s - now_s > slot_s ||
        (unless_sole && self->count == 1 && !has_starts(self)))
        return;
    fold_until(self, first, now_s + slot_s);
}

struct event *event_queue_catch_up(event_queue_t *self, int64_t now_s)
{
    struct event *first = event_queue_first(self);

    if (first && first->at_s < now_s)
        fold_until(self, first, now_s);
    return first;
}
