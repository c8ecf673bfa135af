/* rows.h - the throughput rows that jobs brought or narrowed. Rows with the same content are stored
 * once: their jobs share a scaling in the engine and a line in the journal. */
#ifndef SERVICE_ROWS_H
#define SERVICE_ROWS_H

#include "scheduler/state/throughput.h"

typedef struct rows rows_t;

rows_t *rows_new(void) __attribute__((returns_nonnull));
void rows_destroy(rows_t **self);

/* The stored row with the content of `row`, which is copied if there is none. Lent as long as
 * `self`. */
const struct throughput_row *rows_keep(rows_t *self, const struct throughput_row *row)
    __attribute__((returns_nonnull));

#endif
