/* need.h - the least GPU time of a job with a deadline under any scheduler. */
#ifndef BOUND_NEED_H
#define BOUND_NEED_H

#include "scheduler/state/levels.h"
#include "scheduler/state/scaling.h"
#include "scheduler/state/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The price of a start, in seconds on its GPUs, by scaling_class of their number. */
struct start_prices {
    int of_class_s[SCALING_CLASSES];
};

enum starts {
    STARTS_FREE,
    STARTS_KNOWN, /* on GPUs that ran together before: the lowest price of a start */
    STARTS_NEW,   /* on GPUs that never ran together, as on an empty cluster */
};

struct start_prices start_prices_of(enum starts starts, int cluster_gpus);

/* The GPU time that a job asks for until a date. The needs of a job with several dates stand
 * together by rising dates and falling worth. A schedule serves at most one need of a job.
 *
 * The job may take the steps one after the other: each step adds GPUs, and adds to the job's rate.
 * The gain of a GPU falls from step to step, so nothing is lost by taking a part of a step, or
 * steps out of order: the least GPUs for a mean rate take the steps in this order. */
struct need {
    int64_t begin_s;
    int64_t end_s; /* the date of this need */
    double worth;  /* worth of the job if it ends by `end_s`, > 0: 1 where jobs are counted */
    bool is_other; /* a need of the same job as the need before, for a later date */
    double iterations;
    int step_count;
    double step_gpus[SCALING_LEVELS];
    double step_rate[SCALING_LEVELS]; /* iterations/s */
};

/* The need of `job`, which has a row of a throughput table. False if it has no deadline, or could
 * not meet it alone on an empty cluster.
 *
 * Levels are the powers of two whose rate is above that of all levels below them, up to the GPUs of
 * the cluster, the batch size and 64; or the one number of GPUs that its row has. Their rates are
 * lowered by the price of a start, such that whatever is done at a level takes no less of its GPUs
 * than in any schedule; need.c has the proof. */
bool need_of(const struct submission *job, int cluster_gpus, const struct start_prices *prices,
             struct need *need);

/* The needs of `job` for each of its dates that the job could meet alone, in `needs`; the worth of
 * each is the job's value by that date, in tenths. Returns the number of needs. */
size_t needs_of_dates(const struct submission *job, int cluster_gpus,
                      const struct start_prices *prices, struct need needs[LEVELS_MAX]);

/* The end of the needs of the job whose first need is at `first`. */
size_t needs_end(const struct need needs[], size_t need_count, size_t first);

#endif
