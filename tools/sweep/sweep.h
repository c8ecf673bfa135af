/* sweep.h - a sweep: its cells, their store, and the processes that run them. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "common/error.h"
#include "common/options.h"
#include "tools/sweep/grid.h"
#include "tools/sweep/pending.h"
#include "tools/sweep/slurm.h"
#include "tools/sweep/store.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sweep {
    const struct command *command;
    struct sweep_grid grid;
    int64_t parallel;
    double confidence; /* confidence of the intervals, in per cent */
    struct sweep_share share;
    bool shares; /* runs one share only, which another process collects */
    bool by_slurm;
    bool forced; /* replaces results in the folder even if no sweep wrote them */
    struct slurm_array slurm;
    store_t *store;
};

/* sweep_store_path: the store of all cells. sweep_share_path: the store of a share until the share
 * is collected. */
void sweep_store_path(const struct sweep *self, char path[PATH_MAX]);
void sweep_share_path(const struct sweep *self, int64_t number, char path[PATH_MAX]);

/* Opens the store, and collects the stores of shares. Returns -1 with `error`, before anything is
 * written, if the folder has results without a store and is not forced. */
int sweep_open(struct sweep *self, struct error *error);

/* Finds the cells that are still to be run, and tells about changed inputs. Returns -1 with
 * `error`. */
int sweep_find_pending(struct sweep *self, struct pending *pending, struct error *error);

/* Runs the pending cells, and stores each cell as soon as it is done. Returns the exit status;
 * errors were printed. */
int sweep_run(struct sweep *self, const struct pending *pending);

/* Has Slurm run the pending cells, and collects their results. Returns the exit status; errors were
 * printed. */
int sweep_run_by_slurm(struct sweep *self, struct pending *pending);

/* Moves the log of the store into its file and, except for a share, writes the results. Returns the
 * exit status; errors were printed. */
int sweep_finish(struct sweep *self);

#endif
