/* events.h - what happened to jobs and nodes, as users read it: each event is in the journal, in
 * the transaction of the step that it came with. */
#ifndef SERVICE_EVENTS_H
#define SERVICE_EVENTS_H

#include "scheduler/journal/journal.h"
#include "scheduler/service/ledger.h"

#include <jansson.h>

typedef struct events events_t;

/* NULL, with `error`, if the journal cannot be read. The journal is lent. */
events_t *events_new(journal_t *journal, struct error *error);
void events_destroy(events_t **self);

/* Notes an event at `at`, since 1970, of the job in `row`, 0 for none. `by` is the user who did it,
 * NULL where the service did. */
void events_note(events_t *self, int64_t at, uint32_t row, const char *by, const char *event,
                 const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Notes that a promise of the job in `row` is until `until`, since 1970, from now on. */
void events_note_promise(events_t *self, int64_t at, uint32_t row, int64_t until, const char *event,
                         const char *text);

/* Puts those that were noted into the transaction at hand, which it begins if there is none. -1
 * with `error`; they stay noted until events_kept. */
int events_put(events_t *self, struct error *error);
void events_kept(events_t *self);

/* Adds the events "falls", of promises that fell to a later step, of each job to `falls[row]`, of
 * which there are `rows`. -1 with `error`. */
int events_count_falls(events_t *self, size_t falls[], size_t rows, struct error *error);

/* Forgets those that were noted. */
void events_forget(events_t *self);

/* Up to `limit` events with numbers above `after`, of the job in `row` or of all if that is 0, and
 * in
 * `*last` the number of the last, or 0 if there are no more. -1 with `error`. */
int events_list(events_t *self, uint32_t row, int64_t after, int64_t limit, json_t **events,
                int64_t *last, struct error *error);

#endif
