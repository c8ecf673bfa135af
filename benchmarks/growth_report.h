/* growth_report.h - prints how a cost grew, and whether that is within the bound. */
#ifndef BENCHMARKS_GROWTH_REPORT_H
#define BENCHMARKS_GROWTH_REPORT_H

#include "benchmarks/samples.h"

#include <stdint.h>

/* The cost of a round grows no faster than its size to this power. */
#define GROWTH_BOUND 1.2

struct growth_subject {
    const char *name;
    const char *size;  /* what the size counts */
    const char *ended; /* why the measurement ended */
    int gpus;
    size_t samples_min; /* for a point of the line */
    double size_min;    /* smaller rounds cost what every round costs, and would flatten the line */
};

/* One line for each point, then one for the fit: the exponent of all points, and the steepest of
 * any four in a row, which neither small sizes nor a change of regime can hide. */
void growth_report(growth_t *growth, const struct growth_subject *subject);

#endif
