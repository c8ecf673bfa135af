/* plan_check.h - whether a plan makes sense by itself: no job is listed twice, no GPU is given
 * twice. */
#ifndef MASTER_PLAN_CHECK_H
#define MASTER_PLAN_CHECK_H

#include "common/error.h"
#include "protocol/scheduler_master.h"

/* Keeps its tables from one plan to the next, so that the time of a check is proportional to the
 * plan. */
typedef struct plan_check plan_check_t;

plan_check_t *plan_check_new(void);
void plan_check_destroy(plan_check_t **self);

/* -1, with `error`, if the round is 0, a job is in `plan` twice, to run or to stop, a job has no
 * GPU or GPUs that do not rise, or two jobs have the same GPU. */
int plan_check(plan_check_t *self, const struct msg_plan *plan, struct error *error);

#endif
