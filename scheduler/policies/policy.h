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
#include "scheduler/reference/planning_rules.h"
#include "scheduler/reference/sharing_rules.h"
#include "scheduler/reference/leasing.h"

#include <stdbool.h>

/* The first of each is what a policy of our own wants. Not all go together: engine_new asserts which do. */
struct round_rules {
    /* What a job is done by: its iterations at the rate of its table; the duration that the trace
     * states, whatever the table says; either of them, whichever comes first (TH-Q6); or the duration
     * and what its starts cost, as the lease book counts both. */
    enum { WORK_ITERATIONS, WORK_DURATION, WORK_EITHER, WORK_LEASED } work;

    /* How many GPUs a job may hold: as many as the policy allows, or those it asked for or none. */
    enum { SIZE_ELASTIC, SIZE_REQUESTED } size;

    /* What becomes of a job that asks for more GPUs than there are: nothing that the engine knows
     * of, for admission sees to it; the artifact waits for it for ever; or stops and counts it
     * nowhere (TI-Q9). */
    enum { TOO_LARGE_IS_NO_MATTER, TOO_LARGE_IS_ENDLESS, TOO_LARGE_IS_FORGOTTEN } too_large;

    /* When ends happen: where the plan has put them in the event queue; at the earliest end that is
     * forecast in each round anew (TI-Q4); or when progress finds them. */
    enum { ENDS_ARE_PLANNED, ENDS_ARE_FORECAST, ENDS_ARE_NOTICED } ends;

    /* When an end that progress finds by its iterations happened: with the last of them; or with the
     * interval, however early that was (TH-Q6). */
    enum { ENDS_WITH_WORK, ENDS_WITH_INTERVAL } iterations_end;

    /* How long a job holds its GPUs whose end is forecast: until its end, or until the slot is over
     * if that comes later (TI-Q4). */
    enum { HOLDS_UNTIL_END, HOLDS_FOR_SLOT } holds;

    /* Whether a forecast knows of the overhead that is still to be paid: always, or in rounds of
     * restarts only (TI-Q1). */
    enum { FORESEES_OVERHEAD, FORESEES_RESTARTS } foresees;

    /* What becomes of an overhead that is longer than the interval: the rest is paid in the next
     * one, or not at all (EF-Q15, TI-Q2, GA-Q10). */
    enum { REST_IS_CARRIED, REST_IS_FORGIVEN } rest;

    /* What is folded into the end of the slot when something is due within it: all, but a sole
     * event keeps its time (EF-Q16, CO-Q2); or really all; or nothing. */
    enum { MERGE_UNLESS_SOLE, MERGE_ALWAYS, MERGE_NEVER } merge;

    /* Whether there is a round when nothing is due: never; a slot later once nobody is still to
     * arrive (GA-Q9); at the end of each slot; or whenever leases end, jobs are admitted, or a check of
     * the jobs sees an end. Arrivals then wait for the next admission (CH-Q12). */
    enum { TICK_NEVER, TICK_AFTER_ARRIVALS, TICK_EVERY_SLOT, TICK_AT_LEASES } tick;

    /* Until when work is credited: up to the end in the event queue, or only up to the planned
     * finish, which ignores overheads (EF-Q14); or all of it, and who has nothing left is done,
     * whatever was planned. */
    enum { CREDIT_UNTIL_END, CREDIT_UNTIL_FINISH, CREDIT_UNTIL_DONE } credit;

    /* When the event of now leaves the queue: after placement, after adoption of the plan, or
     * before anything else. Jobs whose end moves to now meanwhile are lost with it. */
    enum { EVENT_LEAVES_LAST, EVENT_LEAVES_WITH_PLAN, EVENT_LEAVES_FIRST } event;

    /* The end of a job that holds no GPU: a defect to report (EF-Q13), forgotten until its end
     * moves again (EF-Q32), or believed (EF-Q39). */
    enum { IDLE_END_ABORTS, IDLE_END_IS_DROPPED, IDLE_END_RETIRES } idle_end;

    /* What is compared with the deadline at retirement: the end in the event queue, the planned
     * finish (EF-Q33), or when the last iteration was done; or the end, to the fraction of a second,
     * with the deadline that the lease book judges by (CH-Q7). */
    enum { LATE_BY_END, LATE_BY_FINISH, LATE_BY_WORK, LATE_BY_LEASE } late;

    /* What becomes of a best-effort job that has a deadline all the same: no deadline counts, or it is a
     * job like any other (CH-Q9). */
    enum { BEST_EFFORT_IS_KEPT, BEST_EFFORT_IS_LOST } best_effort;

