/* parts.h - what this node holds of jobs: commands of the master and what trainers say become
 * changes of parts, orders to trainers and reports to the master.
 *
 * Commands name job and incarnation and have one effect however often they come. Knows no socket:
 * messages are calls, the time comes with them, and what is to be sent goes to functions. */
#ifndef WORKER_PARTS_H
#define WORKER_PARTS_H

#include "protocol/master_worker.h"
#include "protocol/worker_trainer.h"
#include "worker/reports.h"
#include "worker/trainer_orders.h"

typedef struct parts parts_t;

struct parts_setting {
    struct trainer_orders_setting orders; /* to the trainers */
    const char *run_dir; /* lent; where trainers keep checkpoints and ends, NULL: nowhere */
    const char *name;    /* lent; of the node */
    report_fn *report;   /* to the master */
    void *report_owner;
};

/* The effect of a command. */
enum effect {
    EFFECT_APPLIED,
    EFFECT_REPEATED, /* it had come before, or changes nothing: the state is reported again */
    EFFECT_STALE,    /* a later incarnation is known: the state of that is reported */
    EFFECT_REFUSED,  /* it makes no sense here: reported as failed */
};

const char *effect_name(enum effect effect);

parts_t *parts_new(const struct parts_setting *setting);
void parts_destroy(parts_t **self);

/* The number of the node, as the master has it. */
void parts_set_node(parts_t *self, int32_t node);

/* A GPU is there, as each is at first, or it is gone: parts on it fail, and what is left of them is
 * to be stopped. RUNs for it fail, but may be tried again. */
void parts_gpu_there(parts_t *self, int32_t gpu, int64_t memory_mib);
void parts_gpu_gone(parts_t *self, int32_t gpu, const char *cause);

/* Commands of the master. */
enum effect parts_run(parts_t *self, const struct msg_run *run);
/* Answers a RUN that cannot be carried out here; another try would not help. */
enum effect parts_refuse(parts_t *self, const struct msg_run *run, const char *cause);
enum effect parts_begin(parts_t *self, const struct msg_begin *begin);
enum effect parts_update(parts_t *self, const struct msg_update *update);
enum effect parts_stop(parts_t *self, const struct msg_stop *how);
enum effect parts_group(parts_t *self, const struct msg_group *group);

/* The trainer of a GPU says how a rank is; is there (again, with what it has); takes no more until
 * it is there again; is gone with all its processes, `pid` first: what that left aside of a
 * checkpoint is removed. */
void parts_rank(parts_t *self, int32_t gpu, const struct msg_rank_report *report);
void parts_trainer_up(parts_t *self, int32_t gpu);
void parts_trainer_closed(parts_t *self, int32_t gpu);
void parts_trainer_gone(parts_t *self, int32_t gpu, pid_t pid, const char *cause);
/* No trainer of a GPU comes as far as its first word: parts that wait for one there fail. */
void parts_no_trainer(parts_t *self, int32_t gpu, const char *cause);

/* Parts that trainers of a worker before this one did, and whose ends that worker may not have
 * told, are there as done. */
void parts_recall(parts_t *self);

/* Stops all parts, with checkpoints. */
void parts_stop_all(parts_t *self);

/* All parts fail: what is left of them is to be stopped at once. */
void parts_fail_all(parts_t *self, const char *cause);

/* Describes the parts for a heartbeat or hello sent at `stamp_us`: live ones, and those that ended
 * until the master is known to have heard of it. The array is the caller's to free; its texts are
 * lent until the next call. Returns their number. */
size_t parts_describe(parts_t *self, int64_t stamp_us, struct msg_part **found);
size_t parts_runs(const parts_t *self, struct msg_run **found); /* of the same parts */

/* The largest number of an incarnation that a command named, 0 for none. */
uint32_t parts_named(const parts_t *self);

/* The master answered what was sent at `stamp_us`. */
void parts_acknowledged(parts_t *self, int64_t stamp_us);

/* The longest that a program on `gpu` that its job brought along may take to end, 0 without one. */
int64_t parts_grace_ms(const parts_t *self, int32_t gpu);

size_t parts_live(const parts_t *self);            /* that have not ended */
bool parts_on(const parts_t *self, int32_t gpu);   /* whether a trainer has a live rank */
bool parts_sent(const parts_t *self, int32_t gpu); /* ... and it was sent there */

#endif
