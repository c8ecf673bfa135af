/* fake_source.h - capacity without processes, for tests: nodes come and go as the test says, and
 * trainers do what the plan in force expects of them, by a clock that the test turns. */
#ifndef SUPPORT_FAKE_SOURCE_H
#define SUPPORT_FAKE_SOURCE_H

#include "scheduler/capacity/capacity.h"

typedef struct fake_source fake_source_t;

/* Trainers go by `clock`, which is lent. */
fake_source_t *fake_source_new(const struct run_clock *clock);
void fake_source_destroy(fake_source_t **self);
struct capacity_source fake_source_port(fake_source_t *self);

/* A node comes, with a number that no node has which is there, and ranks of its own. Returns the
 * number. */
int fake_source_add(fake_source_t *self, const char *name, int gpus);

/* The node leaves, for that reason, and jobs on it are lost. The number is another node's from then
 * on. */
void fake_source_remove(fake_source_t *self, int number, const char *cause);

/* The node of that number is known to be there until then, NEVER_S for an open end. */
void fake_source_until(fake_source_t *self, int number, int64_t until_s);

/* Trainers say how far they are by now; those that did all iterations end. */
void fake_source_tell(fake_source_t *self);

/* Trainers of the job fail for good. */
void fake_source_fail(fake_source_t *self, uint64_t job, const char *cause);

/* The plan in force, lent until the next; how many plans came; the programs that were named. */
const struct msg_plan *fake_source_plan(const fake_source_t *self);
int fake_source_plans(const fake_source_t *self);
int fake_source_programs(const fake_source_t *self);

/* The GPUs of the job in the plan in force; its first rank, -1 without GPUs. */
int fake_source_gpus(const fake_source_t *self, uint64_t job);
int fake_source_rank(const fake_source_t *self, uint64_t job);

/* Nodes that the source remembers, gone ones included. */
int fake_source_nodes(const fake_source_t *self);

#endif
