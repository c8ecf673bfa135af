/* summary.h - statistics of a trace: the number and rate of jobs, the resources that jobs ask for,
 * and their urgency. */
#ifndef TRACE_TOOLS_SUMMARY_H
#define TRACE_TOOLS_SUMMARY_H

#include "scheduler/state/submission.h"

#include <stddef.h>
#include <stdint.h>

/* The distribution of a quantity, with quantiles of nearest rank. `count` is 0 if no job has a
 * value. */
struct spread {
    size_t count;
    double mean;
    double min;
    double p10;
    double p25;
    double p50;
    double p75;
    double p90;
    double p99;
    double max;
};

struct gpu_share {
    int gpus; /* 0 where the trace gives no count */
    size_t jobs;
};

struct model_share {
    const char *model; /* lent from the jobs */
    int batch_size;
    size_t jobs;
};

struct summary {
    size_t jobs;
    size_t best_effort_jobs;
    int64_t first_submit_s;
    int64_t last_submit_s;
    double arrivals_per_hour; /* arrivals after the first per hour of the span; 0 without a span */
    struct spread duration_s; /* of jobs with a duration in the trace */
    struct spread tightness;  /* (deadline - submission) / duration, where defined */
    size_t loading_jobs;      /* number of jobs with GPUs and duration in the trace */
    double gpu_hours;         /* sum over the loading jobs of GPUs asked for x duration */
    struct gpu_share *gpus;   /* shares in order of GPU count */
    size_t gpus_count;
    struct model_share *models; /* by name, then batch size */
    size_t models_count;
};

/* Sums up `jobs`, at least one job; the jobs must outlive the summary. */
struct summary summary_of(submissions_t *jobs);
void summary_free(struct summary *self);

/* The offered load: the mean number of GPUs that the jobs would keep busy from the first to the
 * last submission. 0 if all jobs arrive at once. */
double summary_gpus_busy(const struct summary *self);

#endif
