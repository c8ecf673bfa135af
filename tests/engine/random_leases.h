/* random_leases.h - random jobs on leases: strict, soft and best-effort ones, leases short and
 * long, admissions within them and far apart, looks at odd times, quirks put right. */
#ifndef TESTS_RANDOM_LEASES_H
#define TESTS_RANDOM_LEASES_H

#include "common/rng.h"
#include "tests/engine/lease_walk.h"

#include <stdbool.h>

#define RANDOM_LEASES_JOBS 24

/* A setting, without a solver, and the room for it; `setting` points into it. */
struct random_leases {
    struct lease_setting setting;
    struct lease_job jobs[RANDOM_LEASES_JOBS];
    char ids[RANDOM_LEASES_JOBS][24];
    char rules[100];
    bool plain_sizes; /* all of them powers of two */
};

void random_leases_pick(struct random_leases *self, rng_t *rng);

/* Prints it, the jobs as a test would state them. */
void random_leases_print(const struct random_leases *self);

#endif
