/* rules.h - what must hold in every run, one file each. */
#ifndef CHECK_RULES_H
#define CHECK_RULES_H

#include "tests/e2e/check/holds.h"
#include "tests/e2e/check/run_logs.h"

struct run {
    const struct run_logs *logs; /* in order */
    const struct holds *holds;
    bool complete; /* it ended cleanly: nothing may be left */
    bool credited; /* steps are what a scheduler credits, which may be more than was done (GA-Q7) */
};

/* I2: one live incarnation of a job, one holder of a GPU, and no command of a former incarnation
 * obeyed. */
void rule_one_holder(const struct run *run, findings_t *findings);
void rule_fencing(const struct run *run, findings_t *findings);

/* I3: a GPU is given away again only after a confirmed exit or behind the end of its lease. */
void rule_lending(const struct run *run, findings_t *findings);

/* I8: a command that comes again has its effect once. */
void rule_one_effect(const struct run *run, findings_t *findings);

/* I9: what began has ended. */
void rule_nothing_left(const struct run *run, findings_t *findings);

/* I10: no step is done again that a confirmed checkpoint has, and none is left out. */
void rule_progress(const struct run *run, findings_t *findings);

/* I12: no process ended by a signal that no process sent, and no assertion failed. */
void rule_endings(const struct run *run, findings_t *findings);

/* All of them. */
void rules_judge(const struct run *run, findings_t *findings);

#endif
