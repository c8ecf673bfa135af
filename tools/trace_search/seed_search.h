/* seed_search.h - looks for the lowest seed that passes its trial, with several processes. */
#ifndef TRACE_SEARCH_SEED_SEARCH_H
#define TRACE_SEARCH_SEED_SEARCH_H

#include "common/error.h"
#include "tools/trace_search/trial.h"

#include <stddef.h>
#include <stdint.h>

struct seed_search {
    struct trial_setting trial;
    int64_t first;
    int64_t last;    /* >= first */
    size_t parallel; /* number of processes, at least 1 */
};

enum seed_verdict { SEED_FOUND, SEED_NONE, SEED_STOPPED };

struct seed_finding {
    enum seed_verdict verdict;
    int64_t seed; /* the seed found; if stopped, the first seed not tried */

    /* If no seed was found: the number of seeds that could not be tried, the first such seed, and
     * the reason. */
    int64_t undecided;
    int64_t undecided_first;
    struct error undecided_why;
};

/* Searches. The finding does not depend on the number of processes. A signal that asks to stop ends
 * the search. Returns -1, with `error`, if a process cannot start or fails. */
int seed_search_run(const struct seed_search *search, struct seed_finding *finding,
                    struct error *error);

#endif
