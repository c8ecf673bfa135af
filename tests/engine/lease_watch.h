/* lease_watch.h - a run of random jobs on leases in which every round is looked at: no job holds
 * GPUs that are not there, plans are as long as they must be and end in time, what is free is what
 * no plan has taken; and in the end every promise was kept, and every second is accounted for,
 * unless a cluster took some back. */
#ifndef TESTS_LEASE_WATCH_H
#define TESTS_LEASE_WATCH_H

#include "tests/engine/random_leases.h"

/* What came up. */
struct lease_tally {
    long runs;
    long rounds;
    long kept;       /* promises */
    long late;       /* jobs without one */
    long withdrawn;  /* promises, on clusters that did otherwise than planned */
    long soft_plans; /* of jobs with several deadlines */
    long by_method[LEASE_METHODS];
    long fallbacks; /* a solver was asked, and the plan decided */
};

/* Called with each lease round that had jobs to choose from, to look at what it has on record; NULL
 * for none. */
typedef void lease_watcher(const struct lease_round *round, const void *context);

/* Runs `random` to its end and adds to `tally`. If a round is not as it must be the test fails,
 * with the jobs printed. */
void lease_watch_run(const struct random_leases *random, lease_watcher *watcher,
                     const void *context, struct lease_tally *tally);

/* Prints a tally, as of `what`. */
void lease_tally_print(const struct lease_tally *tally, const char *what);

#endif
