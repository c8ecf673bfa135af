/* events.h - events of jobs and nodes, for users to read. Each event is in the journal, in the
 * transaction of its step. */
#ifndef SERVICE_EVENTS_H
#define SERVICE_EVENTS_H

#include "scheduler/journal/journal.h"
#include "scheduler/service/ledger.h"

#include <jansson.h>

typedef struct events events_t;

/* NULL, with `error`, if the journal cannot be read. The journal is lent. */
events_t *events_new(journal_t *journal, struct error *error);
void events_destroy(events_t **self);

/* Notes an event at `at`, since 1970, of the job in `row`, 0 for no job. `by` is the user who
 * caused it, NULL for the service. */
void events_note(events_t *self, int64_t at, uint32_t row, const char *by, const char *event,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Notes that the job in `row` is promised `until`, since 1970, from now on. */
void events_note_promise(events_t *self, int64_t at, uint32_t row, int64_t until, const char *event,
                         const char *text);

/* events_put: puts the noted events into the transaction at hand, which is begun if there is none.
 * -1 with `error`. events_kept: the transaction was committed, and noted events can be
 * forgotten. */
int events_put(events_t *self, struct error *error);
void events_kept(events_t *self);

/* Adds to `falls[row]` how often the promise of each job fell to a later step. `falls` has `rows`
 * rows. -1 with `error`. */
int events_count_falls(events_t *self, size_t falls[], size_t rows, struct error *error);

/* Forgets the noted events. */
void events_forget(events_t *self);

/* Lists up to `limit` events with numbers above `after`, of the job in `row`, or of all jobs if
 * `row` is 0. `*last` is the number of the last listed event, 0 if no more follow. -1 with
 * `error`. */
int events_list(events_t *self, uint32_t row, int64_t after, int64_t limit, json_t **events,
                int64_t *last, struct error *error);

#endif
