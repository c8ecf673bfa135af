/* assignment_state.h - what the files of the assignment share: assignment.c carries plans out, faults.c deals with
 * what goes wrong, job_report.c tells the scheduler. */
#ifndef MASTER_ASSIGNMENT_STATE_H
#define MASTER_ASSIGNMENT_STATE_H

#include "master/assignment.h"

struct job {
    uint64_t number;
    struct msg_planned_job plan; /* of the last plan it was in; its texts and ranks are the job's */
    bool fast_forward;           /* as that plan had it, likewise time_scale */
    double time_scale;

    bool planned; /* in the plan in force */
    bool held;    /* failed too often, or cannot run */
    bool done;
    bool lost; /* its GPUs are gone: it waits for the next plan */
    int failures;
    int64_t checkpoint; /* step of the last confirmed one, -1 for none */

    struct incarnation *current; /* that is wanted; NULL if none is */
    uint32_t last_number;        /* of its last incarnation, 0 for none */
    size_t alive;                /* incarnations that are not over, `current` among them */

    bool stop_due; /* the scheduler is to be told when all of them are over */
    struct msg_planned_stop stop;

    uint32_t told_stable;       /* number of the last incarnation that was reported to be stable */
    bool settled;               /* as the assignment last counted it */
    bool orphan;                /* of a scheduler that is gone: not in the table any more */
    struct msg_job_report said; /* the last report; round 0 for none */
    char cause[NODE_CAUSE_MAX]; /* of it */

    UT_hash_handle hh; /* by number */
    struct job *prev;  /* among all */
    struct job *next;
};

struct assignment {
    struct msg_scheduler_welcome welcome;
    const struct scheduler_calls *calls;
    void *calls_owner;
    dispatch_t *dispatch;

    bool ends;      /* the master does */
    bool present;   /* there is a scheduler */
    bool unproved;  /* its first plan has not come yet */
    bool same_name; /* as the one before it */
    char *name;     /* of the last one */

    uint64_t round; /* of the plan in force, 0 for none */
    bool told_settled;
    size_t unsettled; /* jobs */
    struct job *table;
    struct job *all; /* those of the table and the orphans */
    uint64_t stale;

    uint64_t *taken; /* by rank: the check of a plan in which it was last seen */
    size_t taken_capacity;
    uint64_t checks;
};

/* ---- assignment.c ---- */

/* A new incarnation of `job` on the GPUs of its plan. If a node is not up it is lost instead. */
void job_start(assignment_t *self, struct job *job, int64_t now_us);

/* Tells the one that is wanted to stop. */
void job_stop(assignment_t *self, struct job *job, const struct ending *ending, int64_t now_us);

/* The step that the next incarnation begins from. */
int64_t job_step(const struct job *job);

/* ---- faults.c ---- */

/* Something about an incarnation of `job` changed: it may be at fault. */
void job_look_for_faults(assignment_t *self, struct job *job, struct incarnation *incarnation,
                         int64_t now_us);

/* Its GPUs are gone. */
void job_lose(assignment_t *self, struct job *job, const char *cause);

/* ---- job_report.c ---- */

void report_stable(assignment_t *self, struct job *job);
void report_state(assignment_t *self, struct job *job, enum job_report_state state, int64_t step,
                  const char *cause);
void report_again(assignment_t *self, struct job *job);
void report_stopped_unknown(assignment_t *self, const struct msg_planned_stop *stop);
void report_nodes(assignment_t *self);

/* Counts `job` anew among those that are settled, and tells the scheduler if all are. */
void report_settle(assignment_t *self, struct job *job);
void report_if_settled(assignment_t *self);

#endif
