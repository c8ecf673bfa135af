/* variation.h - a trace with its arrivals closer together, its deadlines tighter, more of its jobs
 * without a deadline or its arrivals in another rhythm. */
#ifndef SWEEP_VARIATION_H
#define SWEEP_VARIATION_H

#include "common/error.h"
#include "common/options.h"

#include <stdbool.h>
#include <stdint.h>

/* The tightness of deadlines that stay as they are in the trace. */
#define TIGHTNESS_OF_TRACE ((struct option_range){-1, -1})

struct variation {
    double load; /* so many times as many arrivals in the same time; 1 for those of the trace */
    struct option_range tightness; /* time to the deadline as a multiple of the duration */
    double best_effort;            /* share of the jobs that lose their deadline */
    int64_t seed; /* of what is drawn; other than 0 it also puts the gaps between arrivals in
                     another order */
};

/* Whether the trace stays as it is. */
bool variation_is_none(const struct variation *self);

/* Writes the trace at `trace`, varied, to the file `path`. What is drawn for one parameter does not
 * depend on the others. -1 with `error` if the trace cannot be varied so. */
int variation_write(const struct variation *self, const char *trace, const char *path,
                    struct error *error);

#endif
