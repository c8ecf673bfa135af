/* admission.h - which of the jobs that just arrived are admitted.
 *
 * An admission module sees the round through a view with the arrivals as its last jobs. It may ask
 * the policy to prove that every deadline can be met. If the answer is yes for all of them,
 * the plan that proves it stays in `plan`, marked as proven. */
#ifndef ADMISSION_ADMISSION_H
#define ADMISSION_ADMISSION_H

#include "common/error.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"
#include "scheduler/state/verdict.h"

#include <stdbool.h>

/* Plans all jobs of `view` into `plan`. Returns 1 if every deadline is met, 0 if not (the plan is
 * then undefined), -1 with `error`. */
typedef int prove_fn(const struct view *view, plan_t *plan, struct error *error);

struct admission {
    const char *name;
    bool promises;   /* a job admitted with a deadline may get a promise */
    bool proves;     /* asks the policy to prove that deadlines are met */
    bool one_by_one; /* is shown one arrival at a time; an admitted arrival is adopted at once */
    /* Sets verdicts[k] for arrival k. Returns -1 with `error` if no answer can be had. */
    int (*decide)(prove_fn *prove, const struct view *view, plan_t *plan, struct verdict verdicts[],
                  struct error *error);
};

/* admission_find: the module called `name`, NULL if there is none that a run can choose.
 * admission_names: the names of those that a run can choose, ended with NULL. */
const struct admission *admission_find(const char *name);
const char *const *admission_names(void);

/* About --admission, for the help of programs. */
#define ADMISSION_HELP                                                                             \
    "which arrivals are admitted, if not as the policy has it: everyone, jobs no larger than the " \
    "cluster (fitting), jobs that run on any number of its GPUs (runnable), or jobs that the "     \
    "policy proves to end in time (each, together, one-by-one)"

extern const struct admission admission_everyone;
extern const struct admission admission_fitting;
extern const struct admission admission_runnable;

#endif
