/* answer.h - verdicts and plans from the answer of an outside policy; rubato-policy(5) has its
 * members. Whatever the answer, a plan gives out no more GPUs than there are. */
#ifndef EXTERNAL_ANSWER_H
#define EXTERNAL_ANSWER_H

#include "common/error.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"
#include "scheduler/state/verdict.h"

#include <jansson.h>

/* The verdict of each arrival; an arrival missing in the answer runs without a promise. -1 with
 * `error` that names the member. */
int answer_verdicts(const json_t *answer, const struct view *view, struct verdict verdicts[],
                    struct error *error);

/* The plan; a job missing in the answer holds no GPU and comes after the others. */
int answer_plan(const json_t *answer, const struct view *view, plan_t *plan, struct error *error);

#endif
