/* master_worker.h - the link between the master and the worker that looks after one node.
 *
 *   worker                                    master
 *   HELLO role "worker", GPUs, parts held ->  (with the RUN of each: a new master knows nothing)
 *                                         <-  WELCOME: the node's number, or REFUSED
 *                                         <-  RUN: prepare a part of an incarnation
 *   REPORT ready                          ->
 *                                         <-  BEGIN, once all parts are ready and the GPUs free
 *   REPORT running, REPORT stable         ->
 *                                         <-  UPDATE: how far a job is, STOP: end with a checkpoint
 *   REPORT stopped | done | failed        ->
 *   HEARTBEAT: stamp, parts               ->
 *                                         <-  HEARTBEAT: the stamp again: leases run on from there
 *   GPUS: some are gone, or back          ->
 *   GOODBYE                              <->  GOODBYE
 *
 * A part is the share of one node in an incarnation of a job, held by a lease: the worker ends the
 * processes itself when none of the heartbeats it *sent* within the last `lease_ms` was answered.
 * The master counts `lease_ms` from the time a heartbeat *came*, so that the worker always gives up
 * first. Heartbeats repeat reports: each carries the state of every part, so that a lost report
 * does no harm. Every command names job and incarnation and has one effect however often it comes.
 */
#ifndef PROTOCOL_MASTER_WORKER_H
#define PROTOCOL_MASTER_WORKER_H

#include "protocol/scheduler_master.h"
#include "protocol/wire.h"

#define PARTS_MAX (2 * NODE_GPUS_MAX)

enum master_worker_type {
    MSG_RUN = MSG_LINK_FIRST + 16, /* master to worker, as are the next five */
    MSG_BEGIN,
    MSG_UPDATE,
    MSG_STOP,
    MSG_GROUP,
    MSG_RESTART,
    MSG_SHUTDOWN,
    MSG_REPORT, /* worker to master, as is the next */
    MSG_GPUS,
};

enum part_state {
    PART_PREPARING, /* its trainers prepare, perhaps while another job still runs there */
    PART_READY,     /* prepared, and no other part is on its GPUs */
    PART_RUNNING,   /* began */
    PART_STABLE,    /* trains at `rate` */
    PART_STOPPING,
    PART_STOPPED, /* all its processes are gone; checkpoint at `step` */
    PART_DONE,    /* did all its iterations; all its processes are gone */
    PART_FAILED,  /* all its processes are gone; `cause` says why; last checkpoint at `step` */
};

/* The name of a state: "preparing", "ready" ... */
const char *part_state_name(enum part_state state);

/* A part in a heartbeat or report. Only node rank 0 of an incarnation knows steps and
 * checkpoints. */
struct msg_part {
    uint64_t job;
    uint32_t incarnation;
    enum part_state state;
    int64_t step;        /* current step; -1 if this part does not know */
    int64_t checkpoint;  /* step of the last confirmed checkpoint; -1 if this part does not know */
    int64_t overhead_ms; /* from RUN to stable, once it is; of an emulated one what its model
                            says */
    bool emulated;
    bool retry;  /* for a failed part: another try may help */
    int32_t gpu; /* for a failed part: GPU of the rank that failed first, -1 if no rank did */
    double rate;
    int64_t ended_us; /* end of a done part, on the clock of the worker's stamps; 0: unknown */
    const char *cause;
};

/* HELLO, after the three common fields. */
struct msg_gpu {
    const char *uuid; /* "" if unknown */
    int64_t memory_mib;
    bool gone; /* the worker had this GPU, but it is not there any more */
};

struct msg_run;

struct msg_worker_hello {
    const char *address; /* where ranks on other nodes reach this node */
    int32_t port;        /* first of the ports for rendezvous of jobs whose rank 0 is here */
    const char *kind;    /* source of the GPUs: "nvml", "nvidia-smi", "declared", "emulated" or
                            "made-up" */
    const char *user;    /* user of the worker, whose programs it runs; NULL as "": unknown */
    const char *only;    /* why the worker runs programs of no other user; NULL or "" if it does */
    const char *type;    /* type of the GPUs, as cluster specs name it; NULL as "": unknown. Absent
                            before version 6 */
    int64_t stamp_us;    /* as in a heartbeat */
    size_t gpu_count;
    struct msg_gpu *gpus;
    bool numbered;      /* a master welcomed this process before and gave it these numbers: */
    int32_t node;       /* as in WELCOME */
    int32_t first_rank; /* as in WELCOME */
    uint32_t lock;  /* number of the lock that worker and trainers hold and that was free before; 0:
                       none */
    uint32_t named; /* largest incarnation number in any command, 0 for none */
    size_t part_count;
    struct msg_part *parts; /* parts that still have processes, or whose end was not acknowledged */
    size_t run_count;
    struct msg_run *runs; /* the RUN of each part, without programs; `step` is that of BEGIN once
                             that came */
};

/* WELCOME, master to worker. */
struct msg_worker_welcome {
    int32_t node; /* number of the node */
    int32_t first_rank;
    int64_t heartbeat_ms;
    int64_t lease_ms;
    int64_t stamp_us; /* stamp of the hello */
};

