/* cells.h - many simulations side by side, each in a process of its own, so that one which fails
 * takes nothing else down and the clock of one says nothing about another. */
#ifndef TOOLS_CELLS_H
#define TOOLS_CELLS_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_state { CELL_WAITING, CELL_RUNNING, CELL_DONE, CELL_FAILED };

/* One policy on one trace, or what no policy can beat there. */
struct cell {
    struct simulation simulation;
    bool is_bound; /* of its figures there are only the bounds */
    enum cell_state state;
    struct figures figures; /* once it is done */
    char gpu_type[64];      /* of the cluster, "A100 and T4" of several */
    double process_s;       /* wall time of the whole process, inputs read and all */
    int64_t memory_kib;     /* largest resident size of that process */
    struct error error;     /* once it has failed */

    int pipe; /* from the running process */
    int pid;
    double started_s;
};

/* Runs all cells, `parallel` at a time, in their order. A signal that asks to stop ends the running
 * ones and leaves the others waiting. Returns how many are done. */
size_t cells_run(struct cell *cells, size_t count, size_t parallel);

#endif
