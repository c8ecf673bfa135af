/* scheduler_master.h - the link between the scheduler, which decides, and the master, which carries
 * out.
 *
 *   scheduler                                master
 *   HELLO role "scheduler"               ->
 *                                        <-  WELCOME, NODES (again whenever they change)
 *   PROGRAM of a job that has its own    ->
 *   PLAN: all jobs that hold GPUs now    ->
 *                                        <-  JOB_REPORT for each that changed, then SETTLED
 *   HEARTBEAT                           <->  HEARTBEAT with the progress of all that run
 *   GOODBYE                              ->  the master stops every job
 *
 * A plan is complete: a job that is not in the plan stops. So a repeated plan changes nothing. */
#ifndef PROTOCOL_SCHEDULER_MASTER_H
#define PROTOCOL_SCHEDULER_MASTER_H

#include "protocol/program.h"
#include "protocol/wire.h"

#define PLAN_JOBS_MAX 65536 /* jobs in one message; job numbers use all 64 bits */
#define NODES_MAX     4096
#define RANKS_MAX     65536
#define NODE_GPUS_MAX 1024
#define JOB_NAME_MAX  255

enum scheduler_master_type {
    MSG_NODES = MSG_LINK_FIRST, /* master to scheduler */
    MSG_PLAN,                   /* scheduler to master */
    MSG_JOB_REPORT,             /* master to scheduler */
    MSG_SETTLED,                /* master to scheduler */
    MSG_PROGRAM,                /* scheduler to master, see program.h */
};

/* WELCOME, master to scheduler. */
struct msg_scheduler_welcome {
    int64_t heartbeat_ms;
    int64_t hold_ms; /* the lease of a worker: how long its parts run on without word from the
                        master */
    int64_t workers_expected; /* no plan is made before this number of workers has registered */
};

/* NODES: all nodes that ever registered, by rising numbers. GPUs are counted through all nodes: a
 * node's first has rank first_rank. */
struct msg_node {
    int32_t node; /* number of the node, from 0, in the order of first registration */
    const char *name;
    int32_t gpus;
    int32_t first_rank;
    bool up;
    const char *cause; /* why the node is down, or "" */
    const char *user;  /* user of its worker, as in HELLO; NULL as "" */
    const char *only;  /* why the node runs programs of no other user, as in HELLO; NULL as "" */
    const char *type;  /* type of its GPUs, as in HELLO; NULL in messages before version 6 */
};

struct msg_nodes {
    size_t count;
    struct msg_node *nodes;
    bool complete; /* no unlisted node will come back to a restarted master; otherwise one still may
                    */
};

/* PLAN: which job holds which GPUs from now on. */
struct msg_planned_job {
    uint64_t job;     /* number of the job, the scheduler's */
    const char *name; /* the user's name for the job */
    const char *model;
    int32_t batch_size; /* global */
    int64_t iterations; /* number of iterations in all */
    int64_t step;       /* credited iterations; a fast-forwarded job begins at this step */
    int64_t deadline_s; /* deadline on the run's clock; INT64_MAX for none */
    int32_t overhead_s; /* overhead of a start in this round by the overhead model, >= 0 */
    double rate;        /* profiled iterations/s on this number of GPUs, > 0 */
    size_t rank_count;
    int32_t *ranks; /* rising */
};

enum stop_why {
    STOP_PAUSED,    /* the job goes on later, from a checkpoint */
    STOP_DONE,      /* all iterations are done */
    STOP_CANCELLED, /* the job's state is not needed any more */
};

struct msg_planned_stop {
    uint64_t job;
    int64_t step;
    enum stop_why why;
};

struct msg_plan {
    uint64_t round;    /* number of the plan, from 1, rising */
    int64_t at_s;      /* time on the run's clock */
    bool fast_forward; /* jobs take over `step` from the plan; otherwise trainers know their own
                          step */
    double time_scale; /* emulated seconds per real second, 0: no waiting */
    bool restart;      /* all trainers restart before the plan is carried out */
    size_t job_count;
    struct msg_planned_job *jobs;
    size_t stop_count;
    struct msg_planned_stop *stops; /* jobs that held GPUs before and stop */
};

/* JOB_REPORT: what became of a job. */
enum job_report_state {
    JOB_REPORT_STABLE,  /* the job trains at `rate`, and lost `overhead_ms` since the plan came */
    JOB_REPORT_STOPPED, /* the job stopped as planned, with a checkpoint at `step` */
    JOB_REPORT_DONE,    /* the job did its last iteration */
    JOB_REPORT_LOST, /* a fault stopped the job; it goes on from `step`: by itself, or, if its GPUs
                        are gone, with the next plan */
    JOB_REPORT_HELD, /* the job failed too often, or cannot run at all, and is not tried again */
    JOB_REPORT_WAITING, /* the job begins once the lease of its earlier parts on a node that is gone
                           has expired */
};

struct msg_job_report {
    uint64_t round; /* round of the plan in force */
    uint64_t job;
    uint32_t incarnation;
    enum job_report_state state;
    int64_t step; /* step of the last confirmed checkpoint; with STABLE and DONE the current step,
                     -1 if its trainers did not say */
    int64_t overhead_ms;
    bool emulated;    /* the overhead is a model's; otherwise it was measured */
    double rate;      /* iterations/s, as a trainer says: to be checked */
    int64_t ended_us; /* with DONE: when, on the clock of the master's stamps; 0: unknown */
    const char *cause;
};

/* SETTLED: every job of the plan is stable, lost, held or waiting, and all jobs that had to stop
 * have stopped, except for parts on nodes that are gone. */
struct msg_settled {
    uint64_t round;
};

/* HEARTBEAT, master to scheduler: how far running jobs are. The scheduler's own has no fields. */
struct msg_progress {
    uint64_t job;
    uint32_t incarnation;
    int64_t step;
    double rate;
};

struct msg_master_heartbeat {
    int64_t stamp_us; /* time of sending, on the master's monotonic clock */
    size_t count;
    struct msg_progress *progress;
};

void msg_scheduler_welcome_pack(const struct msg_scheduler_welcome *welcome, struct writer *out);
void msg_nodes_pack(const struct msg_nodes *nodes, uint32_t version, struct writer *out);
void msg_plan_pack(const struct msg_plan *plan, struct writer *out);
void msg_job_report_pack(const struct msg_job_report *report, struct writer *out);
void msg_settled_pack(const struct msg_settled *settled, struct writer *out);
void msg_master_heartbeat_pack(const struct msg_master_heartbeat *heartbeat, struct writer *out);

/* Each returns -1, with `error`, if `in` is no valid message of its type; arrays and texts live as
 * long as `in`. */
int msg_scheduler_welcome_unpack(reader_t *in, struct msg_scheduler_welcome *welcome,
                                 struct error *error);
int msg_nodes_unpack(reader_t *in, struct msg_nodes *nodes, struct error *error);
int msg_plan_unpack(reader_t *in, struct msg_plan *plan, struct error *error);
int msg_job_report_unpack(reader_t *in, struct msg_job_report *report, struct error *error);
int msg_settled_unpack(reader_t *in, struct msg_settled *settled, struct error *error);
int msg_master_heartbeat_unpack(reader_t *in, struct msg_master_heartbeat *heartbeat,
                                struct error *error);

#endif
