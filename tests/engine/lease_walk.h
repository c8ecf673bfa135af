/* lease_walk.h - a run of the engine with jobs on leases, taken round by round. The test looks at
 * the lease book after each round. */
#ifndef TESTS_LEASE_WALK_H
#define TESTS_LEASE_WALK_H

#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/leasing.h"
#include "tests/engine/walk.h"
#include "tests/support/lease_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The setting of the run. Jobs are in the order of the trace. */
struct lease_setting {
    const struct lease_job *jobs;
    size_t job_count;
    int gpu_count; /* GPUs of a node */
    int nodes;
    struct leasing leasing;
    const char *rules;           /* rules of chronus; NULL for the reference's */
    scripted_cluster_t *cluster; /* says what happens; NULL if everything goes as expected */
};

/* The run before its first round. */
walk_t *lease_walk_new(const struct lease_setting *setting);

/* The lease of the job in row `row` of the trace. */
const struct lease *lease_walk_lease(const walk_t *walk, size_t row);

/* The jobs that have arrived and are not done, in the order of the trace and with blanks between
 * them. A job is its ID; L for a lease, R for free GPUs, or p for none; u, x or b if it is not
 * accepted; ^ if it outlived its estimate; [SECONDS] credited; and {SLOTS} planned. The text is
 * lent until the next call. */
const char *lease_walk_show(walk_t *walk);

/* The outcome of a job. */
struct lease_fate {
    double ended_s;
    int64_t starts;
    int64_t leases;
    int64_t waited_s;
    enum lease_class class;
    bool missed;
};

/* Runs the setting to its end. Checks that the rounds are `steps` and the outcomes `fates`. */
void lease_walk_check(const struct lease_setting *setting, const struct walk_step *steps,
                      size_t count, const struct lease_fate fates[]);

/* Whether the job ended after the deadline by which it is judged. */
bool lease_walk_missed(const struct lease *lease);

/* Fails unless the seconds in which the job held its GPUs or was credited with waiting, up to
 * `retired_s`, are those of its work and its starts. */
void lease_walk_check_account(const struct lease *lease, int64_t retired_s);

#endif
