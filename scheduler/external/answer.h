/* answer.h - verdicts and plans out of what an outside policy answers; rubato-policy(5) has its
 * members. Whatever it says, a plan gives out no more GPUs than there are. */
#ifndef EXTERNAL_ANSWER_H
#define EXTERNAL_ANSWER_H

#include "common/error.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"
#include "scheduler/state/verdict.h"

#include <jansson.h>

/* The verdict of each arrival; one that is not spoken of runs without a promise. -1 with `error`
 * that names the member. */
int answer_verdicts(const json_t *answer, const struct view *view, struct verdict verdicts[],
                    struct error *error);

/* The plan; a job that is not spoken of holds nothing and comes after those that are. */
int answer_plan(const json_t *answer, const struct view *view, plan_t *plan, struct error *error);

#endif
