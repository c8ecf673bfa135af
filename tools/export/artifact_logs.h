/* clang-format off */
/* artifact_logs.h - the results of a run as the logs that the published artifact's plot scripts
 * read.
 *
 *   scheduling_events.csv  time,gpu0-0,...,ce: which job holds each GPU, by its row in the trace
 *   job.csv                a row for each retired job
 *   final_result.csv       the share of accepted jobs
 *
 * For a policy with leases, scheduling_events.csv has the columns below, and
 * time-aware-with-lease_resource.csv is a copy of scheduling_events.csv.
 *
 *   time,full_resource,free_resource,pending_num,running_num,ce */
/* clang-format on */
#ifndef EXPORT_ARTIFACT_LOGS_H
#define EXPORT_ARTIFACT_LOGS_H

#include "common/error.h"

#include <stdbool.h>

/* Reads the result folder `results` and writes the logs into `folder`, created if missing. Existing
 * logs are replaced only if `forced`. Returns -1, with `error`, if a file cannot be read or
 * written; no file is then left incomplete. */
int artifact_logs_write(const char *results, const char *folder, bool forced, struct error *error);

#endif
