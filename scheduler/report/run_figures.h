/* run_figures.h - the figures of each run, in one table: summary.json, columns and the manual walk
 * the table. Figures of a policy's own are in policies/policy_figures.h. docs/metrics.md defines
 * each figure. */
#ifndef REPORT_RUN_FIGURES_H
#define REPORT_RUN_FIGURES_H

#include "common/figure.h"
#include "scheduler/report/report.h"

#include <jansson.h>
#include <stdbool.h>

/* The parts of a summary, each complete or absent. */
enum figure_part {
    PART_OUTCOMES,
    PART_SOFT, /* in traces with soft deadlines */
    PART_COUNTS,
    PART_METRICS,
    PART_QUEUES, /* for policies with queues */
    PART_BOUNDS, /* if bounds were wanted */
    PART_VALUE_BOUNDS,
    PART_END
};

struct run_figure {
    struct figure figure; /* a field of struct figures */
    enum figure_part part;
    bool of_promises; /* 0 for policies without promises */
};

/* In the order of summary.json; the last one has PART_END. */
extern const struct run_figure run_figures[];

/* Whether a run has figures of that part. */
bool run_figures_have(const struct figures *figures, enum figure_part part);

/* Adds the figures of that part, if the run has the part, to the object of a summary. */
void run_figures_add(const struct figures *figures, enum figure_part part, json_t *summary);

#endif
