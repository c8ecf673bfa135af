/* worker_trainer.h - the link between a worker and the trainer of each of its GPUs, over a local
 * socket of the same user.
 *
 *   trainer                                   worker
 *   HELLO role "trainer", GPU             ->
 *                                         <-  WELCOME
 *                                         <-  PREPARE, as the standby workload
 *   RANK_REPORT ready                     ->     when nothing else is active
 *                                         <-  BEGIN, UPDATE, STOP as between master and worker
 *   RANK_REPORT running | stable | stopped | done | failed
 *   HEARTBEAT                             <-> HEARTBEAT: how long the lease still lasts
 *
 * A lease ends at a time of the clock that worker and trainer share, CLOCK_BOOTTIME in
 * microseconds: so a message delayed by a stopped process prolongs no lease. The trainer ends its
 * workload itself when the lease is over, so that a worker that is stopped or stuck keeps no GPU.
 */
#ifndef PROTOCOL_WORKER_TRAINER_H
#define PROTOCOL_WORKER_TRAINER_H

#include "protocol/master_worker.h"
#include "protocol/wire.h"

enum worker_trainer_type {
    MSG_PREPARE =
        MSG_LINK_FIRST + 32, /* worker to trainer; also BEGIN, UPDATE, STOP, GROUP, SHUTDOWN */
    MSG_RANK_REPORT,         /* trainer to worker */
};

/* The states of a trainer. */
enum trainer_state {
    TRAINER_IDLE,    /* no active workload */
    TRAINER_SWITCH,  /* the standby workload is replacing the active one */
    TRAINER_RUNNING, /* the active workload trains */
    TRAINER_KILL,    /* the active workload was told to end */
};

/* HELLO, after the three common fields; the name is the GPU's number. */
struct msg_trainer_hello {
    int32_t gpu;
    int64_t pid;
};

/* WELCOME, worker to trainer. */
struct msg_trainer_welcome {
    int64_t heartbeat_ms;
};

/* PREPARE: one rank of an incarnation. */
struct msg_prepare {
    struct msg_run run; /* has exactly one of `gpus` and `ranks`, this trainer's */
    int32_t local_rank;
    int32_t local_world; /* ranks of the job on this node */
    int32_t *local_gpus; /* GPUs of those ranks, local_world numbers, by local rank */
    int32_t node;        /* number of the node, for logs */
    int64_t memory_mib;  /* memory of the GPU, 0 if unknown */
    int64_t lease_until_us;
};

/* RANK_REPORT: `part.step`, `part.checkpoint` as rank 0 knows them. */
struct msg_rank_report {
    struct msg_part part;
    enum trainer_state state;
    bool grouped; /* as in msg_report */
    int64_t took_ms;
};

/* HEARTBEAT, worker to trainer. The trainer answers with a heartbeat that has the fields of one
 * RANK_REPORT about its active workload, or none. */
struct msg_trainer_lease {
    int64_t lease_until_us;
};

struct msg_trainer_heartbeat {
    enum trainer_state state;
    bool active;
    struct msg_part part;
};

void msg_trainer_hello_pack(const char *name, uint32_t version,
                            const struct msg_trainer_hello *hello, struct writer *out);
void msg_trainer_welcome_pack(const struct msg_trainer_welcome *welcome, struct writer *out);
void msg_prepare_pack(const struct msg_prepare *prepare, struct writer *out);
void msg_rank_report_pack(const struct msg_rank_report *report, struct writer *out);
void msg_trainer_lease_pack(const struct msg_trainer_lease *lease, struct writer *out);
void msg_trainer_heartbeat_pack(const struct msg_trainer_heartbeat *heartbeat, struct writer *out);

int msg_trainer_hello_unpack(reader_t *in, struct msg_trainer_hello *hello, struct error *error);
int msg_trainer_welcome_unpack(reader_t *in, struct msg_trainer_welcome *welcome,
                               struct error *error);
int msg_prepare_unpack(reader_t *in, struct msg_prepare *prepare, struct error *error);
int msg_rank_report_unpack(reader_t *in, struct msg_rank_report *report, struct error *error);
int msg_trainer_lease_unpack(reader_t *in, struct msg_trainer_lease *lease, struct error *error);
int msg_trainer_heartbeat_unpack(reader_t *in, struct msg_trainer_heartbeat *heartbeat,
                                 struct error *error);

#endif
