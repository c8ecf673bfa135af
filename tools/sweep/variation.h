/* variation.h - a trace with its arrivals closer together, its deadlines tighter, more of its jobs
 * without a deadline or other arrival times. */
#ifndef SWEEP_VARIATION_H
#define SWEEP_VARIATION_H

#include "common/error.h"
#include "common/options.h"

#include <stdbool.h>
#include <stdint.h>

/* The tightness that leaves the trace's deadlines unchanged. */
#define TIGHTNESS_OF_TRACE ((struct option_range){-1, -1})

struct variation {
    double load;                   /* factor on the rate of arrivals; 1: as in the trace */
    struct option_range tightness; /* time to the deadline as a multiple of the duration */
    double best_effort;            /* share of the jobs that lose their deadline */
    int64_t seed; /* seed of all draws; if not 0, the gaps between arrivals are shuffled too */
};

/* Whether the variation leaves the trace unchanged. */
bool variation_is_none(const struct variation *self);

/* Writes the trace at `trace`, varied, to the file `path`. The draws for one parameter do not
 * depend on the other parameters. Returns -1 with `error` if the trace cannot be varied in this
 * way. */
int variation_write(const struct variation *self, const char *trace, const char *path,
                    struct error *error);

#endif
