/* trainers.h - the trainer processes of a node, one for each GPU: started, watched, swept up after,
 * and started again.
 *
 * This process is the subreaper of all of them, so that the descendants of a killed trainer become
 * its children and are killed too. A trainer counts as gone when none of these is left and all its
 * messages were read: messages are slower than the end of a process. */
#ifndef WORKER_TRAINERS_H
#define WORKER_TRAINERS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long a trainer may take from its start to its first word. Where hundreds start at once each
 * waits long for its turn, and killing the waiting ones only adds more starts. */
#define TRAINER_START_US INT64_C(60000000)

/* After this many trainers of a GPU in a row that never spoke, jobs do not wait for the next
 * one. */
#define TRAINER_TRIES 3

typedef struct trainers trainers_t;

struct trainers_calls {
    /* `watch` begins, and `unwatch` ends, to poll a descriptor that becomes readable when the
     * trainer of `gpu` has ended. */
    void (*watch)(void *owner, int32_t gpu, int descriptor);
    void (*unwatch)(void *owner, int32_t gpu, int descriptor);
    /* A trainer, which was the process `pid`, is gone with all its processes; `cause` is a
     * sentence. */
    void (*gone)(void *owner, int32_t gpu, pid_t pid, const char *cause);
    /* The last TRAINER_TRIES trainers of `gpu`, or more, ended without a message or could not be
     * started; `cause` is a sentence about the last one. Called again after each further one. */
    void (*in_vain)(void *owner, int32_t gpu, const char *cause);
};

struct trainers_setting {
    int32_t gpu_count;
    /* argv and environment of the trainer of `gpu`, ended with NULL; lent until the next call. */
    char *const *(*arguments)(void *owner, int32_t gpu);
    char *const *environment;
    int lock; /* descriptor that trainers inherit, 0 for none */
    const struct trainers_calls *calls;
    void *owner;
};

trainers_t *trainers_new(const struct trainers_setting *setting);
void trainers_destroy(trainers_t **self); /* only when all are gone */

/* The node's number, for logs. */
void trainers_set_node(trainers_t *self, int32_t node);

/* Sets whether `gpu` is to have a trainer, as each has at first. A running trainer stays. */
void trainers_want(trainers_t *self, int32_t gpu, bool wanted);

/* Process `pid`, a child of this one, is no trainer's and must not be killed; 0: none. */
void trainers_spare(trainers_t *self, pid_t pid);

/* Starts missing trainers, kills overdue ones, and sweeps. Sets the next time when a tick is due;
 * INT64_MAX for never. -1 with `error` if no trainer can be started at all. */
int trainers_tick(trainers_t *self, int64_t now_us, struct error *error);
int64_t trainers_due_us(const trainers_t *self);

/* The descriptor of `gpu` can be read from; trainers_tick must follow. */
void trainers_ended(trainers_t *self, int32_t gpu, int64_t now_us);

/* Whether process `pid`, which claims to be the trainer of `gpu`, is. */
bool trainers_is(const trainers_t *self, int32_t gpu, pid_t pid);

/* trainers_speaks: the trainer of `gpu` sent its first message. trainers_spoke: it ended, and all
 * its messages were read. trainers_tick must follow. */
void trainers_speaks(trainers_t *self, int32_t gpu);
void trainers_spoke(trainers_t *self, int32_t gpu);

/* The trainer was asked to end: it is killed at `limit_us` if still there. Afterwards another is
 * started unless trainers_close was called. */
void trainers_asked(trainers_t *self, int32_t gpu, int64_t limit_us);

/* The trainer is silent: kills it at `limit_us` unless a heartbeat comes before. A trainer without
 * any message yet has TRAINER_START_US from its start. A hello is not enough: a trainer whose
 * workload is stuck sends it, too. */
void trainers_doubt(trainers_t *self, int32_t gpu, int64_t limit_us);
void trainers_heard(trainers_t *self, int32_t gpu);

/* trainers_kill: kills the trainer of `gpu` at once. trainers_kill_below: kills all processes
 * below the trainers. */
void trainers_kill(trainers_t *self, int32_t gpu, const char *cause);
void trainers_kill_below(trainers_t *self);

/* trainers_close: no trainer is started again. */
void trainers_close(trainers_t *self);
bool trainers_all_gone(const trainers_t *self);

#endif
