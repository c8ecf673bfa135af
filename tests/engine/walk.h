/* walk.h - a run of the engine, taken round by round. The test looks at the jobs after each
 * round. */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include "scheduler/engine/engine.h"
#include "scheduler/reference/lease_book.h"
#include "tests/engine/both_worlds.h"
#include "tests/engine/scripted_cluster.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct walk walk_t;

/* The run of `world` before its first round. The test fails if the run cannot begin. */
walk_t *walk_new(const struct world *world);
void walk_destroy(walk_t **self);

/* The run of `jobs`, which it takes, under `setting`, but with the policy and rules of these names
 * and the placement of that policy. `cluster`, which is lent, says what happens. If `cluster` is
 * NULL, everything goes as expected. */
walk_t *walk_of(const char *policy, const char *rules, const struct engine_setting *setting,
                submissions_t *jobs, scripted_cluster_t *cluster);

/* Runs one round. Returns false after the last round. The test fails if the run cannot go on. */
bool walk_round(walk_t *self);

/* The time of the last round. */
int64_t walk_now_s(const walk_t *self);

/* The job in row `row` of the trace after the last round. */
const struct job *walk_job(const walk_t *self, size_t row);

size_t walk_job_count(const walk_t *self);

/* The GPUs of the nodes that are up. */
int walk_gpus_up(const walk_t *self);

/* The lease book, under a policy that lends GPUs by the lease. */
lease_book_t *walk_leases(const walk_t *self);

/* The jobs that have arrived and are not done, in the order of the trace and with blanks between
 * them. A job is its ID; R or p if it runs or waits; [SECONDS] on its GPUs; +SECONDS of overhead
 * that it owes, if any; and Q with its queue, if that is not the first. The text is lent until the
 * next call. */
const char *walk_show(walk_t *self);

/* The time of a round, and the jobs after it as walk_show or lease_walk_show prints them. */
struct walk_step {
    int64_t now_s;
    const char *jobs;
};

/* Runs all rounds. Checks that they are `steps`, as `show` prints them. */
void walk_all(walk_t *self, const struct walk_step *steps, size_t count,
              const char *(*show)(walk_t *self));

/* Runs `world` to its end. Checks that its rounds are `steps`. */
void walk_check(const struct world *world, const struct walk_step *steps, size_t count);

#endif
