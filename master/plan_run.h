/* plan_run.h - carries out the plans of the scheduler: compares the jobs of the plan in force with
 * the incarnations of the dispatch, starts and stops incarnations, and reports what became of the
 * jobs.
 *
 * A plan is complete: a job that is not in the plan stops, a job whose work and GPUs are unchanged
 * runs on, every other job gets a new incarnation. A job whose part failed is tried again on the
 * same GPUs from its last confirmed checkpoint, at most RETRIES_MAX times, then held; a job whose
 * node went down waits for the next plan.
 *
 * The first plan of a master waits until all parts of an earlier master are known; jobs that are
 * planned as they run go on untouched.
 *
 * Has no socket and no clock, like the dispatch. */
#ifndef MASTER_PLAN_RUN_H
#define MASTER_PLAN_RUN_H

#include "master/dispatch.h"
#include "protocol/scheduler_master.h"

typedef struct plan_run plan_run_t;

/* Sends messages to the scheduler. None is called while there is no scheduler. */
struct scheduler_calls {
    void (*welcome)(void *owner, const struct msg_scheduler_welcome *);
    void (*nodes)(void *owner, const struct msg_nodes *);
    void (*job_report)(void *owner, const struct msg_job_report *);
    void (*settled)(void *owner, const struct msg_settled *);
    void (*progress)(void *owner, const struct msg_master_heartbeat *);
};

/* The dispatch made with this watch, and the run of plans as its owner, must be handed to
 * plan_run_use. */
extern const struct dispatch_watch plan_run_watch;

plan_run_t *plan_run_new(const struct msg_scheduler_welcome *welcome,
                         const struct scheduler_calls *calls, void *owner);

/* Excludes a GPU after `failures` failed parts in a row that used the GPU, or its node where no
 * single GPU is to blame; 0, the default: never. A restarted worker is readmitted. */
void plan_run_exclude_after(plan_run_t *self, int failures);

/* How long a job waits before its second restart after a fault; the time doubles with each restart.
 * 0, the default: no waiting. */
void plan_run_back_off(plan_run_t *self, int64_t retry_after_ms);
void plan_run_destroy(plan_run_t **self);
void plan_run_use(plan_run_t *self, dispatch_t *dispatch);

/* A scheduler says hello; only one at a time may. The scheduler counts as the earlier one if it has
 * the same name and its first plan has the round in force; otherwise all jobs are stopped when its
 * first plan comes. */
void plan_run_hello(plan_run_t *self, const char *name);

/* The scheduler went away. After a goodbye every job is stopped; otherwise the jobs go on. */
void plan_run_gone(plan_run_t *self, bool goodbye, int64_t now_us);

/* The master ends: every job is stopped, and no more plans are taken. */
void plan_run_end(plan_run_t *self, int64_t now_us);

/* The program of a job in later plans. */
void plan_run_program(plan_run_t *self, const struct msg_program *program);

/* A plan came. -1, with `error` and no change, if the plan is invalid. A plan of an earlier round
 * is ignored; a repeated plan is only answered again. */
int plan_run_take(plan_run_t *self, const struct msg_plan *plan, int64_t now_us,
                  struct error *error);

/* Carries out a plan that waited for parts of an earlier master, as soon as those are known, and
 * restarts jobs whose waiting time after a fault is over. */
void plan_run_tick(plan_run_t *self, int64_t now_us);

/* Tells the scheduler how far running jobs are. */
void plan_run_heartbeat(plan_run_t *self);

/* The number of plans that came late. */
uint64_t plan_run_stale(const plan_run_t *self);

#endif
