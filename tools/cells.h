/* cells.h - many simulations side by side. Each has a process of its own, so that a failure ends
 * one simulation only, and the time of each simulation can be measured. */
#ifndef TOOLS_CELLS_H
#define TOOLS_CELLS_H

#include "common/error.h"
#include "scheduler/run/simulation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The policies of a comparison if the user names none. */
#define PUBLISHED_POLICIES "ef-accessctrl,ef,edf,edf-accessctrl,gandiva,dlas-gpu,themis,chronus"

enum cell_state { CELL_WAITING, CELL_RUNNING, CELL_DONE, CELL_FAILED };

/* A policy on a trace, or the bounds for all policies on a trace. */
struct cell {
    struct simulation simulation;
    bool is_bound; /* finds the bounds and no other figures */
    enum cell_state state;
    struct figures figures; /* valid once the cell is done */
    char gpu_type[64];      /* GPU type of the cluster; "A100 and T4" if there are several */
    double process_s;       /* wall time of the process, including the reading of inputs */
    int64_t memory_kib;     /* largest resident size of the process */
    struct error error;     /* valid once the cell has failed */

    /* Set by the caller, NULL for none. `prepare` is called at the start of the cell's process.
     * `tell` is called when the cell is done or has failed. `listener`, `owner` and `number` are
     * for these functions. */
    int (*prepare)(struct cell *cell, struct error *error);
    void (*tell)(void *listener, const struct cell *cell);
    void *listener;
    const void *owner;
    size_t number;

    int pipe; /* read end of the pipe from the running process */
    int pid;
    double started_s;
};

/* Runs all cells in their order, `parallel` at a time. `label` begins the line of progress. A
 * signal that asks to stop ends the running cells and leaves the others waiting. Returns how many
 * cells are done. */
size_t cells_run(struct cell *cells, size_t count, size_t parallel, const char *label);

#endif
