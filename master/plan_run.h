/* plan_run.h - what the scheduler wants, made true: the jobs of the plan in force are compared with
 * the incarnations that the dispatch looks after, and what became of them is reported.
 *
 * A plan is the whole truth: a job that is not in it stops, one whose work and GPUs are as before
 * goes on untouched, every other one gets a new incarnation. A job whose part failed is tried again
 * on the same GPUs from its last confirmed checkpoint, at most RETRIES_MAX times, then held; one
 * whose node went down waits for the next plan.
 *
 * The first plan of a master waits until all is known of what one before it left; jobs that are
 * planned as they run go on untouched.
 *
 * Knows no socket and no clock, like the dispatch. */
#ifndef MASTER_PLAN_RUN_H
#define MASTER_PLAN_RUN_H

#include "master/dispatch.h"
#include "protocol/scheduler_master.h"

typedef struct plan_run plan_run_t;

/* Where messages to the scheduler go. None is called while there is no scheduler. */
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

/* A GPU is left out when parts that had the GPU failed so often in a row, its node where no single
 * GPU is to blame; 0, which is so before: never. A worker that is started anew is welcome again. */
void plan_run_exclude_after(plan_run_t *self, int failures);

/* How long a job waits before its second restart after a fault, and each time twice as long; 0,
 * which is so before: it does not. */
void plan_run_back_off(plan_run_t *self, int64_t retry_after_ms);
void plan_run_destroy(plan_run_t **self);
void plan_run_use(plan_run_t *self, dispatch_t *dispatch);

/* A scheduler says hello; only one at a time may. It is the one before if it has the name and its
 * first plan the round of that one; otherwise whatever runs is stopped when its first plan
 * comes. */
void plan_run_hello(plan_run_t *self, const char *name);

/* The scheduler went away. After a goodbye every job is stopped; otherwise the jobs go on. */
void plan_run_gone(plan_run_t *self, bool goodbye, int64_t now_us);

/* The master ends: every job is stopped, and no more plans are taken. */
void plan_run_end(plan_run_t *self, int64_t now_us);

/* The program that a job of plans to come executes. */
void plan_run_program(plan_run_t *self, const struct msg_program *program);

/* A plan came. -1, with `error` and nothing done, if it makes no sense. One of an earlier round is
 * ignored, one that comes again only answered again. */
int plan_run_take(plan_run_t *self, const struct msg_plan *plan, int64_t now_us,
                  struct error *error);

/* Carries out a plan that waited for workers that may hold something of a master before this one,
 * as soon as that is known, and starts jobs that waited to be tried again. */
void plan_run_tick(plan_run_t *self, int64_t now_us);

/* Tells the scheduler how far running jobs are. */
void plan_run_heartbeat(plan_run_t *self);

/* Plans that came late, so far. */
uint64_t plan_run_stale(const plan_run_t *self);

#endif
