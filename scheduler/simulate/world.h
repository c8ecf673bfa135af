/* world.h - deviations of jobs and nodes in a simulation from the tables.
 *
 * The engine learns of them by occurrences: progress of jobs, nodes that left or came, starts that
 * took another time than charged. A job saves its progress after each stretch of training of the
 * stated length, and whenever it is stopped by a plan; a job that stood on a node that is lost goes
 * back to that. A loss is known at once. Each job has a speed of its own for the whole run. */
#ifndef SIMULATE_WORLD_H
#define SIMULATE_WORLD_H

#include "scheduler/engine/engine.h"
#include "scheduler/state/world_setting.h"

typedef struct world world_t;

/* Lent until the next call. */
struct happenings {
    const struct occurrence *items;
    size_t count;
};

/* A world of the nodes of `spec`, which are all up and leave as it says, for rounds `slot_s` apart;
 * both are lent. NULL with `error` if the file of faults cannot be read. */
world_t *world_new(const struct world_setting *setting, const struct cluster_spec *spec,
                   int64_t slot_s, struct error *error);
void world_destroy(world_t **self);

/* Begins the run: nodes that are absent from the start, and those that leave at a known time. */
struct happenings world_begin(world_t *self, int64_t now_s);

/* Carries out `decision`: returns starts that take another time than charged. */
struct happenings world_start_jobs(world_t *self, const struct decision *decision);

/* The time of the next event after `decision`; NEVER_S at the end of the run. */
int64_t world_next_s(const world_t *self, const engine_t *engine, const struct decision *decision);

/* Whether all is done then: 1 if nodes left as was known and jobs can never run any more, which
 * fail in `happenings`; -1, with `error`, if jobs wait for nodes otherwise. */
int world_check_over(world_t *self, const engine_t *engine, const struct decision *decision,
                     struct happenings *happenings, struct error *error);

/* Lets the world go on up to `now_s`. -1 with `error` if the engine cannot go on, or no further
 * event is possible. */
int world_go_on(world_t *self, engine_t *engine, const struct decision *decision, int64_t now_s,
                struct happenings *happenings, struct error *error);

#endif
