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
 * A plan is the whole truth: what is not in it is to stop. So a plan that is sent again changes
 * nothing. */
#ifndef PROTOCOL_SCHEDULER_MASTER_H
#define PROTOCOL_SCHEDULER_MASTER_H

#include "protocol/program.h"
#include "protocol/wire.h"

#define PLAN_JOBS_MAX 65536 /* in one message; their numbers are any 64 bits */
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
    int64_t
        hold_ms; /* the lease of a worker: so long its parts run on without word from the master */
    int64_t workers_expected; /* no plan is made before so many have registered */
};

/* NODES: all that ever registered, by rising numbers. GPUs are counted through all
 * nodes: a node's first has rank first_rank. */
struct msg_node {
    int32_t node; /* from 0, in the order of the first registration */
    const char *name;
    int32_t gpus;
    int32_t first_rank;
    bool up;
    const char *cause; /* why it is down, or "" */
    const char *user;  /* as its worker says in HELLO; NULL as "" */
    const char *only;  /* likewise */
    const char *type;  /* likewise, of its GPUs; NULL in a message of a version before 6 */
};

struct msg_nodes {
    size_t count;
    struct msg_node *nodes;
    bool complete; /* a node that is not among them has not come back to a master that started
                    * anew; otherwise it may still do so */
};

/* PLAN: which job holds which GPUs from now on. */
struct msg_planned_job {
    uint64_t job;     /* number of the job, the scheduler's */
    const char *name; /* what its user calls it */
    const char *model;
    int32_t batch_size; /* global */
    int64_t iterations; /* in all */
    int64_t step;       /* done so far, as credited; fast-forwarded the job begins there */
    int64_t deadline_s; /* of the run's clock; INT64_MAX for none */
    int32_t overhead_s; /* what the overhead model says of a start in this round, >= 0 */
    double rate;        /* profiled iterations/s on so many GPUs, > 0 */
    size_t rank_count;
    int32_t *ranks; /* rising */
};

enum stop_why {
    STOP_PAUSED,    /* goes on later, from a checkpoint */
    STOP_DONE,      /* all iterations are done */
    STOP_CANCELLED, /* its state is not needed any more */
};

struct msg_planned_stop {
    uint64_t job;
    int64_t step;
    enum stop_why why;
};

struct msg_plan {
    uint64_t round;    /* from 1, rising */
    int64_t at_s;      /* of the run's clock */
    bool fast_forward; /* `step` is what a job takes over; otherwise trainers know better */
    double time_scale; /* emulated seconds per real second, 0: no waiting */
    bool restart;      /* all trainers restart before the plan is carried out */
    size_t job_count;
    struct msg_planned_job *jobs;
    size_t stop_count;
    struct msg_planned_stop *stops; /* of jobs that held GPUs before */
};

/* JOB_REPORT: what became of a job. */
enum job_report_state {
    JOB_REPORT_STABLE,  /* trains at `rate`; it lost `overhead_ms` since the plan came */
    JOB_REPORT_STOPPED, /* as planned, with a checkpoint at `step` */
    JOB_REPORT_DONE,    /* did its last iteration */
    JOB_REPORT_LOST,    /* stopped by a fault; goes on from `step`: by itself, or, if its GPUs are
                         * gone, with the next plan */
    JOB_REPORT_HELD,    /* failed too often, or cannot run at all; is not tried again */
    JOB_REPORT_WAITING, /* begins once the lease of what is left of it on a node that is gone has
                         * run out */
};

struct msg_job_report {
    uint64_t round; /* of the plan in force */
    uint64_t job;
    uint32_t incarnation;
    enum job_report_state state;
    int64_t step; /* of the last confirmed checkpoint; with STABLE and DONE the step it is at, -1 if
                     its trainers did not say */
    int64_t overhead_ms;
    bool emulated;    /* then the overhead is a model's, otherwise it was measured */
    double rate;      /* iterations/s, as a trainer says: to be checked */
    int64_t ended_us; /* with DONE: when, by the clock of the master's stamps; 0: unknown */
    const char *cause;
};

/* SETTLED: every job of the plan is stable, lost, held or waiting, and what had to stop has
 * stopped, but for what may be left of it on nodes that are gone. */
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
    int64_t stamp_us; /* when it was sent, on the master's monotonic clock */
    size_t count;
    struct msg_progress *progress;
};

void msg_scheduler_welcome_pack(const struct msg_scheduler_welcome *welcome, struct writer *out);
void msg_nodes_pack(const struct msg_nodes *nodes, uint32_t version, struct writer *out);
void msg_plan_pack(const struct msg_plan *plan, struct writer *out);
void msg_job_report_pack(const struct msg_job_report *report, struct writer *out);
void msg_settled_pack(const struct msg_settled *settled, struct writer *out);
void msg_master_heartbeat_pack(const struct msg_master_heartbeat *heartbeat, struct writer *out);

/* Each returns -1, with `error`, if `in` is no such message; arrays and texts live as long as
 * `in`. */
int msg_scheduler_welcome_unpack(reader_t *in, struct msg_scheduler_welcome *welcome,
                                 struct error *error);
int msg_nodes_unpack(reader_t *in, struct msg_nodes *nodes, struct error *error);
int msg_plan_unpack(reader_t *in, struct msg_plan *plan, struct error *error);
int msg_job_report_unpack(reader_t *in, struct msg_job_report *report, struct error *error);
int msg_settled_unpack(reader_t *in, struct msg_settled *settled, struct error *error);
int msg_master_heartbeat_unpack(reader_t *in, struct msg_master_heartbeat *heartbeat,
                                struct error *error);

#endif
