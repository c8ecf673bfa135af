/* trial.h - whether the trace of a seed gives the wanted counts.
 *
 * The trace is written to a file in memory, and simulated under one policy after another until a
 * policy gives other counts. */
#ifndef TRACE_SEARCH_TRIAL_H
#define TRACE_SEARCH_TRIAL_H

#include "common/error.h"
#include "scheduler/run/simulation.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_search/wanted.h"
#include "tools/trace_tools/recipe.h"

#include <stdint.h>

struct trial_setting {
    struct recipe recipe;            /* settings of the trace, except the seed */
    const throughput_table_t *table; /* throughput table of the recipe */
    struct simulation simulation;    /* settings of the simulation, except trace and policy */
    struct wanted wanted;
};

typedef struct trial trial_t;

/* Makes a trial. `setting` must outlive the trial. Returns NULL, with `error`, if there is no
 * memory for a file. */
trial_t *trial_new(const struct trial_setting *setting, struct error *error);
void trial_destroy(trial_t **self);

/* Tries a seed. Returns 1 if the seed gives all counts, 0 if some policy gives other counts.
 * Returns -1 if the trace cannot be made, or if policies cannot run on the trace: `error` is about
 * the first such policy in the list. The answer does not depend on the seeds tried before; the time
 * does. */
int trial_of(trial_t *self, int64_t seed, struct error *error);

#endif
