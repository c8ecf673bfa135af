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

/* The last one changes fastest from cell to cell. */
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

/* A cell is known by its first fields, those of a key: trace, cluster, GPU type, the axes, what all
 * cells share. What it found holds as long as the others are the same. */
#define GRID_KEY_FIELDS (AXES + 4)
#define GRID_FIELDS     (GRID_KEY_FIELDS + 7)
#define GRID_AXIS_FIELD 3 /* the first axis */
#define GRID_SEED_FIELD (GRID_AXIS_FIELD + AXIS_SEED)
#define GRID_CELLS_MAX  10000000

/* A trace on a cluster; numbers of inputs, SIZE_MAX for none. */
struct grid_place {
    const char *trace;
    const char *cluster; /* NULL for the usual one */
    const char *gpu_type;
    int64_t slot_s; /* its own, in the place of that of the axis; -1 for none */
    size_t trace_input;
    size_t cluster_input;
};

struct sweep_grid {
    struct simulation simulation; /* what all cells share; its options, */
    struct world_setting world;   /* and these, are set first */
    struct axis axes[AXES];
    const char *clusters; /* with commas, of the traces that name none; NULL for the usual one */
    struct axis cluster_axis; /* the values of that list, which places lend */
    const char *folder;       /* of the sweep */

    struct grid_place *places;
    size_t place_count;
    struct inputs_read inputs;
    size_t faults_input;
    char throughputs[CHECKSUM_TEXT_BYTES];
    char program[CHECKSUM_TEXT_BYTES];
    char *settings; /* what all cells share, as "NAME=VALUE" with blanks between them */
    char **rules;   /* of each policy */
    char (*programs)[CHECKSUM_TEXT_BYTES]; /* of each policy that is one of a user's */
    size_t count;                          /* of all cells */
};

/* One where every axis has the value that it has if nothing is said; its options are to be set. */
void grid_init(struct sweep_grid *self);

/* Lays out the cells on `traces`, "TRACE" or "TRACE@CLUSTER" (cut in place), and reads the
 * checksums of the inputs. `options` are those of the command: what belongs to the simulation is
 * named in the settings. -1 with `error`. */
int grid_lay_out(struct sweep_grid *self, const struct operands *traces,
                 const struct option_spec *options, struct error *error);
void grid_clear(struct sweep_grid *self);

/* The fields of cell `index`, which live as long as the grid but for `texts`, to be freed. */
void grid_fields(const struct sweep_grid *self, size_t index, struct field fields[GRID_FIELDS],
                 char *texts[AXES]);

/* The cell and its world, which it refers to. In its process it first makes the trace that it runs
 * on, in the folder of the sweep, unless the trace stays as it is. */
void grid_cell(const struct sweep_grid *self, size_t index, struct cell *cell,
               struct world_setting *world);

/* How large the trace of the cell is. */
int64_t grid_trace_bytes(const struct sweep_grid *self, size_t index);

#endif
