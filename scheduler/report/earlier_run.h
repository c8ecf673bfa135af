/* earlier_run.h - protects results of another run from being replaced. */
#ifndef REPORT_EARLIER_RUN_H
#define REPORT_EARLIER_RUN_H

#include "scheduler/report/report.h"

/* A run may replace its own results: those of the same policy and settings on inputs with the same
 * checksums, whatever their names. -1, with `error` that names the first difference, if `folder`
 * holds the results of another run. Results of a version without checksums are told apart by the
 * names of trace and cluster. A folder without a readable summary holds no run. */
int earlier_run_check(const char *folder, const struct setting_names *names, struct error *error);

#endif
