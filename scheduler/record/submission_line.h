/* submission_line.h - what a line of a record says of a submission, and of a row of a throughput
 * table. */
#ifndef RECORD_SUBMISSION_LINE_H
#define RECORD_SUBMISSION_LINE_H

#include "scheduler/record/wording.h"
#include "scheduler/state/submission.h"

#define ROW_NONE (-1)

/* The numbers that rows of throughput tables have in the record. */
struct row_numbers {
    int64_t known; /* numbers below it are given by lines before */
    int64_t row;   /* of the job in the only pool, or ROW_NONE */
    int pool_count;
    bool by_pool; /* the job has a row for each pool, or ROW_NONE in its place: */
    int64_t of[CLUSTER_POOLS_MAX];
};

/* All of a submission from its number on, but for its rows, in whose place `numbers` stands. */
void submission_line(struct wording *line, struct submission *job, struct row_numbers *numbers);

/* All of a row but for its number. */
void row_line(struct wording *line, struct throughput_row *row);

#endif
