/* fake_source.h - a capacity without processes, for tests. Nodes come and go as the test says.
 * Trainers do what the current plan expects of them, by a clock that the test turns. */
#ifndef SUPPORT_FAKE_SOURCE_H
#define SUPPORT_FAKE_SOURCE_H

#include "scheduler/capacity/capacity.h"

typedef struct fake_source fake_source_t;

/* A source whose trainers follow `clock`, which is lent. */
fake_source_t *fake_source_new(const struct run_clock *clock);
void fake_source_destroy(fake_source_t **self);
struct capacity_source fake_source_port(fake_source_t *self);

/* Adds a node. Returns its number, which no other present node has, and which gives it ranks of its
 * own. */
int fake_source_add(fake_source_t *self, const char *name, int gpus);

/* Removes the node for the reason `cause`. Jobs on it are lost. A later node may have its
 * number. */
void fake_source_remove(fake_source_t *self, int number, const char *cause);

/* Makes known that the node is there until `until_s`, NEVER_S for an open end. */
void fake_source_until(fake_source_t *self, int number, int64_t until_s);

/* Lets the trainers report their progress. Trainers that have done all iterations end. */
void fake_source_tell(fake_source_t *self);

/* Lets the trainers of the job fail for good. */
void fake_source_fail(fake_source_t *self, uint64_t job, const char *cause);

/* The current plan, lent until the next plan comes; the number of plans that came; the number of
 * programs that were named. */
const struct msg_plan *fake_source_plan(const fake_source_t *self);
int fake_source_plans(const fake_source_t *self);
int fake_source_programs(const fake_source_t *self);

/* The GPUs of the job in the current plan; its first rank, -1 if it has no GPUs. */
int fake_source_gpus(const fake_source_t *self, uint64_t job);
int fake_source_rank(const fake_source_t *self, uint64_t job);

/* The number of nodes that the source remembers, present or gone. */
int fake_source_nodes(const fake_source_t *self);

#endif
