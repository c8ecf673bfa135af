/* promise.h - the promise to a job, and its outcome. */
#ifndef STATE_PROMISE_H
#define STATE_PROMISE_H

#include <stdbool.h>
#include <stdint.h>

enum promise_state {
    PROMISE_NONE,      /* nothing was promised */
    PROMISE_STANDS,    /* the job is still to end */
    PROMISE_WITHDRAWN, /* known before the deadline, with a cause, not to be kept */
    PROMISE_KEPT,      /* the job ended by its deadline */
    PROMISE_BROKEN,    /* the job did not end by its deadline */
};

/* Causes for which promises are withdrawn. */
enum withdrawal_cause {
    WITHDRAWN_FOR_NODE,       /* a node left, is drained, or came back */
    WITHDRAWN_FOR_SPEED,      /* the job does not run at the speed that it was planned with */
    WITHDRAWN_FOR_STANDSTILL, /* the job stood still */
    WITHDRAWN_FOR_LOST_WORK,  /* the job lost work, though no node left */
    WITHDRAWN_FOR_START,      /* a start took longer than planned */
    WITHDRAWN_FOR_OTHER_JOB,  /* another job did less than planned */
    WITHDRAWN_FOR_PLAN,       /* all jobs are planned anew, for no cause above */
    WITHDRAWN_FOR_PARENT,     /* a parent of the job did not end as it has to */
    WITHDRAWAL_CAUSES,
};

/* Words of the causes, ended with NULL. */
extern const char *const withdrawal_words[];

/* The exposure of a job's course to losses of nodes from a round on. */
struct exposure {
    double node_s; /* node-seconds on which the job is to stand */
    int losses;    /* losses of nodes that its promise survives */
};

struct promise {
    enum promise_state state;
    int64_t deadline_s; /* promised deadline */
    int64_t made_s;     /* when the promise was made */
    bool at_risk;       /* the promise stands, with less than its margin for slow trainers */
};

#endif
