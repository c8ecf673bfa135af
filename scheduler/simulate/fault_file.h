/* fault_file.h - the file that states when nodes are lost and come back, and when they are
 * reserved:
 *
 *   time,node,event,until
 *   3600,4,gone,
 *   7200,4,up,
 *   9000,4,reserved,9600
 *
 * Times are seconds on the clock of the trace and never fall, nodes are counted from 0 through the
 * cluster, and a node is gone and up by turns: at first it is up. A node that is reserved is out of
 * use from `time` to `until`, which is known from the beginning. Without reservations the column
 * `until` may be missing. */
#ifndef SIMULATE_FAULT_FILE_H
#define SIMULATE_FAULT_FILE_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault {
    int64_t at_s;
    int node;
    bool gone;    /* true: lost; false: up again, */
    bool is_back; /* since a reservation of the node is over */
};

/* A node that is reserved. */
struct reserved_time {
    int node;
    int64_t from_s;
    int64_t to_s;
};

struct fault_list {
    struct fault *items; /* ordered by time */
    size_t count;
    size_t room;
    struct reserved_time *reserved; /* by the time at which they begin */
    size_t reserved_count;
    size_t reserved_room;
};

void fault_list_free(struct fault_list *self);

/* Reads the file at `path`, about a cluster of `node_count` nodes; the caller frees the list. -1,
 * with `error` that names file, line and column, and an empty list. */
int fault_file_read(const char *path, int node_count, struct fault_list *faults,
                    struct error *error);

#endif
