/* verdict.h - what a job is told when it has arrived. */
#ifndef STATE_VERDICT_H
#define STATE_VERDICT_H

#include "scheduler/state/job.h"

#include <stdint.h>

enum verdict_kind {
    VERDICT_PROMISED,    /* it will end by its deadline */
    VERDICT_BEST_EFFORT, /* it runs, and nothing is promised */
    VERDICT_DECLINED,    /* it never runs */
};

enum verdict_reason {
    REASON_FITS,        /* a plan meets all deadlines with it */
    REASON_NO_DEADLINE, /* it has none */
    REASON_NO_PROMISES, /* the policy promises nothing */
    REASON_NO_ROOM,     /* no plan was found that meets all deadlines with it */
    REASON_TOO_LARGE,   /* it asks for more GPUs than there are */
};

struct verdict {
    enum verdict_kind kind;
    enum verdict_reason reason;
    int64_t promised_s; /* the deadline that is promised, DEADLINE_NONE_S for none */
};

#endif
