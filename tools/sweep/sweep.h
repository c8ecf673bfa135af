/* sweep.h - a sweep: its cells, where they are kept, and who runs them. */
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
    double confidence; /* per cent */
    struct sweep_share share;
    bool shares; /* it runs its share only, for another process that collects it */
    bool by_slurm;
    bool forced; /* results of the folder are replaced though they are no sweep's */
    struct slurm_array slurm;
    store_t *store;
};

/* Where all cells are kept; where those of a share are until they are collected. */
void sweep_store_path(const struct sweep *self, char path[PATH_MAX]);
void sweep_share_path(const struct sweep *self, int64_t number, char path[PATH_MAX]);

/* Opens the store, and takes over what shares have left. -1 with `error`, and before anything is
 * written if the folder has results without the store of a sweep and is not forced. */
int sweep_open(struct sweep *self, struct error *error);

/* Finds what is still to be run, and says if something has changed. -1 with `error`. */
int sweep_find_pending(struct sweep *self, struct pending *pending, struct error *error);

/* Runs those cells and keeps each as soon as it is done. Returns the exit status; what is wrong was
 * said. */
int sweep_run(struct sweep *self, const struct pending *pending);

/* Has Slurm run those cells, and collects them. Returns the exit status; what is wrong was said. */
int sweep_run_by_slurm(struct sweep *self, struct pending *pending);

/* Has the store whole in its file and, but for a share, writes the results. Returns the exit
 * status; what is wrong was said. */
int sweep_finish(struct sweep *self);

#endif
