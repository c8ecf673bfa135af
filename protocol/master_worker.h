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
 * A part is what one node holds of an incarnation of a job. It is held by a lease: the worker ends
 * its processes itself when no heartbeat of its own, by the time it was *sent*, was answered for
 * `lease_ms`; the master counts from the time it *came*, so that the worker is always the first to
 * give up. Reports are repeated by heartbeats: these carry the state of every part, so that the
 * loss of one heals itself. Every command names job and incarnation and has one effect however
 * often it comes. */
#ifndef PROTOCOL_MASTER_WORKER_H
#define PROTOCOL_MASTER_WORKER_H

#include "protocol/scheduler_master.h"
#include "protocol/wire.h"

#define PARTS_MAX (2 * NODE_GPUS_MAX)

enum master_worker_type {
    MSG_RUN = MSG_LINK_FIRST + 16, /* master to worker, this and the next five */
    MSG_BEGIN,
    MSG_UPDATE,
    MSG_STOP,
    MSG_GROUP,
    MSG_RESTART,
    MSG_SHUTDOWN,
    MSG_REPORT, /* worker to master, this and the next */
    MSG_GPUS,
};

enum part_state {
    PART_PREPARING, /* its trainers make ready, perhaps while another job still runs there */
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

/* A part as a heartbeat or report has it. Only node rank 0 of an incarnation knows steps and
 * checkpoints. */
struct msg_part {
    uint64_t job;
    uint32_t incarnation;
    enum part_state state;
    int64_t step;       /* it is at; -1 if this part does not know */
    int64_t checkpoint; /* step of the last confirmed checkpoint; -1 if this part does not know */
    int64_t
        overhead_ms; /* from RUN to stable, once it is; of an emulated one what its model says */
    bool emulated;
    bool retry;  /* of a failed part: another try may help */
    int32_t gpu; /* of a failed one: that of the rank that failed first, -1 if no rank did */
    double rate;
    int64_t ended_us; /* of a done one: when, by the clock of the worker's stamps; 0: unknown */
    const char *cause;
};

/* HELLO, after the three common fields. */
struct msg_gpu {
    const char *uuid; /* "" if it has none */
    int64_t memory_mib;
    bool gone; /* the worker had it, and it is not there any more */
};

struct msg_run;

struct msg_worker_hello {
    const char *address; /* where the ranks of other nodes reach this node */
    int32_t port;        /* first of the ports for rendezvous of jobs whose rank 0 is here */
    const char *kind;    /* of GPUs: "nvml", "nvidia-smi", "declared", "emulated" or "made-up" */
    const char *user;    /* whose programs the worker runs, its own; NULL as "": not known */
    const char *only;    /* why it runs those of no other user; NULL or "" if it does */
    const char *type;    /* of the GPUs, as cluster specs name it; NULL as "": not known. Not said
                            before version 6 */
    int64_t stamp_us;    /* as in a heartbeat */
    size_t gpu_count;
    struct msg_gpu *gpus;
    bool numbered;      /* a master welcomed this process before, and numbered it so: */
    int32_t node;       /* as in WELCOME */
    int32_t first_rank; /* likewise */
    uint32_t lock;      /* that it and all its trainers hold and that was free before; 0: none */
    uint32_t named;     /* the largest number of an incarnation that a command named, 0 for none */
    size_t part_count;
    struct msg_part *parts; /* that it still has processes of, or whose end was not acknowledged */
    size_t run_count;
    struct msg_run *runs; /* of those, without programs; `step` is that of BEGIN once that came */
};

/* WELCOME, master to worker. */
struct msg_worker_welcome {
    int32_t node; /* number of the node */
    int32_t first_rank;
    int64_t heartbeat_ms;
    int64_t lease_ms;
    int64_t stamp_us; /* of the hello */
};

/* RUN: prepare the part of `node_rank` of an incarnation. */
struct msg_run {
    uint64_t job;
    uint32_t incarnation;
    const char *name;
    const char *model;
    int32_t batch_size;
    int64_t iterations;
    int64_t step; /* to start from, as in BEGIN: that one counts; 0 from scratch */
    int64_t deadline_s;
    int64_t overhead_ms; /* of an emulated start, -1: what the emulation itself says */
    double rate;         /* profiled, 0: to be looked up */
    bool fast_forward;
    double time_scale; /* emulated seconds per real second, 0: no waiting */
    int32_t node_rank; /* of `nodes` */
    int32_t nodes;
    int32_t world; /* ranks in all */
    const char *rendezvous_address;
    int32_t rendezvous_port;
    size_t gpu_count;
    int32_t *gpus;                     /* of the node, from 0, rising */
    int32_t *ranks;                    /* of the job, from 0, one for each of `gpus` */
    const struct msg_program *program; /* that it executes, NULL: the worker's */
};

/* BEGIN: every part is ready. */
struct msg_begin {
    uint64_t job;
    uint32_t incarnation;
    int64_t step; /* to go on from, -1: the last checkpoint, which the master does not know */
};

/* UPDATE: a fast-forwarded job is at `step` now; node rank 0 makes a checkpoint of that. */
struct msg_update {
    uint64_t job;
    uint32_t incarnation;
    int64_t step;
    int64_t iterations;
};

/* STOP: with a checkpoint unless it is cancelled. */
struct msg_stop {
    uint64_t job;
    uint32_t incarnation;
    int64_t step; /* that a fast-forwarded job is at, -1: its own */
    enum stop_why why;
    int64_t grace_ms; /* between SIGTERM and SIGKILL; -1 as the worker has it */
};

/* GROUP: the ranks of a job form a training group, or a pair over which its state moves. */
struct msg_group {
    uint64_t job;
    uint32_t incarnation;
    bool moves_state;
    int32_t source; /* global rank that has the state, -1 without */
    size_t rank_count;
    int32_t *ranks; /* global */
};

/* RESTART: all trainers of the node end and start again; SHUTDOWN: the worker ends. */

/* REPORT: a part changed its state. A group that was made is reported as the part of its
 * incarnation with the event "grouped". */
struct msg_report {
    struct msg_part part;
    bool grouped; /* it is about a GROUP, that took took_ms */
    int64_t took_ms;
};

/* GPUS, worker to master: the GPUs of the node from here on, as in the hello. */
struct msg_gpus {
    size_t gpu_count;
    struct msg_gpu *gpus;
};

/* HEARTBEAT, worker to master. */
struct msg_worker_heartbeat {
    int64_t stamp_us; /* when it was sent, on the worker's monotonic clock */
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

/* The hello's own fields; msg_hello_unpack comes first. */
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
