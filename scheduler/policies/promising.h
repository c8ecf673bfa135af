/* promising.h - what a policy that keeps a plan for its promises is asked for. */
#ifndef POLICIES_PROMISING_H
#define POLICIES_PROMISING_H

#include "scheduler/policies/policy.h"
#include "scheduler/policies/policy_options.h"
#include "scheduler/state/promise_shares.h"
#include "scheduler/state/worth.h"

#include <stdbool.h>
#include <stdint.h>

struct promising {
    enum promise_objective objective;
    int64_t spare_nodes; /* a promise survives the loss of so many nodes */
    int64_t node_loss_s; /* seconds of work that one costs a job at most, its new start aside */
    double confidence;   /* per cent, the chance that a promise holds against slow trainers; 0: as
                            profiled */
    const char *shares;  /* of users, see state/promise_shares.h; NULL for no limit */
    int64_t horizon_s;   /* that they are shares of */
    uint64_t fails_each; /* for tests: the safety test fails once in so many times, whatever it
                            finds; 0 for never */
    bool looks_at_all;   /* for tests: also at jobs that can hold nothing in a round */
};

/* A checkpoint each 600 s, and a lease of 60 s. */
#define PROMISING_DEFAULT                                                                          \
    {                                                                                              \
        .node_loss_s = 700, .horizon_s = PROMISE_HORIZON_USUAL_S                                   \
    }

/* The options of such a policy, and what they make of its promises. */
extern const struct policy_options promising_options;
struct promise_terms promising_terms(const void *values);

#endif