    /* When a job is on record as retired: in the round that saw its end, or at its end, although it
     * held its GPUs until that round. */
    enum { RECORD_ROUND, RECORD_END } record;

    /* The order in which GPUs are taken off jobs; matters with several switches (EF-Q4). */
    enum { RELEASE_IN_ORDER_OF_START, RELEASE_BY_DEADLINE, RELEASE_IN_ORDER_OF_SERVICE } release;

    /* Whether a node set is found again that is called by another size than it has, as happens on nodes
     * of more than 8 GPUs, or of no power of two: or the run ends there (EF-Q23). */
    enum { SETS_ARE_FOUND, SETS_ARE_LOST } sets;

    /* When those that wait start: each as the plan comes to it, or afterwards in the order of their
     * admission; or as the plan comes to it, but no end is planned. */
    enum { ADOPT_IN_ORDER, ADOPT_THEN_START, ADOPT_LEVELS } adopt;

    /* Whether a job that gets no GPU keeps its old end in a round that admits nobody (EF-Q39). */
    bool idle_keeps_end;

    /* Who is placed first: the largest in the order of service, or among equal ones in that of
     * arrival; whole nodes in the order of start, then the rest by falling size; or whoever comes in
     * the order of service (EF-Q40), the order left as it is. */
    enum {
        PLACE_BY_SIZE,
        PLACE_BY_SIZE_AND_RESORT,
        PLACE_BY_SIZE_AND_ARRIVAL,
        PLACE_BY_START,
        PLACE_AS_SERVED,
    } place;

    /* Whether planned changes wake the scheduler: never; the earliest one, if it comes before all
     * else (EF-Q44); each, for ever (EF-Q13); the next one, whatever else is due, and no longer than
     * it is planned; or the same, but not within the slot. */
    enum { WAKE_NEVER, WAKE_EARLIEST, WAKE_EACH, WAKE_NEXT, WAKE_AFTER_SLOT } wake;

    /* Who pays the overhead of a restart or a resize: whoever runs, in the order of start; whoever
     * is live, in the order of service; nobody (EF-Q38); whoever starts or resumes, and in a restart
     * round everybody; or, until the last arrival, everybody, whether it is his turn or not (GA-Q10). */
    enum { CHARGE_RUNNING, CHARGE_LIVE, CHARGE_NOBODY, CHARGE_RESUMED, CHARGE_SEATED } charge;

    /* Every how many rounds all trainers restart: as many as the setting says, or as many as a slot
     * has seconds (EF-Q3). */
    enum { RESTART_BY_THRESHOLD, RESTART_BY_SLOT } restart;

    /* Who of those who are charged really pays: whoever starts, is resized, moves or restarts;
     * everybody in every round (EF-Q20); or whoever starts or resumes, wherever that is. */
    enum { PAYS_FOR_CHANGES, PAYS_ALWAYS, PAYS_FOR_STARTS } pays;
};

struct policy {
    const char *name;
    const char *alias; /* NULL if it has none */
    const char *summary;
    const char *placement; /* the scheme unless another is asked for; NULL: elastic */
    bool leases;           /* it keeps a lease book */
    int queues;            /* that it sorts jobs into, see struct job_note; 0 for none */
    const struct admission *admission;
    prove_fn *prove; /* for admission; NULL if it never asks */

    /* The most GPUs that `job` may use on `gpu_type`. */
    int (*gpus_max)(const struct job *job, const char *gpu_type);

    /* Changes the node sets of the plan before the interval that just ended is credited (GA-Q7);
     * returns whether it did. NULL if it has no such thing. */
    bool (*rearrange)(const struct view *view, plan_t *plan);

    /* Decides over all jobs of `view`, arrivals included. The plan is empty, or holds the shares
     * that proved an admission and stand. Returns -1 with `error` if the policy cannot go on. */
    int (*allocate)(const struct view *view, plan_t *plan, struct error *error);

    struct round_rules rules;
    struct sharing_rules sharing;   /* of the baselines */
    struct planning_rules planning; /* of a policy that plans as the published ones do */
};

/* The policy called `name`; NULL if there is none. */
const struct policy *policy_find(const char *name);

/* All names and aliases, ended with NULL. */
const char *const *policy_names(void);

/* The largest GPU count up to which the throughput table has a rate for the job: a cap for policies
 * that know no better. */
int policy_gpus_measured(const struct job *job, const char *gpu_type);

/* The GPU count that the trace asks for: the cap of policies that do not resize jobs. */
int policy_gpus_requested(const struct job *job, const char *gpu_type);

/* The smallest GPU count with the highest rate, 64 GPUs and the batch size being the most. */
int policy_gpus_fastest(const struct job *job, const char *gpu_type);

#endif
