/* walk.h - a run of the engine taken round by round, with a look at the jobs in between. */
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

/* The run of `world` before its first round; the test fails if it cannot begin. */
walk_t *walk_new(const struct world *world);
void walk_destroy(walk_t **self);

/* The same for `jobs` (taken) under `setting`, but under the policy of that name with those rules
 * and under the placement that it works with. `cluster`, lent, says what happens; NULL: all goes as
 * expected. */
walk_t *walk_of(const char *policy, const char *rules, const struct engine_setting *setting,
                submissions_t *jobs, scripted_cluster_t *cluster);

/* Runs one round. Returns false if it was the last; the test fails if the run cannot go on. */
bool walk_round(walk_t *self);

/* When that round was. */
int64_t walk_now_s(const walk_t *self);

/* The job in that row of the trace, as the round has left it. */
const struct job *walk_job(const walk_t *self, size_t row);

size_t walk_job_count(const walk_t *self);

/* GPUs of the nodes that are there. */
int walk_gpus_up(const walk_t *self);

/* What is promised to which job, under a policy that lends GPUs by the lease. */
lease_book_t *walk_leases(const walk_t *self);

/* The jobs that have arrived and are not done, in the order of the trace and with blanks between
 * them: ID, R or p for one that runs or waits, [SECONDS] on its GPUs, +SECONDS of overhead that it
 * owes, if any, and Q with its queue if that is not the first. Lent until the next call. */
const char *walk_show(walk_t *self);

/* What a round leaves, as walk_show or the like tells it. */
struct walk_step {
    int64_t now_s;
    const char *jobs;
};

/* Takes all rounds to the end of the run; they must be these, as told by `show`. */
void walk_all(walk_t *self, const struct walk_step *steps, size_t count,
              const char *(*show)(walk_t *self));

/* Runs `world` to its end; its rounds must be these. */
void walk_check(const struct world *world, const struct walk_step *steps, size_t count);

#endif
