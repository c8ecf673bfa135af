/* next_round.h - tasks as the next round finds them, which comes at the end of the slot at the
 * earliest. */
#ifndef PLANNER_NEXT_ROUND_H
#define PLANNER_NEXT_ROUND_H

#include "scheduler/planner/seating.h"

/* Whether `task`, as it is seated now, is done by then, whatever happens; `end_s` is when. */
bool next_round_is_after(const struct planner *planner, const struct task *task, int64_t *end_s);

/* `task` becomes what is left of it by then. */
void next_round_enter(const struct planner *planner, struct task *task);

/* GPUs that the course of `task` gives back before then are not free until then. */
void next_round_reserve(struct planner *planner, const struct task *task);

/* Whether a complete plan from then on ends all of `promised` in time after what they are seated on
 * now; then their courses are that plan. */
bool next_round_holds(struct seating *seating, const struct task_list *promised);

#endif
