/* run_state.h - checks a state before a run goes on with it. */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include "scheduler/journal/journal.h"
#include "scheduler/report/report.h"
#include "scheduler/run/inputs.h"

/* Checks that setting and jobs are those that the run began with, or stores them in a new state.
 * Removes the draft of a killed process' report. -1 with `error`. */
int run_state_settle(journal_t *journal, const struct inputs *inputs,
                     const struct simulation *simulation, const report_t *report,
                     struct error *error);

#endif
