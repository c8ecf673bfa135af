/* plan_check.h - whether a plan makes sense by itself: no job is listed twice, no GPU is given
 * twice. */
#ifndef MASTER_PLAN_CHECK_H
#define MASTER_PLAN_CHECK_H

#include "common/error.h"
#include "protocol/scheduler_master.h"

/* Keeps what it needs for one plan to the next, so that a check costs no more than the plan is
 * long. */
typedef struct plan_check plan_check_t;

plan_check_t *plan_check_new(void);
void plan_check_destroy(plan_check_t **self);

/* -1, with `error`, if the round is 0, a job stands in `plan` twice, be it to run or to stop, has
 * no GPU or GPUs that do not rise, or if a GPU is given to two. */
int plan_check(plan_check_t *self, const struct msg_plan *plan, struct error *error);

#endif
