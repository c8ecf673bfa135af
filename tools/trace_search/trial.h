/* trial.h - whether the trace of a seed gives the wanted counts.
 *
 * The trace is written to a file in memory and simulated under one policy after the other until one
 * gives other counts. */
#ifndef TRACE_SEARCH_TRIAL_H
#define TRACE_SEARCH_TRIAL_H

#include "common/error.h"
#include "scheduler/run/simulation.h"
#include "scheduler/state/throughput.h"
#include "tools/trace_search/wanted.h"
#include "tools/trace_tools/recipe.h"

#include <stdint.h>

struct trial_setting {
    struct recipe recipe;            /* its seed is ignored */
    const throughput_table_t *table; /* throughput table of the recipe */
    struct simulation simulation;    /* its trace and policy are ignored */
    struct wanted wanted;
};

typedef struct trial trial_t;

/* `setting` must outlive the trial. NULL, with `error` set, if there is no memory for a file. */
trial_t *trial_new(const struct trial_setting *setting, struct error *error);
void trial_destroy(trial_t **self);

/* 1 if the seed gives all counts, 0 if some policy gives other counts. -1 if the trace cannot be
 * made, or if policies cannot run on it: `error` is about the first such policy in the list. The
 * answer does not depend on the seeds tried before; the time does. */
int trial_of(trial_t *self, int64_t seed, struct error *error);

#endif
