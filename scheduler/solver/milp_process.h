/* milp_process.h - the process of a back end: its memory limit, the wait for its answer, and how it
 * ended. */
#ifndef SOLVER_MILP_PROCESS_H
#define SOLVER_MILP_PROCESS_H

#include "common/error.h"
#include "common/stop.h"

#include <stdint.h>

enum milp_child_end {
    MILP_CHILD_ANSWERED,
    MILP_CHILD_LATE,    /* the process was ended at the deadline */
    MILP_CHILD_FULL,    /* the process ran out of memory */
    MILP_CHILD_STOPPED, /* the process was ended by a request to stop */
    MILP_CHILD_BROKEN,  /* the error of the reply says how */
};

/* Limits this process to `more_mib` above its present memory. Beyond the limit malloc ends the
 * process with MEMORY_OUT_STATUS. There is no limit with 0, or without /proc. */
void milp_limit_memory(int64_t more_mib);

/* Waits until `end` can be read or hangs up, until deadline_s on clock_s(), or until a stop is
 * requested. Returns the first of these, with MILP_CHILD_ANSWERED for `end`. */
enum milp_child_end milp_await(int end, double deadline_s, const struct stop *stop);

/* Whether a process that ended without an answer, with this status of waitpid(), ran out of memory
 * or broke. */
enum milp_child_end milp_end_of(int status);

/* Sets a sentence on how a broken process ended. */
void milp_say_how(int status, struct error *error);

#endif
