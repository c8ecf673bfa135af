/* aside.h - jobs that wait so far behind in the order of deadlines that no plan reaches them. Under
 * `edf` a round plans jobs by deadline until nothing is free and all that run are planned: the jobs
 * behind them hold nothing, have no end in mind and change nothing. They are taken off
 * engine->live, so that no round looks at them, and come back before a plan could reach them.
 *
 * Jobs are planned by deadline, equal ones in the order in which they came. They are served in
 * that order as far as a round without arrivals has sorted them, and behind those by arrival. */
#ifndef REFERENCE_ASIDE_H
#define REFERENCE_ASIDE_H

#include "common/heap.h"
#include "scheduler/engine/round.h"
#include "scheduler/plan/side_table.h"

struct aside {
    heap_t *jobs;         /* by their keys */
    side_table_t *keys;   /* int64_t: the place of a job in the order of planning, 0 for none yet */
    int64_t next_arrival; /* from 1 */
    int64_t sorted_before; /* jobs that came earlier are served by deadline */
    int64_t *work;         /* room for the keys of engine->live */
    size_t work_room;
};

void aside_open(struct aside *self);
void aside_close(struct aside *self);

/* Stages of `edf`: the jobs that the plan of this round may reach are live again; and once the plan
 * is adopted, some that it did not reach are set aside. */
int edf_release_by_start(engine_t *engine, struct error *error);
void edf_adopt_in_order(engine_t *engine);

/* All jobs are live again. */
void aside_gather(engine_t *engine);

#endif
