/* grant_report.h - grants.csv, of runs whose policy gives grants of its own: what each job was
 * given, whenever that changes.
 *
 *   time,job_id,gpus,batch_size,iterations_per_s,partner,overhead_s
 *
 * batch_size is empty where it is that of the trace, partner where the GPUs are the job's own. The
 * overhead is what the job still pays before it goes on. A job that holds nothing has no row for
 * that: rounds.csv says so. */
#ifndef REPORT_GRANT_REPORT_H
#define REPORT_GRANT_REPORT_H

#include "common/output.h"
#include "scheduler/state/job.h"

#include <stddef.h>
#include <stdint.h>

typedef struct grant_report grant_report_t;

/* Begins `out`, which is lent. */
grant_report_t *grant_report_new(output_t *out);
void grant_report_destroy(grant_report_t **self);

/* Tells the grants that the jobs of `live` hold in the round at `now_s`. */
void grant_report_round(grant_report_t *self, int64_t now_s, const struct job *const live[],
                        size_t count);

#endif
