/* fault_file.h - the file that states when nodes are lost and come back:
 *
 *   time,node,event
 *   3600,4,gone
 *   7200,4,up
 *
 * Times are seconds on the clock of the trace and never fall, nodes are counted from 0 through the
 * cluster, and a node is gone and up by turns: at first it is up. */
#ifndef SIMULATE_FAULT_FILE_H
#define SIMULATE_FAULT_FILE_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault {
    int64_t at_s;
    int node;
    bool gone; /* true: lost; false: up again */
};

struct fault_list {
    struct fault *items; /* ordered by time */
    size_t count;
    size_t room;
};

/* Reads the file at `path`, about a cluster of `node_count` nodes; the caller frees the items. -1,
 * with `error` that names file, line and column, and no items. */
int fault_file_read(const char *path, int node_count, struct fault_list *faults,
                    struct error *error);

#endif
