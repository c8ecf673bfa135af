/* lease_walk.h - jobs on leases, run by the engine round by round with a look at the lease book in
 * between. */
#ifndef TESTS_LEASE_WALK_H
#define TESTS_LEASE_WALK_H

#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/leasing.h"
#include "tests/engine/walk.h"
#include "tests/support/lease_job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is run: jobs in the order of the trace. */
struct lease_setting {
    const struct lease_job *jobs;
    size_t job_count;
    int gpu_count; /* of one node, or of so many: */
    int nodes;
    struct leasing leasing;
    const char *rules;           /* of chronus, or NULL */
    scripted_cluster_t *cluster; /* that says what happens; NULL: all goes as expected */
};

/* Before the first round. */
walk_t *lease_walk_new(const struct lease_setting *setting);

/* The lease of the job in that row. */
const struct lease *lease_walk_lease(const walk_t *walk, size_t row);

/* The jobs that have arrived and are not done, in the order of the trace and with blanks between
 * them: ID; L on a lease, R on what was free, or p; u, x or b unless it is accepted; ^ if it
 * outlived its estimate; [SECONDS] credited; and {SLOTS} that are planned. Lent until the next
 * call. */
const char *lease_walk_show(walk_t *walk);

/* What a job comes to. */
struct lease_fate {
    double ended_s;
    int64_t starts;
    int64_t leases;
    int64_t waited_s;
    enum lease_class class;
    bool missed;
};

/* Runs it to its end: its rounds must be these, its jobs come to that. */
void lease_walk_check(const struct lease_setting *setting, const struct walk_step *steps,
                      size_t count, const struct lease_fate fates[]);

/* Whether the end of a job came after the deadline that it is judged by. */
bool lease_walk_missed(const struct lease *lease);

/* Fails unless the job that left at `retired_s` held its GPUs, or was credited with waiting, for as
 * long as its work and its starts took. */
void lease_walk_check_account(const struct lease *lease, int64_t retired_s);

#endif