/* RUN: prepare the part of `node_rank` of an incarnation. */
struct msg_run {
    uint64_t job;
    uint32_t incarnation;
    const char *name;
    const char *model;
    int32_t batch_size;
    int64_t iterations;
    int64_t step; /* step to start from unless BEGIN names another; 0 from scratch */
    int64_t deadline_s;
    int64_t overhead_ms; /* overhead of an emulated start, -1: the emulation's own figure */
    double rate;         /* profiled, 0: to be looked up */
    bool fast_forward;
    double time_scale; /* emulated seconds per real second, 0: no waiting */
    int32_t node_rank; /* rank among `nodes` */
    int32_t nodes;
    int32_t world; /* number of ranks in all */
    const char *rendezvous_address;
    int32_t rendezvous_port;
    size_t gpu_count;
    int32_t *gpus;                     /* indices on the node, from 0, rising */
    int32_t *ranks;                    /* ranks in the job, from 0, one for each of `gpus` */
    const struct msg_program *program; /* program of the job, NULL: the worker's */
};

/* BEGIN: every part is ready. */
struct msg_begin {
    uint64_t job;
    uint32_t incarnation;
    int64_t step; /* step to go on from, -1: the last checkpoint, which the master does not know */
};

/* UPDATE: a fast-forwarded job is at `step` now; node rank 0 makes a checkpoint of that step. */
struct msg_update {
    uint64_t job;
    uint32_t incarnation;
    int64_t step;
    int64_t iterations;
};

/* STOP: ends with a checkpoint unless the job is cancelled. */
struct msg_stop {
    uint64_t job;
    uint32_t incarnation;
    int64_t step; /* step of a fast-forwarded job, -1: the step that the part has reached */
    enum stop_why why;
    int64_t grace_ms; /* time between SIGTERM and SIGKILL; -1: the worker's setting */
};

/* GROUP: the ranks of a job form a training group, or a pair over which its state moves. */
struct msg_group {
    uint64_t job;
    uint32_t incarnation;
    bool moves_state;
    int32_t source; /* global rank that holds the state, -1 without */
    size_t rank_count;
    int32_t *ranks; /* global */
};

/* RESTART: all trainers of the node end and start again; SHUTDOWN: the worker ends. */

/* REPORT: a part changed its state. A group that was made is reported as the part of its
 * incarnation with the event "grouped". */
struct msg_report {
    struct msg_part part;
    bool grouped; /* the report is about a GROUP, that took took_ms */
    int64_t took_ms;
};

/* GPUS, worker to master: the GPUs of the node from here on, as in the hello. */
struct msg_gpus {
    size_t gpu_count;
    struct msg_gpu *gpus;
};

/* HEARTBEAT, worker to master. */
struct msg_worker_heartbeat {
    int64_t stamp_us; /* time of sending, on the worker's monotonic clock */
    int32_t trainers_idle;
    size_t part_count;
    struct msg_part *parts;
};

/* HEARTBEAT, master to worker: the answer. */
struct msg_lease {
    int64_t stamp_us;
};

void msg_worker_hello_pack(const char *name, uint32_t version, const struct msg_worker_hello *hello,
                           struct writer *out);
void msg_worker_welcome_pack(const struct msg_worker_welcome *welcome, struct writer *out);
void msg_run_pack(const struct msg_run *run, struct writer *out);
void msg_begin_pack(const struct msg_begin *begin, struct writer *out);
void msg_update_pack(const struct msg_update *update, struct writer *out);
void msg_stop_pack(const struct msg_stop *stop, struct writer *out);
void msg_group_pack(const struct msg_group *group, struct writer *out);
void msg_report_pack(const struct msg_report *report, struct writer *out);
void msg_gpus_pack(const struct msg_gpus *gpus, struct writer *out);
void msg_worker_heartbeat_pack(const struct msg_worker_heartbeat *heartbeat, struct writer *out);
void msg_lease_pack(const struct msg_lease *lease, struct writer *out);

/* Unpacks the hello's own fields, after msg_hello_unpack. */
int msg_worker_hello_unpack(reader_t *in, struct msg_worker_hello *hello, struct error *error);
int msg_worker_welcome_unpack(reader_t *in, struct msg_worker_welcome *welcome,
                              struct error *error);
int msg_run_unpack(reader_t *in, struct msg_run *run, struct error *error);
int msg_begin_unpack(reader_t *in, struct msg_begin *begin, struct error *error);
int msg_update_unpack(reader_t *in, struct msg_update *update, struct error *error);
int msg_stop_unpack(reader_t *in, struct msg_stop *stop, struct error *error);
int msg_group_unpack(reader_t *in, struct msg_group *group, struct error *error);
int msg_report_unpack(reader_t *in, struct msg_report *report, struct error *error);
int msg_gpus_unpack(reader_t *in, struct msg_gpus *gpus, struct error *error);
int msg_worker_heartbeat_unpack(reader_t *in, struct msg_worker_heartbeat *heartbeat,
                                struct error *error);
int msg_lease_unpack(reader_t *in, struct msg_lease *lease, struct error *error);

#endif
