/* submission_line.h - writes and reads a submission, and a row of a throughput table, in a line of
 * a record. */
#ifndef RECORD_SUBMISSION_LINE_H
#define RECORD_SUBMISSION_LINE_H

#include "scheduler/record/wording.h"
#include "scheduler/state/submission.h"

#define ROW_NONE (-1)

/* The numbers that rows of throughput tables have in the record. */
struct row_numbers {
    int64_t known; /* rows below this number were written by earlier lines */
    int64_t row;   /* row of the job in the only pool, or ROW_NONE */
    int pool_count;
    bool by_pool; /* the job has a row for each pool, or ROW_NONE for a pool: */
    int64_t of[CLUSTER_POOLS_MAX];
};

/* A submission from its number on, with `numbers` for its rows. */
void submission_line(struct wording *line, struct submission *job, struct row_numbers *numbers);

/* A row without its number. */
void row_line(struct wording *line, struct throughput_row *row);

#endif
