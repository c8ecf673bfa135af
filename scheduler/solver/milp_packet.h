/* milp_packet.h - a problem and its answer in memory shared by two processes of the same build. */
#ifndef SOLVER_MILP_PACKET_H
#define SOLVER_MILP_PACKET_H

#include "scheduler/solver/milp_solver.h"

#include <stddef.h>

struct milp_packet {
    bool complete;  /* set last: `reply` holds the answer */
    int end_status; /* status from waitpid of a process that ended without an answer */
    bool in_a_copy; /* solve in a copy of the server, although the server itself might */
    int term_count;
    struct milp_limits limits; /* limits without `stop` */
    struct milp_problem
        problem;             /* its numbers are valid everywhere, its pointers in the writer only */
    struct milp_reply reply; /* its numbers are valid everywhere, its pointers in the writer only */
    double arrays[];
};

/* The size of a packet for a problem without sets. */
size_t milp_packet_bytes(const struct milp_problem *problem);

/* Writes the problem and its limits. The arrays of the answer hold NaN and MILP_NO_BASIS until they
 * are filled. */
void milp_packet_write(struct milp_packet *self, const struct milp_problem *problem,
                       const struct milp_limits *limits);

/* The problem, its pointers into the packet. */
struct milp_problem milp_packet_problem(struct milp_packet *self);

/* Points the arrays of `reply` into the packet, which is for a problem of the same size. */
void milp_packet_point(struct milp_packet *self, const struct milp_problem *problem,
                       struct milp_reply *reply);

#endif
