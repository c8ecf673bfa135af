/* pending.h - the cells of a sweep that are still to be run. */
#ifndef SWEEP_PENDING_H
#define SWEEP_PENDING_H

#include "common/error.h"
#include "tools/sweep/grid.h"
#include "tools/sweep/store.h"

#include <stddef.h>
#include <stdint.h>

#define SHARES_MAX 10000

/* A share of a sweep that several processes run together: every `count`th cell. */
struct sweep_share {
    int64_t number; /* number of the share, from 0 */
    int64_t count;
};

struct pending {
    size_t *cells; /* cells with the largest traces first, because their simulations take longest */
    size_t count;
    size_t stale;     /* number of stored cells whose inputs have changed since */
    char reason[512]; /* end of a sentence, which names a changed input */
};

/* Finds the cells of `share` that no store of `stores` (ended with NULL) has. Returns -1 with
 * `error`. */
int pending_find(struct pending *self, const struct sweep_grid *grid, store_t *const stores[],
                 const struct sweep_share *share, struct error *error);
void pending_clear(struct pending *self);

#endif
