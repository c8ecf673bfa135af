/* rules.h - the invariants that every run must keep, with one source file for each rule. */
#ifndef CHECK_RULES_H
#define CHECK_RULES_H

#include "tests/e2e/check/holds.h"
#include "tests/e2e/check/run_logs.h"

struct run {
    const struct run_logs *logs; /* sorted */
    const struct holds *holds;
    bool complete; /* the run ended cleanly, so that nothing may be left */
    bool credited; /* a scheduler credits the steps, and may credit more than were done (GA-Q7) */
};

/* I2: a job has one live incarnation, a GPU has one holder, and no command of an earlier
 * incarnation is obeyed. */
void rule_one_holder(const struct run *run, findings_t *findings);
void rule_fencing(const struct run *run, findings_t *findings);

/* I3: a GPU is given away again only after the confirmed exit of its trainer, or after the end of
 * its lease. */
void rule_lending(const struct run *run, findings_t *findings);

/* I8: a command that is repeated takes effect once. */
void rule_one_effect(const struct run *run, findings_t *findings);

/* I9: everything that began has ended. */
void rule_nothing_left(const struct run *run, findings_t *findings);

/* I10: no step before a confirmed checkpoint is done again, and no step is skipped. */
void rule_progress(const struct run *run, findings_t *findings);

/* I12: no process is ended by a signal that no process sent, and no assertion fails. */
void rule_endings(const struct run *run, findings_t *findings);

/* Checks all rules. */
void rules_judge(const struct run *run, findings_t *findings);

#endif
