/* run_state.h - what a state must have of a run that goes on with it. */
#ifndef RUN_RUN_STATE_H
#define RUN_RUN_STATE_H

#include "scheduler/journal/journal.h"
#include "scheduler/report/report.h"
#include "scheduler/run/inputs.h"

/* The setting and the jobs are those that the run began with, be it now. What a killed process left
 * of its report is removed. -1 with `error`. */
int run_state_settle(journal_t *journal, const struct inputs *inputs,
                     const struct simulation *simulation, const report_t *report,
                     struct error *error);

#endif
