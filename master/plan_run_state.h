/* plan_run_state.h - what the files of the run of plans share, in the order in which they know each
 * other: job_report.c tells the scheduler, launch.c gives jobs their GPUs, health.c knows which of
 * these fail, faults.c deals with what goes wrong, outcome.c takes in what the dispatch tells,
 * reattach.c knows jobs of a master before this one, plan_run.c carries plans out. None knows those
 * after it. */
#ifndef MASTER_PLAN_RUN_STATE_H
#define MASTER_PLAN_RUN_STATE_H

#include "master/plan_check.h"
#include "master/plan_run.h"
#include "master/planned_jobs.h"
#include "master/programs.h"

struct plan_run {
    struct msg_scheduler_welcome welcome;
    const struct scheduler_calls *calls;
    void *calls_owner;
    dispatch_t *dispatch; /* lent */

    bool ends;      /* the master does */
    bool present;   /* there is a scheduler */
    bool unproved;  /* its first plan has not come yet */
    bool same_name; /* as the one before it */
    char *name;     /* of the last one */

    uint64_t round; /* of the plan in force, 0 for none */
    bool told_settled;
    struct planned_jobs jobs;
    plan_check_t *check;
    struct programs *programs; /* of jobs that have their own */

    int64_t retry_after_us; /* before the second restart, 0: at once */
    size_t retries;         /* jobs that wait to be tried again, or more than that */
    int exclude_after;      /* failures in a row on a GPU; 0: no GPU is ever left out */

    bool attached; /* nothing is left to adopt of a master before this one */
    bool waits;    /* `waiting`, a plan, comes in force when all is known of what such a one left */
    struct writer waiting;
    uint64_t stale;
};

/* ---- job_report.c ---- */

void report_stable(plan_run_t *self, struct planned_job *job);
void report_state(plan_run_t *self, struct planned_job *job, enum job_report_state state,
                  int64_t step, const char *cause);
void report_done(plan_run_t *self, struct planned_job *job);
/* Says, once for each incarnation, that the job waits for the lease of a node that is gone, if it
 * does. */
void report_if_waiting(plan_run_t *self, struct planned_job *job);

void report_again(plan_run_t *self, struct planned_job *job);
void report_stopped_unknown(plan_run_t *self, const struct msg_planned_stop *stop);
void report_nodes(plan_run_t *self);

/* A heartbeat that lists all jobs of which this master holds parts, begun or not, so that a
 * scheduler knows before its first plan which parts that one would stop. Their steps are not told.
 */
void report_held(plan_run_t *self);

/* Tells the scheduler, once a round, that all jobs are settled if they are. */
void report_if_settled(plan_run_t *self);

/* ---- launch.c ---- */

/* A new incarnation of `job` on the GPUs of its plan. If a node is not up it is lost instead. */
void job_start(plan_run_t *self, struct planned_job *job, int64_t now_us);

/* Tells the one that is wanted to stop. */
void job_stop(plan_run_t *self, struct planned_job *job, const struct ending *ending,
              int64_t now_us);

/* The GPUs of the job are gone. */
void job_lose(plan_run_t *self, struct planned_job *job, const char *cause);

/* ---- reattach.c ---- */

/* Whether `plan` has to wait for workers that may hold what a master before this one started. */
bool reattach_waits(const plan_run_t *self, const struct msg_plan *plan, int64_t now_us);

/* Keeps a copy of `plan` until the master is attached, in the place of an older plan; or drops the
 * copy. */
void reattach_keep_plan(plan_run_t *self, const struct msg_plan *plan);
void reattach_drop_plan(plan_run_t *self);

/* Jobs that such a master left become those of this one, as if it had started them. What stays
 * without a job is stopped by reattach_end. */
void reattach(plan_run_t *self, int64_t now_us);
void reattach_end(plan_run_t *self);

/* ---- health.c ---- */

/* `incarnation` of `job` failed. Whether a GPU or the node where that happened takes nothing more,
 * and `why`. */
bool health_failed(plan_run_t *self, struct planned_job *job, const struct incarnation *incarnation,
                   char why[NODE_CAUSE_MAX]);

/* `incarnation` of `job` ended as it should. */
void health_ended_well(struct planned_job *job, const struct incarnation *incarnation);

/* Nothing of `job` is left, and the plan in force has no GPUs for the job: perhaps for want of
 * those that it alone accused, and whether it is the job that is at fault stays unknown. */
void health_untested(plan_run_t *self, struct planned_job *job);

/* `job` is given up: what nothing but the job said against GPUs does not count any more. */
void health_given_up(plan_run_t *self, struct planned_job *job);

/* ---- faults.c ---- */

/* Starts jobs that have waited long enough after a fault. */
void faults_tick(plan_run_t *self, int64_t now_us);

/* Something about an incarnation of `job` changed: it may be at fault. */
void job_look_for_faults(plan_run_t *self, struct planned_job *job, struct incarnation *incarnation,
                         int64_t now_us);

#endif
