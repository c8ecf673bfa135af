/* aside.h - jobs that wait so far behind in the order of deadlines that no plan reaches them. Under
 * `edf` a round plans jobs by deadline until no GPU is free and all running jobs are planned. The
 * jobs behind these hold nothing, have no planned end and change nothing. They are taken off
 * engine->live, so that no round looks at them, and come back before a plan could reach them.
 *
 * Jobs are planned by deadline, and by arrival for equal deadlines. They are served in that order
 * as far as a round without arrivals has sorted them, and after that by arrival. */
#ifndef REFERENCE_ASIDE_H
#define REFERENCE_ASIDE_H

#include "common/heap.h"
#include "scheduler/engine/round.h"
#include "scheduler/plan/side_table.h"

struct aside {
    heap_t *jobs;         /* sorted by key */
    side_table_t *keys;   /* int64_t: the place of a job in the order of planning, 0 for none yet */
    int64_t next_arrival; /* counted from 1 */
    int64_t sorted_before; /* jobs that came earlier are served by deadline */
    int64_t *work;         /* room for the keys of engine->live */
    size_t work_room;
};

void aside_open(struct aside *self);
void aside_close(struct aside *self);

/* Stages of `edf`. edf_release_by_start() makes the jobs live again that the plan of this round may
 * reach. edf_adopt_in_order() sets some jobs aside that the adopted plan did not reach. */
int edf_release_by_start(engine_t *engine, struct error *error);
void edf_adopt_in_order(engine_t *engine);

/* Makes all jobs live again. */
void aside_gather(engine_t *engine);

#endif
