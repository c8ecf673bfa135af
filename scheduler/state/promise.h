/* promise.h - what a job was promised, and what became of it. */
#ifndef STATE_PROMISE_H
#define STATE_PROMISE_H

#include <stdbool.h>
#include <stdint.h>

enum promise_state {
    PROMISE_NONE,      /* nothing was promised */
    PROMISE_STANDS,    /* the job is still to end */
    PROMISE_WITHDRAWN, /* it cannot be kept any more: known before the deadline, with a cause */
    PROMISE_KEPT,      /* the job ended by its deadline */
    PROMISE_BROKEN,    /* it did not */
};

/* For what a promise is withdrawn. */
enum withdrawal_cause {
    WITHDRAWN_FOR_NODE,       /* a node left, is drained, or came back */
    WITHDRAWN_FOR_SPEED,      /* the job does not run at the speed that it was planned with */
    WITHDRAWN_FOR_STANDSTILL, /* it did not go on */
    WITHDRAWN_FOR_LOST_WORK,  /* it lost work, not for a node that left */
    WITHDRAWN_FOR_START,      /* a start took longer than planned */
    WITHDRAWN_FOR_OTHER_JOB,  /* another job did less than planned */
    WITHDRAWN_FOR_PLAN,       /* all is planned anew, and nothing of these is known */
    WITHDRAWN_FOR_PARENT,     /* a job that it waits for did not end as it has to */
    WITHDRAWAL_CAUSES,
};

/* Their words; ended with NULL. */
extern const char *const withdrawal_words[];

/* The exposure of a job's course to losses of nodes from a round on. */
struct exposure {
    double node_s; /* seconds of nodes that it is to stand on, all added up */
    int losses;    /* of them that its promise survives */
};

struct promise {
    enum promise_state state;
    int64_t deadline_s; /* by which the job is promised to be done */
    int64_t made_s;     /* when that was said */
    bool at_risk;       /* it stands, with less than the margin for slow trainers */
};

#endif
