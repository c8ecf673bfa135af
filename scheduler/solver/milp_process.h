/* milp_process.h - a process that a back end works in: its limit of memory, the wait for its
 * answer, and how it ended. */
#ifndef SOLVER_MILP_PROCESS_H
#define SOLVER_MILP_PROCESS_H

#include "common/error.h"
#include "common/stop.h"

#include <stdint.h>

enum milp_child_end {
    MILP_CHILD_ANSWERED,
    MILP_CHILD_LATE,    /* it was ended at the deadline */
    MILP_CHILD_FULL,    /* it ended, as it found no more memory */
    MILP_CHILD_STOPPED, /* it was ended at a request to stop */
    MILP_CHILD_BROKEN,  /* the error of the reply says how */
};

/* Lets this process take `more_mib` beside the memory it has. malloc ends the process beyond that,
 * with MEMORY_OUT_STATUS. Without /proc there is no limit, nor for 0. */
void milp_limit_memory(int64_t more_mib);

/* Waits until `end` can be read or hangs up, until deadline_s on clock_s(), or until a stop is
 * asked for; says which came first, the first of them as MILP_CHILD_ANSWERED. */
enum milp_child_end milp_await(int end, double deadline_s, const struct stop *stop);

/* A process ended without an answer, with that status of waitpid: whether it found no more memory
 * or broke. */
enum milp_child_end milp_end_of(int status);

/* Says how a broken process ended. */
void milp_say_how(int status, struct error *error);

#endif
