/* planned_jobs.h - the jobs that the run of plans has heard of: what each was last planned for, its
 * incarnation, and what is remembered of it when it is in no plan.
 *
 * Plain data that the run of plans keeps. Knows no dispatch and no scheduler. */
#ifndef MASTER_PLANNED_JOBS_H
#define MASTER_PLANNED_JOBS_H

#include "master/incarnation.h"
#include "protocol/scheduler_master.h"

struct planned_job {
    uint64_t number;
    struct msg_planned_job plan; /* of the last plan it was in, a copy: */
    void *plan_memory;           /* its texts and ranks */
    bool fast_forward;           /* as that plan had it, likewise time_scale */
    double time_scale;

    bool planned; /* in the plan in force */
    bool held;    /* failed too often, or cannot run */
    bool done;
    int64_t done_step; /* where its trainers were then, -1 if they did not say */
    int64_t done_us;   /* when that was */
    bool lost;         /* its GPUs are gone: it waits for the next plan */
    int failures;
    int64_t retry_us;            /* when it is to be tried again, 0 for nothing of that kind */
    struct worker_node *accused; /* where it failed last, NULL for nowhere */
    bool forgiven;               /* its failures do not count once it starts elsewhere */
    int times_forgiven;          /* since it last trained well */
    int64_t checkpoint;          /* step of the last confirmed one, -1 for none */

    struct incarnation *current; /* that is wanted; NULL if none is. The dispatch's */
    uint32_t last_number;        /* of its last incarnation, 0 for none */
    size_t alive;                /* incarnations that are not over, `current` among them */
    struct lineage *lineage;     /* of all of them, NULL before the first; the dispatch's */

    bool stop_due; /* the scheduler is to be told when all of them are over */
    struct msg_planned_stop stop;

    uint32_t told_stable;       /* number of the last incarnation that was reported to be stable */
    uint32_t told_waiting;      /* and to wait for a lease */
    bool settled;               /* as the table last counted it */
    bool orphan;                /* of a scheduler that is gone: found by its number no more */
    struct msg_job_report said; /* the last report; round 0 for none */
    char cause[NODE_CAUSE_MAX]; /* of it */

    UT_hash_handle hh;        /* by number */
    struct planned_job *prev; /* among all */
    struct planned_job *next;
};

/* Empty when it is zeroed. */
struct planned_jobs {
    struct planned_job *by_number; /* without the orphans; hh.next leads on */
    struct planned_job *all;
    size_t unsettled; /* of those that are no orphans */
};

/* Frees every job. */
void planned_jobs_clear(struct planned_jobs *self);

/* NULL if there is none, or only an orphan. */
struct planned_job *planned_jobs_find(const struct planned_jobs *self, uint64_t number);

/* A new one, settled and in no plan; there must be none of that number. The table's, until it is
 * dropped. */
struct planned_job *planned_jobs_add(struct planned_jobs *self, uint64_t number);

/* The job failed last on `node`, NULL for nowhere. */
void planned_job_accuse(struct planned_job *job, struct worker_node *node);

/* Forgets and frees `job`, which must be settled. */
void planned_jobs_drop(struct planned_jobs *self, struct planned_job *job);

/* The scheduler of the job is gone: its number may come again as another job's. The job counts as
 * settled. */
void planned_jobs_orphan(struct planned_jobs *self, struct planned_job *job);

/* Counts `job` anew among those that are settled: they are as the plan in force has them, or will
 * be as soon as leases of nodes that are gone have run out. */
void planned_jobs_settle(struct planned_jobs *self, struct planned_job *job);

/* Whether there is anything to remember: of one that is in no plan that is a checkpoint to go on
 * from, that it failed or is held, and, until its scheduler knows, that it is done. */
bool job_is_worth_keeping(const struct planned_job *job);

/* The failures of `job` so far do not count any more. */
void job_forgive(struct planned_job *job);

/* Whether it has no GPUs, neither now nor by the plan in force. */
bool job_is_out_of_plan(const struct planned_job *job);

/* The step that the next incarnation begins from; -1 for the last checkpoint there is, if none is
 * known here and credit is not all that counts: a master before this one may have run the job. */
int64_t job_step(const struct planned_job *job);

/* Whether `planned` is the work, on the GPUs, that the job was last planned for. */
bool job_is_same(const struct planned_job *job, const struct msg_plan *plan,
                 const struct msg_planned_job *planned);

/* From here on `planned`, which is copied, is what it was last planned for. */
void job_take_plan(struct planned_job *job, const struct msg_plan *plan,
                   const struct msg_planned_job *planned);

#endif
