/* lease_watch.h - checks every round of a run of random jobs on leases. Jobs hold only GPUs that
 * exist. Plans have the length that their jobs need and end in time. The free GPUs are those of no
 * plan. At the end every promise was kept and every second is accounted for, unless the cluster
 * took GPUs back. */
#ifndef TESTS_LEASE_WATCH_H
#define TESTS_LEASE_WATCH_H

#include "tests/engine/random_leases.h"

/* Counts of what the runs had, which show that they tried something. */
struct lease_tally {
    long runs;
    long rounds;
    long kept;       /* promises that were kept */
    long late;       /* jobs without a promise that ended late */
    long withdrawn;  /* promises that were withdrawn, on clusters that did not go as planned */
    long soft_plans; /* plans of jobs with several deadlines */
    long by_method[LEASE_METHODS];
    long fallbacks; /* rounds in which a solver was asked, but the plan decided */
};

/* Called with each lease round that had jobs to choose from, to check its record. May be NULL. */
typedef void lease_watcher(const struct lease_round *round, const void *context);

/* Runs `random` to its end and adds to `tally`. If a round breaks a rule, the test fails and prints
 * the jobs. */
void lease_watch_run(const struct random_leases *random, lease_watcher *watcher,
                     const void *context, struct lease_tally *tally);

/* Prints `tally` under the title `what`. */
void lease_tally_print(const struct lease_tally *tally, const char *what);

#endif
