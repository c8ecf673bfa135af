/* promise.h - what a job was promised, and what became of it. */
#ifndef STATE_PROMISE_H
#define STATE_PROMISE_H

#include <stdint.h>

enum promise_state {
    PROMISE_NONE,      /* nothing was promised */
    PROMISE_STANDS,    /* the job is still to end */
    PROMISE_WITHDRAWN, /* it cannot be kept any more: known before the deadline, with a cause */
    PROMISE_KEPT,      /* the job ended by its deadline */
    PROMISE_BROKEN,    /* it did not */
};

struct promise {
    enum promise_state state;
    int64_t deadline_s; /* by which the job is promised to be done */
    int64_t made_s;     /* when that was said */
};

#endif
