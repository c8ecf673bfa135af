/* rows.h - the throughput rows that jobs brought or narrowed, each kept once: what counts is what
 * they say. Jobs that share a row share its scaling in the engine and its line in the journal. */
#ifndef SERVICE_ROWS_H
#define SERVICE_ROWS_H

#include "scheduler/state/throughput.h"

typedef struct rows rows_t;

rows_t *rows_new(void) __attribute__((returns_nonnull));
void rows_destroy(rows_t **self);

/* The one row that says what `row` says: a copy of it if there is none yet. Lent as long as `self`.
 */
const struct throughput_row *rows_keep(rows_t *self, const struct throughput_row *row)
    __attribute__((returns_nonnull));

#endif
