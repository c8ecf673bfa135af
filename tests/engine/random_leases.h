/* random_leases.h - draws jobs on leases at random. Jobs are strict, soft or best effort. Leases
 * are short or long, with admissions within a lease or far apart, and rounds at odd times. Some
 * quirks are put right. */
#ifndef TESTS_RANDOM_LEASES_H
#define TESTS_RANDOM_LEASES_H

#include "common/rng.h"
#include "tests/engine/lease_walk.h"

#include <stdbool.h>

#define RANDOM_LEASES_JOBS 24

/* A setting without a solver, and the memory that `setting` points to. */
struct random_leases {
    struct lease_setting setting;
    struct lease_job jobs[RANDOM_LEASES_JOBS];
    char ids[RANDOM_LEASES_JOBS][24];
    char rules[100];
    bool plain_sizes; /* all sizes of jobs are powers of two */
};

void random_leases_pick(struct random_leases *self, rng_t *rng);

/* Prints the setting, with the jobs in the form in which a test states them. */
void random_leases_print(const struct random_leases *self);

#endif
