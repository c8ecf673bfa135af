/* events.c - see events.h. */
#include "scheduler/service/events.h"

#include "common/input.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND       "event"
#define KIND_FALLS "falls" /* events of the kind "falls": number, and row of the job */
#define TEXT_MAX   512
#define KIND_BYTES 32

struct event {
    uint32_t row;
    bool falls;
    char *body;
};

struct events {
    journal_t *journal;
    int64_t last; /* number of the last event in the journal */
    struct event *noted;
    size_t count;
    size_t room;
};

static void write_kind(char kind[KIND_BYTES], uint32_t row)
{
    (void)snprintf(kind, KIND_BYTES, "event of %" PRIu32, row);
}

events_t *events_new(journal_t *journal, struct error *error)
{
    events_t *self;
    const char *body;
    const int got = journal_get(journal, "service", "events", &body, error);

    if (got < 0)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->journal = journal;
    self->last = got > 0 ? strtoll(body, NULL, 10) : 0;
    return self;
}

void events_forget(events_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free(self->noted[i].body);
    self->count = 0;
}

void events_kept(events_t *self)
{
    self->last += (int64_t)self->count;
    events_forget(self);
}

void events_destroy(events_t **self)
{
    if (!*self)
        return;
    events_forget(*self);
    free((*self)->noted);
    free(*self);
    *self = NULL;
}

/* Notes an event. `until` is the promised time, 0 if the event tells of no promise. */
static void note(events_t *self, int64_t at, uint32_t row, const char *by, const char *event,
                 int64_t until, const char *text)
{
    const int64_t number = self->last + (int64_t)self->count + 1;
    json_t *body = json_pack("{s:I, s:I, s:o, s:s?, s:s, s:s}", "number", (json_int_t)number, "at",
                             (json_int_t)at, "job", row > 0 ? json_integer(row) : json_null(), "by",
                             by, "event", event, "text", text);

    if (until > 0)
        json_object_set_new(body, "until", json_integer((json_int_t)until));
    self->noted = grow_array(self->noted, self->count, &self->room, sizeof(*self->noted));
    self->noted[self->count++] =
        (struct event){row, !strcmp(event, "falls"), json_dumps(body, JSON_COMPACT)};
    json_decref(body);
}

void events_note(events_t *self, int64_t at, uint32_t row, const char *by, const char *event,
                 const char *format, ...)
{
    char text[TEXT_MAX];
    va_list more;

    va_start(more, format);
    (void)vsnprintf(text, sizeof(text), format, more);
    va_end(more);
    input_mend_utf8(text, strlen(text));
    note(self, at, row, by, event, 0, text);
}

void events_note_promise(events_t *self, int64_t at, uint32_t row, int64_t until, const char *event,
                         const char *text)
{
    char mended[TEXT_MAX];

    (void)snprintf(mended, sizeof(mended), "%s", text);
    input_mend_utf8(mended, strlen(mended));
    note(self, at, row, NULL, event, until, mended);
}

/* Falls have a list of their own, so that counting them reads no other event. */
static int put_fall(events_t *self, const struct event *event, int64_t number, struct error *error)
{
    char row[16];

    (void)snprintf(row, sizeof(row), "%" PRIu32, event->row);
    return journal_put_number(self->journal, KIND_FALLS, (uint64_t)number, row, error);
}

/* Stores the event under its number, and the number under the job. */
static int put(events_t *self, const struct event *event, int64_t number, struct error *error)
{
    char kind[KIND_BYTES];

    write_kind(kind, event->row);
    if (journal_put_number(self->journal, KIND, (uint64_t)number, event->body, error) < 0)
        return -1;
    if (event->falls && put_fall(self, event, number, error) < 0)
        return -1;
    if (event->row == 0)
        return 0;
    return journal_put_number(self->journal, kind, (uint64_t)number, "", error);
}

int events_put(events_t *self, struct error *error)
{
    char last[24];

    if (self->count == 0)
        return 0;
    if (journal_begin(self->journal, error) < 0)
        return -1;
    for (size_t i = 0; i < self->count; i++)
        if (put(self, &self->noted[i], self->last + (int64_t)i + 1, error) < 0)
            return -1;
    (void)snprintf(last, sizeof(last), "%" PRId64, self->last + (int64_t)self->count);
    return journal_put(self->journal, "service", "events", last, error);
}

/* ---- reading ---- */

struct listing {
    int64_t after;
    int64_t limit;
    size_t count;
    int64_t *numbers;
};

static int collect(void *owner, const char *key, const char *body)
{
    struct listing *listing = owner;
    const int64_t number = strtoll(key, NULL, 10);

    (void)body;
    if (number > listing->after)
        listing->numbers[listing->count++] = number;
    return (int64_t)listing->count == listing->limit;
}

static int add(events_t *self, int64_t number, json_t *events, struct error *error)
{
    char key[24];
    const char *body;
    int got;

    (void)snprintf(key, sizeof(key), "%" PRId64, number);
    got = journal_get(self->journal, KIND, key, &body, error);
    if (got > 0)
        json_array_append_new(events, json_loads(body, 0, NULL));
    return got;
}

static int list_numbers(events_t *self, uint32_t row, struct listing *listing, struct error *error)
{
    char kind[KIND_BYTES];

    if (row == 0) {
        for (int64_t number = listing->after;
             number < self->last && (int64_t)listing->count < listing->limit; number++)
            listing->numbers[listing->count++] = number + 1;
        return 0;
    }
    write_kind(kind, row);
    return journal_each(self->journal, kind, collect, listing, error) < 0 ? -1 : 0;
}

int events_list(events_t *self, uint32_t row, int64_t after, int64_t limit, json_t **events,
                int64_t *last, struct error *error)
{
    struct listing listing = {.after = after, .limit = limit};
    int status;

    listing.numbers = xcalloc((size_t)limit, sizeof(*listing.numbers));
    status = list_numbers(self, row, &listing, error);
    *events = json_array();
    for (size_t i = 0; i < listing.count && status >= 0; i++)
        status = add(self, listing.numbers[i], *events, error);
    *last = (int64_t)listing.count == limit ? listing.numbers[limit - 1] : 0;
    free(listing.numbers);
    if (status >= 0)
        return 0;
    json_decref(*events);
    return -1;
}

struct counting {
    int64_t last;
    size_t *falls;
    size_t rows;
};

static int count_fall(void *owner, const char *key, const char *body)
{
    const struct counting *counting = owner;
    const unsigned long row = strtoul(body, NULL, 10);

    if (strtoll(key, NULL, 10) <= counting->last && row < counting->rows)
        counting->falls[row]++;
    return 0;
}

int events_count_falls(events_t *self, size_t falls[], size_t rows, struct error *error)
{
    struct counting counting = {self->last, falls, rows};

    return journal_each(self->journal, KIND_FALLS, count_fall, &counting, error) < 0 ? -1 : 0;
}
