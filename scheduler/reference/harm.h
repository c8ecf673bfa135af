/* harm.h - which jobs an arrival would make late: EF-Q36 put right.
 *
 * The published policies admit no job as long as any job is late, whichever caused it. Here an
 * arrival is in if each job that is in time without it still is with it, and it is itself. A job
 * that is late already has nothing to lose by this rule: arrivals may make it later still. */
#ifndef REFERENCE_HARM_H
#define REFERENCE_HARM_H

#include "scheduler/admission/admission.h"

/* Plans all jobs of `view`, whether they can be in time or not. Returns -1 with `error`. */
typedef int plan_all_fn(const struct view *view, plan_t *plan, struct error *error);

/* A prove_fn: 1 if the arrivals of `view` make no job late and are in time. The plan is then the
 * plan of all jobs. */
int prove_no_harm(plan_all_fn *plan_all, const struct view *view, plan_t *plan,
                  struct error *error);

/* prove_no_harm() for the policies of ef.c and of edf.c. */
prove_fn ef_prove_no_harm;
prove_fn edf_prove_no_harm;

#endif
