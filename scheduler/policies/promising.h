/* promising.h - what a policy that keeps a plan for its promises is asked for. */
#ifndef POLICIES_PROMISING_H
#define POLICIES_PROMISING_H

#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stdint.h>

/* Of what as much as can be is to end in time. */
enum promise_objective {
    PROMISE_JOBS,      /* jobs, each like the others */
    PROMISE_VALUE,     /* what they are worth to their users */
    PROMISE_GPU_HOURS, /* the least that they take */
};

struct promising {
    enum promise_objective objective;
    int64_t spare_nodes; /* a promise survives the loss of so many nodes */
    int64_t node_loss_s; /* seconds of work that one costs a job at most, its new start aside */
    double confidence;   /* per cent, the chance that a promise holds against slow trainers; 0: as
                            profiled */
    uint64_t fails_each; /* for tests: the safety test fails once in so many times, whatever it
                            finds; 0 for never */
    bool looks_at_all;   /* for tests: also at jobs that can hold nothing in a round */
};

/* What a service takes unless its state has another, and what says that none was named. */
#define CONFIDENCE_OF_SERVICE 95
#define CONFIDENCE_UNSAID     (-1)

/* A promise is at risk without the margin of this confidence at least, however low its own is. */
#define CONFIDENCE_WATCHED 95

/* A checkpoint each 600 s, and a lease of 60 s. */
#define PROMISING_DEFAULT                                                                          \
    {                                                                                              \
        .node_loss_s = 700                                                                         \
    }

/* All names of objectives, ended with NULL, in the order of the enumeration; and the one of a name
 * that is among them. */
const char *const *promise_objective_names(void);
enum promise_objective promise_objective_find(const char *name);

/* What it is worth to end such a job by that step of its deadline. */
double promise_worth(enum promise_objective objective, const struct submission *submission,
                     int step);

#endif
