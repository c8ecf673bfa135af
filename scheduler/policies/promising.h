/* promising.h - what a policy that keeps a plan for its promises is asked for. */
#ifndef POLICIES_PROMISING_H
#define POLICIES_PROMISING_H

#include <stdint.h>

struct promising {
    int64_t spare_nodes; /* a promise survives the loss of so many nodes */
    int64_t node_loss_s; /* seconds of work that one costs a job at most, its new start aside */
    uint64_t fails_each; /* for tests: the safety test fails once in so many times, whatever it
                            finds; 0 for never */
};

/* A checkpoint each 600 s, and a lease of 60 s. */
#define PROMISING_DEFAULT                                                                          \
    {                                                                                              \
        .node_loss_s = 700                                                                         \
    }

#endif
