/* store.h - the finished cells of a sweep in an SQLite file, one row each. A row is complete as
 * soon as store_put returns, even if the process is killed then.
 *
 * The table `cell` has a column for each field of a grid, for each figure, and for wall_s and
 * memory_kib, which are measured and differ from run to run. */
#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include "common/error.h"
#include "tools/cells.h"
#include "tools/sweep/field.h"
#include "tools/sweep/grid.h"

#include <stdbool.h>
#include <stddef.h>

/* The figures of a cell. */
#define STORE_FIGURES_MAX 96
#define STORE_FIELDS_MAX  (GRID_FIELDS + STORE_FIGURES_MAX)

enum store_use {
    STORE_WRITE,  /* created if missing; no other process may write meanwhile */
    STORE_FROZEN, /* read only, while no process writes */
};

typedef struct store store_t;

/* Opens the store at `path`. Returns NULL with `error`. */
store_t *store_open(const char *path, enum store_use use, struct error *error);
void store_close(store_t **self);

/* Moves all rows from the log beside the file into the file itself. Returns -1 with `error`; rows
 * are then safe only together with the log. */
int store_checkpoint(store_t *self, struct error *error);

/* Keeps the figures of `cell`, which is done. They replace an earlier row with the same key.
 * Returns -1 with `error`. */
int store_put(store_t *self, const struct field fields[GRID_FIELDS], const struct cell *cell,
              struct error *error);

/* Looks for the row with the key of `fields`. Returns 1 and, in `row`, the row without measured
 * times, lent until the next call; 0 if the store lacks the row; -1 with `error`. */
int store_find(store_t *self, const struct field fields[GRID_FIELDS],
               struct field row[STORE_FIELDS_MAX], struct error *error);

/* store_field_count: the number of fields of a row from store_find. store_field_name: their
 * names. */
size_t store_field_count(const store_t *self);
const char *store_field_name(const store_t *self, size_t index);

/* Whether the field is a figure with a list of numbers, of which no mean is taken. */
bool store_field_is_list(const store_t *self, size_t index);

/* Takes over all rows of the store at `path`. Returns -1 with `error`. */
int store_merge(store_t *self, const char *path, struct error *error);

#endif
