/* policy.h - how GPUs are shared among jobs: one constant for each policy, found by name.
 *
 * A policy is a pure function of a view: it does no I/O, reads no clock, keeps nothing between
 * rounds. The published artifact runs a loop of its own for each policy; here there is one loop,
 * and where the artifact's loops differ, the difference is one of the rules below. */
#ifndef POLICIES_POLICY_H
#define POLICIES_POLICY_H

#include "common/error.h"
#include "scheduler/admission/admission.h"
#include "scheduler/plan/plan.h"
#include "scheduler/plan/view.h"

#include <stdbool.h>

/* The first of each is what a policy of our own wants. */
struct round_rules {
    /* Until when work is credited: up to the end in the event queue, or only up to the planned
     * finish, which ignores overheads (EF-Q14). */
    enum { CREDIT_UNTIL_END, CREDIT_UNTIL_FINISH } credit;

    /* When the event of now leaves the queue: after placement, after adoption of the plan, or
     * before anything else. Jobs whose end moves to now meanwhile are lost with it. */
    enum { EVENT_LEAVES_LAST, EVENT_LEAVES_WITH_PLAN, EVENT_LEAVES_FIRST } event;

    /* The end of a job that holds no GPU: a defect to report (EF-Q13), forgotten until its end
     * moves again (EF-Q32), or believed (EF-Q39). */
    enum { IDLE_END_ABORTS, IDLE_END_IS_DROPPED, IDLE_END_RETIRES } idle_end;

    /* What is compared with the deadline at retirement: the end in the event queue, or the planned
     * finish (EF-Q33). */
    enum { LATE_BY_END, LATE_BY_FINISH } late;

    /* The order in which GPUs are taken off jobs; matters with several switches (EF-Q4). */
    enum { RELEASE_IN_ORDER_OF_START, RELEASE_BY_DEADLINE, RELEASE_IN_ORDER_OF_SERVICE } release;

    /* When those that wait start: each as the plan comes to it, or afterwards in the order of their
     * admission. */
    enum { ADOPT_IN_ORDER, ADOPT_THEN_START } adopt;

    /* Whether a job that gets no GPU keeps its old end in a round that admits nobody (EF-Q39). */
    bool idle_keeps_end;

    /* Who is placed first: the largest in the order of service; whole nodes in the order of start,
     * then the rest by falling size; or whoever comes in the order of service (EF-Q40), the order
     * left as it is. */
    enum { PLACE_BY_SIZE, PLACE_BY_SIZE_AND_RESORT, PLACE_BY_START, PLACE_AS_SERVED } place;

    /* Whether planned changes wake the scheduler: never; the earliest one, if it comes before all
     * else (EF-Q44); or each, for ever (EF-Q13). */
    enum { WAKE_NEVER, WAKE_EARLIEST, WAKE_EACH } wake;

    /* Who pays the overhead of a restart or a resize: whoever runs, in the order of start; whoever
     * is live, in the order of service; nobody (EF-Q38). */
    enum { CHARGE_RUNNING, CHARGE_LIVE, CHARGE_NOBODY } charge;
};

struct policy {
    const char *name;
    const char *summary;
    const struct admission *admission;
    prove_fn *prove; /* for admission; NULL if it never asks */

    /* The most GPUs that `job` may use on `gpu_type`. */
    int (*gpus_max)(const struct job *job, const char *gpu_type);

    /* Decides over all jobs of `view`, arrivals included. The plan is empty, or holds the shares
     * that proved an admission and stand. Returns -1 with `error` if the policy cannot go on. */
    int (*allocate)(const struct view *view, plan_t *plan, struct error *error);

    struct round_rules rules;
};

/* The policy called `name`; NULL if there is none. */
const struct policy *policy_find(const char *name);

/* All names, ended with NULL. */
const char *const *policy_names(void);

/* The largest GPU count up to which the throughput table has a rate for the job: a cap for policies
 * that know no better. */
int policy_gpus_measured(const struct job *job, const char *gpu_type);

#endif
