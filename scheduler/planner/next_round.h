/* next_round.h - tasks as the next round finds them. The next round comes at the end of the slot at
 * the earliest. */
#ifndef PLANNER_NEXT_ROUND_H
#define PLANNER_NEXT_ROUND_H

#include "scheduler/planner/seating.h"

/* Whether `task`, as seated now, is done by the next round, whatever happens. `*end_s` is its
 * end. */
bool next_round_is_after(const struct planner *planner, const struct task *task, int64_t *end_s);

/* Turns `task` into its rest at the next round. */
void next_round_enter(const struct planner *planner, struct task *task);

/* Reserves, until the next round, the GPUs that the course of `task` gives back before that
 * round. */
void next_round_reserve(struct planner *planner, const struct task *task);

/* Whether a complete plan from the next round on ends all of `promised` in time, after the seats
 * that they have now. If so, their courses become that plan. */
bool next_round_holds(struct seating *seating, const struct task_list *promised);

#endif
