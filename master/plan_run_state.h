/* plan_run_state.h - the state that the files of the run of plans share, in the order in which they
 * depend on each other: job_report.c reports to the scheduler, launch.c gives jobs their GPUs,
 * health.c counts failures of GPUs, faults.c handles faults of jobs, outcome.c takes in news of the
 * dispatch, reattach.c adopts jobs of an earlier master, plan_run.c carries out plans. No file uses
 * a later one. */
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
    bool present;   /* a scheduler is in session */
    bool unproved;  /* its first plan has not come yet */
    bool same_name; /* the scheduler has the name of the scheduler before it */
    char *name;     /* name of the last scheduler */

    uint64_t round; /* round of the plan in force, 0 for none */
    bool told_settled;
    struct planned_jobs jobs;
    plan_check_t *check;
    struct programs *programs; /* programs of jobs that brought one along */

    int64_t retry_after_us; /* wait before the second restart of a job, 0: none */
    size_t retries;         /* at least the number of jobs that wait for a restart */
    int exclude_after;      /* failures in a row on a GPU; 0: no GPU is ever left out */

    bool attached; /* all jobs of an earlier master are adopted or let go */
    bool waits;    /* the plan `waiting` comes in force when all parts of an earlier master are
                      known */
    struct writer waiting;
    uint64_t stale;
};

/* ---- job_report.c ---- */

void report_stable(plan_run_t *self, struct planned_job *job);
void report_state(plan_run_t *self, struct planned_job *job, enum job_report_state state,
                  int64_t step, const char *cause);
void report_done(plan_run_t *self, struct planned_job *job);
/* Reports, once for each incarnation, that the job waits for the lease of a node that is gone, if
 * so. */
void report_if_waiting(plan_run_t *self, struct planned_job *job);

void report_again(plan_run_t *self, struct planned_job *job);
void report_stopped_unknown(plan_run_t *self, const struct msg_planned_stop *stop);
void report_nodes(plan_run_t *self);

/* A heartbeat that lists all jobs of which this master holds parts, begun or not, so that a
 * scheduler knows before its first plan which jobs the plan would stop. Their steps are not
 * told. */
void report_held(plan_run_t *self);

/* Reports to the scheduler, once a round, that all jobs are settled, when they are. */
void report_if_settled(plan_run_t *self);

/* ---- launch.c ---- */

/* A new incarnation of `job` on the GPUs of its plan. If a node is not up, the job is lost
 * instead. */
void job_start(plan_run_t *self, struct planned_job *job, int64_t now_us);

/* Stops the current incarnation of `job`. */
void job_stop(plan_run_t *self, struct planned_job *job, const struct ending *ending,
              int64_t now_us);

/* The GPUs of the job are gone. */
void job_lose(plan_run_t *self, struct planned_job *job, const char *cause);

/* ---- reattach.c ---- */

/* Whether `plan` has to wait for workers that may hold parts of an earlier master. */
bool reattach_waits(const plan_run_t *self, const struct msg_plan *plan, int64_t now_us);

/* Keeps a copy of `plan` until the master is attached, in the place of an older plan; or drops the
 * copy. */
void reattach_keep_plan(plan_run_t *self, const struct msg_plan *plan);
void reattach_drop_plan(plan_run_t *self);

/* Adopts the jobs that an earlier master left, as if this master had started them. reattach_end
 * stops the parts that belong to no job. */
void reattach(plan_run_t *self, int64_t now_us);
void reattach_end(plan_run_t *self);

/* ---- health.c ---- */

/* `incarnation` of `job` failed. Returns whether this excludes a GPU or node, and the reason in
 * `why`. */
bool health_failed(plan_run_t *self, struct planned_job *job, const struct incarnation *incarnation,
                   char why[NODE_CAUSE_MAX]);

/* `incarnation` of `job` ended without a fault. */
void health_ended_well(struct planned_job *job, const struct incarnation *incarnation);

/* Nothing of `job` is left, and the plan in force has no GPUs for the job. If only this job's
 * failures speak against GPUs, the job may lack exactly those GPUs, and whether job or GPU is at
 * fault stays unknown. */
void health_untested(plan_run_t *self, struct planned_job *job);

/* `job` is given up: GPUs that failed only with this job are cleared of suspicion. */
void health_given_up(plan_run_t *self, struct planned_job *job);

/* ---- faults.c ---- */

/* Restarts jobs whose waiting time after a fault is over. */
void faults_tick(plan_run_t *self, int64_t now_us);

/* An incarnation of `job` changed: handles its fault, if it has one. */
void job_look_for_faults(plan_run_t *self, struct planned_job *job, struct incarnation *incarnation,
                         int64_t now_us);

#endif
