/* grid.h - the cells of a sweep: each policy on each trace and cluster with each value of every
 * other parameter. Neighbours differ in the seed alone. */
#ifndef SWEEP_GRID_H
#define SWEEP_GRID_H

#include "common/error.h"
#include "common/options.h"
#include "scheduler/run/simulation.h"
#include "tools/cells.h"
#include "tools/sweep/axis.h"
#include "tools/sweep/field.h"
#include "tools/sweep/inputs.h"

#include <stddef.h>

/* Parameters of a sweep; the last parameter changes fastest from cell to cell. */
enum grid_axis {
    AXIS_SLOT,
    AXIS_LOAD,
    AXIS_TIGHTNESS,
    AXIS_BEST_EFFORT,
    AXIS_OVERHEAD,
    AXIS_POLICY,
    AXIS_SEED,
    AXES
};

/* The first fields of a cell are its key: trace, cluster, GPU type, the axes, the shared settings.
 * Stored results of a cell are valid while its other fields are unchanged. */
#define GRID_KEY_FIELDS (AXES + 4)
#define GRID_FIELDS     (GRID_KEY_FIELDS + 7)
#define GRID_AXIS_FIELD 3 /* index of the first axis */
#define GRID_SEED_FIELD (GRID_AXIS_FIELD + AXIS_SEED)
#define GRID_CELLS_MAX  10000000

/* A trace on a cluster. Numbers of inputs are SIZE_MAX for none. */
struct grid_place {
    const char *trace;
    const char *cluster; /* NULL for the default cluster */
    const char *gpu_type;
    int64_t slot_s; /* slot of the place, which overrides the slot of the axis; -1 for none */
    size_t trace_input;
    size_t cluster_input;
};

struct sweep_grid {
    struct simulation simulation; /* shared by all cells; its options are set first */
    struct world_setting world;   /* shared by all cells; its options are set first */
    struct axis axes[AXES];
    const char *clusters; /* clusters, separated by commas, for traces without a cluster; NULL for
                             the default */
    struct axis cluster_axis; /* the values of `clusters`, which places lend */
    const char *folder;       /* folder of the sweep */

    struct grid_place *places;
    size_t place_count;
    struct inputs_read inputs;
    size_t faults_input;
    char throughputs[CHECKSUM_TEXT_BYTES];
    char program[CHECKSUM_TEXT_BYTES];
    char *settings; /* shared settings, as "NAME=VALUE", separated by blanks */
    char **rules;   /* rules of each policy */
    char (*programs)[CHECKSUM_TEXT_BYTES]; /* checksum of each policy that is a user's program */
    size_t count;                          /* number of all cells */
};

/* Makes a grid with the default value on every axis. The caller then sets its options. */
void grid_init(struct sweep_grid *self);

/* Lays out the cells on `traces`, each "TRACE" or "TRACE@CLUSTER" (cut in place), and reads the
 * checksums of the inputs. `options` are all options of the command; `settings` lists the options
 * of the simulation. Returns -1 with `error`. */
int grid_lay_out(struct sweep_grid *self, const struct operands *traces,
                 const struct option_spec *options, struct error *error);
void grid_clear(struct sweep_grid *self);

/* The fields of cell `index`. Fields live as long as the grid, except `texts`, which the caller
 * frees. */
void grid_fields(const struct sweep_grid *self, size_t index, struct field fields[GRID_FIELDS],
                 char *texts[AXES]);

/* Sets up the cell and its world, to which the cell refers. The cell's process first writes the
 * varied trace into the folder of the sweep, unless the variation leaves the trace unchanged. */
void grid_cell(const struct sweep_grid *self, size_t index, struct cell *cell,
               struct world_setting *world);

/* The size of the cell's trace. */
int64_t grid_trace_bytes(const struct sweep_grid *self, size_t index);

#endif
