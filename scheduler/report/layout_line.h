/* layout_line.h - the lines of rounds.csv: which job holds which GPUs.
 *
 * A line is a time and JOB@RANKxGPUS for each run of GPUs, JOB being the row of the trace from 0,
 * RANK the first GPU counted through all nodes. Jobs that share GPUs are JOB&JOB@RANKxGPUS, the one
 * that they are counted for first. */
#ifndef REPORT_LAYOUT_LINE_H
#define REPORT_LAYOUT_LINE_H

#include "common/output.h"
#include "scheduler/state/cluster.h"

#include <stdint.h>

typedef struct layout_line layout_line_t;

layout_line_t *layout_line_new(void);
void layout_line_destroy(layout_line_t **self);

/* The line of the round at `now_s`. `cluster` is the same in all calls: the text of an unchanged
 * layout is reused. */
void layout_line_write(layout_line_t *self, output_t *out, int64_t now_s, const cluster_t *cluster);

#endif
