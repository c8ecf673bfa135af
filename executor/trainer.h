/* trainer.h - what a trainer does with its GPU: one workload is active on it, and the next one
 * makes ready beside it as the standby workload.
 *
 * Has no socket and no clock: messages and times come as arguments, answers go to a function. */
#ifndef EXECUTOR_TRAINER_H
#define EXECUTOR_TRAINER_H

#include "executor/workload.h"
#include "protocol/worker_trainer.h"

typedef struct trainer trainer_t;

struct trainer_setting {
    const struct executor_setting *executor;
    int32_t gpu;
    const char *locks; /* folder as in gpu_lock.h, or NULL */
    void (*report)(void *owner, const struct msg_rank_report *report);
    /* A workload did all of its work: the function keeps `part` until the master knows, and returns
     * before any other process is told. NULL: ends are not kept. */
    void (*keep_end)(void *owner, const struct msg_prepare *prepare, const struct msg_part *part);
    void *owner;
};

/* All texts of `setting` are lent. */
trainer_t *trainer_new(const struct trainer_setting *setting);
void trainer_destroy(trainer_t **self); /* only when the trainer has no processes any more */

/* Messages of the worker. Times are CLOCK_BOOTTIME, in microseconds. */
void trainer_prepare(trainer_t *self, const struct msg_prepare *prepare, int64_t now_us);
void trainer_begin(trainer_t *self, const struct msg_begin *begin, int64_t now_us);
void trainer_update(trainer_t *self, const struct msg_update *update, int64_t now_us);
void trainer_stop(trainer_t *self, const struct msg_stop *stop, int64_t now_us);
void trainer_group(trainer_t *self, const struct msg_group *group, int64_t now_us);
void trainer_lease(trainer_t *self, int64_t until_us, int64_t now_us);

/* Ends all workloads with checkpoints, `at_once` without; later messages are refused. */
void trainer_shutdown(trainer_t *self, bool at_once, int64_t now_us);

/* Does what is due at `now_us`. To be called before any message is handed over, so that no message
 * prolongs an expired lease. Returns when the next tick is due; INT64_MAX for never. */
void trainer_tick(trainer_t *self, int64_t now_us);
int64_t trainer_due_us(const trainer_t *self);

/* trainer_child_ended: a child process ended. trainer_descriptor: where messages of workloads can
 * be read, -1 if there are none. */
void trainer_child_ended(trainer_t *self, pid_t pid, int status, int64_t now_us);
int trainer_descriptor(const trainer_t *self);
void trainer_readable(trainer_t *self, int64_t now_us);

/* The heartbeat of the trainer, as of the last tick. `heartbeat` lends texts until the next call.
 * False if a fault has silenced the trainer. */
bool trainer_heartbeat(const trainer_t *self, struct msg_trainer_heartbeat *heartbeat);

/* Reports the active and the standby workload again, to a worker that may have missed a report. */
void trainer_report_again(trainer_t *self);

enum trainer_state trainer_state(const trainer_t *self);
bool trainer_is_empty(const trainer_t *self); /* neither an active nor a standby workload */

#endif
