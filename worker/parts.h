/* parts.h - the parts of jobs on this node: turns commands of the master and reports of trainers
 * into changes of parts, orders to trainers and reports to the master.
 *
 * Commands name job and incarnation; a repeated command has no further effect. Has no socket:
 * messages and times come as arguments, and messages to send go to functions. */
#ifndef WORKER_PARTS_H
#define WORKER_PARTS_H

#include "protocol/master_worker.h"
#include "protocol/worker_trainer.h"
#include "worker/reports.h"
#include "worker/trainer_orders.h"

typedef struct parts parts_t;

struct parts_setting {
    struct trainer_orders_setting orders; /* for orders to the trainers */
    const char *run_dir; /* lent; where trainers keep checkpoints and ends, NULL: nowhere */
    const char *name;    /* lent; of the node */
    report_fn *report;   /* sends a report to the master */
    void *report_owner;
};

/* The effect of a command. */
enum effect {
    EFFECT_APPLIED,
    EFFECT_REPEATED, /* the command came before, or changes nothing: the state is reported again */
    EFFECT_STALE,    /* a later incarnation is known: its state is reported */
    EFFECT_REFUSED,  /* the command is invalid here: reported as failed */
};

const char *effect_name(enum effect effect);

parts_t *parts_new(const struct parts_setting *setting);
void parts_destroy(parts_t **self);

/* Sets the number of the node at the master. */
void parts_set_node(parts_t *self, int32_t node);

/* parts_gpu_there: a GPU is present, as each is at first. parts_gpu_gone: a GPU is gone: parts on
 * it fail and their other ranks stop; later RUNs for the GPU fail, but may be tried again. */
void parts_gpu_there(parts_t *self, int32_t gpu, int64_t memory_mib);
void parts_gpu_gone(parts_t *self, int32_t gpu, const char *cause);

/* Commands of the master. */
enum effect parts_run(parts_t *self, const struct msg_run *run);
/* Answers a RUN that cannot be carried out here as failed, without a retry. */
enum effect parts_refuse(parts_t *self, const struct msg_run *run, const char *cause);
enum effect parts_begin(parts_t *self, const struct msg_begin *begin);
enum effect parts_update(parts_t *self, const struct msg_update *update);
enum effect parts_stop(parts_t *self, const struct msg_stop *how);
enum effect parts_group(parts_t *self, const struct msg_group *group);

/* parts_rank: the trainer of a GPU reports a rank. parts_trainer_up: it is in session (again), with
 * the ranks that it has. parts_trainer_closed: it takes no orders
 * until it is up again.
 * parts_trainer_gone: its process `pid` and all below have ended; temporary checkpoint files of
 * `pid` are removed. */
void parts_rank(parts_t *self, int32_t gpu, const struct msg_rank_report *report);
void parts_trainer_up(parts_t *self, int32_t gpu);
void parts_trainer_closed(parts_t *self, int32_t gpu);
void parts_trainer_gone(parts_t *self, int32_t gpu, pid_t pid, const char *cause);
/* Trainers of a GPU end before their first message: parts that wait for a trainer there fail. */
void parts_no_trainer(parts_t *self, int32_t gpu, const char *cause);

/* Adds parts that trainers of an earlier worker finished, as done: that worker may not have
 * reported their ends. */
void parts_recall(parts_t *self);

/* Stops all parts, with checkpoints. */
void parts_stop_all(parts_t *self);

/* Fails all parts; their processes are stopped at once. */
void parts_fail_all(parts_t *self, const char *cause);

/* Describes the parts for a heartbeat or hello sent at `stamp_us`: live parts, and ended ones that
 * the master has not acknowledged. The array is the caller's to free; its texts are lent until the
 * next call. Returns their number. */
size_t parts_describe(parts_t *self, int64_t stamp_us, struct msg_part **found);
size_t parts_runs(const parts_t *self, struct msg_run **found); /* the RUNs of the same parts */

/* The largest number of an incarnation that a command named, 0 for none. */
uint32_t parts_named(const parts_t *self);

/* The master answered the heartbeat or hello sent at `stamp_us`. */
void parts_acknowledged(parts_t *self, int64_t stamp_us);

/* The longest grace time of programs on `gpu` that their jobs brought along, 0 without one. */
int64_t parts_grace_ms(const parts_t *self, int32_t gpu);

size_t parts_live(const parts_t *self);          /* number of parts that have not ended */
bool parts_on(const parts_t *self, int32_t gpu); /* whether a trainer has a live rank */
bool parts_sent(
    const parts_t *self,
    int32_t gpu); /* whether a part has a live rank there that its trainer was told of */

#endif
