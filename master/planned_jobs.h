/* planned_jobs.h - the jobs that the run of plans knows: the last plan of each, its incarnation,
 * and what is remembered of a job that is in no plan.
 *
 * Plain data of the run of plans, independent of dispatch and scheduler. */
#ifndef MASTER_PLANNED_JOBS_H
#define MASTER_PLANNED_JOBS_H

#include "master/incarnation.h"
#include "protocol/scheduler_master.h"

struct planned_job {
    uint64_t number;
    struct msg_planned_job plan; /* the last plan that the job was in, a copy: */
    void *plan_memory;           /* memory of texts and ranks of `plan` */
    bool fast_forward;           /* fast_forward and time_scale come from that plan */
    double time_scale;

    bool planned; /* the job is in the plan in force */
    bool held;    /* the job failed too often, or cannot run */
    bool done;
    int64_t done_step; /* the step at which the job was done, -1 if its trainers did not report
                          one */
    int64_t done_us;   /* the time at which the job was done */
    bool lost;         /* the GPUs of the job are gone: it waits for the next plan */
    int failures;
    int64_t retry_us;            /* when to restart the job, 0 for no restart */
    struct worker_node *accused; /* node on which the job failed last, NULL for none */
    bool forgiven;               /* the job's failures stop counting once it starts elsewhere */
    int times_forgiven;          /* how often the job was forgiven since it last trained well */
    int64_t checkpoint;          /* step of the last confirmed checkpoint, -1 for none */

    struct incarnation *current; /* the wanted incarnation, owned by the dispatch; NULL for none */
    uint32_t last_number;        /* number of its last incarnation, 0 for none */
    size_t alive;                /* number of incarnations that are not over, `current` included */
    struct lineage *lineage;     /* the job's lineage, owned by the dispatch; NULL before its first
                                    incarnation */

    bool stop_due; /* the scheduler must be told when all incarnations are over */
    struct msg_planned_stop stop;

    uint32_t told_stable;  /* number of the last incarnation that was reported to be stable */
    uint32_t told_waiting; /* number of the last incarnation that was reported to wait for a
                              lease */
    bool settled;          /* whether the table last counted the job as settled */
    bool orphan; /* its scheduler is gone: the number does not lead to this job any more */
    struct msg_job_report said; /* the last report about the job; round 0 for none */
    char cause[NODE_CAUSE_MAX]; /* cause in the last report */

    UT_hash_handle hh;        /* by number */
    struct planned_job *prev; /* list of all jobs */
    struct planned_job *next;
};

/* Zeroed: empty. */
struct planned_jobs {
    struct planned_job *by_number; /* hash table without the orphans, linked by hh.next */
    struct planned_job *all;
    size_t unsettled; /* number of unsettled jobs, orphans not counted */
};

/* Frees every job. */
void planned_jobs_clear(struct planned_jobs *self);

/* The job with that number that is no orphan, NULL if there is none. */
struct planned_job *planned_jobs_find(const struct planned_jobs *self, uint64_t number);

/* Adds a job, settled and in no plan; there must be none with that number. Owned by the table until
 * it is dropped. */
struct planned_job *planned_jobs_add(struct planned_jobs *self, uint64_t number);

/* Notes that the job failed last on `node`, NULL for none. */
void planned_job_accuse(struct planned_job *job, struct worker_node *node);

/* Forgets and frees `job`, which must be settled. */
void planned_jobs_drop(struct planned_jobs *self, struct planned_job *job);

/* The scheduler of the job is gone: another job may get the number. The orphan counts as
 * settled. */
void planned_jobs_orphan(struct planned_jobs *self, struct planned_job *job);

/* Updates whether `job` counts as settled: its state is that of the plan in force, or will be once
 * leases of nodes that are gone expire. */
void planned_jobs_settle(struct planned_jobs *self, struct planned_job *job);

/* Whether a job that is in no plan has to be remembered: for a checkpoint, a failure, being held,
 * or, until its scheduler knows, being done. */
bool job_is_worth_keeping(const struct planned_job *job);

/* Earlier failures of `job` do not count any more. */
void job_forgive(struct planned_job *job);

/* Whether the job has no GPUs, neither now nor in the plan in force. */
bool job_is_out_of_plan(const struct planned_job *job);

/* The step that the next incarnation begins from; -1 for the last checkpoint on disk, if this
 * master knows of none and the job is not fast-forwarded: an earlier master may have run the
 * job. */
int64_t job_step(const struct planned_job *job);

/* Whether `planned` is the work, on the GPUs, that the job was last planned for. */
bool job_is_same(const struct planned_job *job, const struct msg_plan *plan,
                 const struct msg_planned_job *planned);

/* Makes a copy of `planned` the last plan of the job. */
void job_take_plan(struct planned_job *job, const struct msg_plan *plan,
                   const struct msg_planned_job *planned);

#endif
