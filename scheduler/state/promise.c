/* promise.c - see promise.h. */
#include "scheduler/state/promise.h"

#include <stddef.h>

const char *const withdrawal_words[] = {
    [WITHDRAWN_FOR_NODE] = "node",
    [WITHDRAWN_FOR_SPEED] = "speed",
    [WITHDRAWN_FOR_STANDSTILL] = "standstill",
    [WITHDRAWN_FOR_LOST_WORK] = "lost-work",
    [WITHDRAWN_FOR_START] = "start",
    [WITHDRAWN_FOR_OTHER_JOB] = "other-job",
    [WITHDRAWN_FOR_PLAN] = "plan",
    [WITHDRAWN_FOR_PARENT] = "parent",
    [WITHDRAWAL_CAUSES] = NULL,
};
