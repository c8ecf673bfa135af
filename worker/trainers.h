/* trainers.h - the trainer processes of a node, one for each GPU: started, watched, swept up after,
 * and started again.
 *
 * This process is the subreaper of all of them, so that whatever a trainer leaves when it is killed
 * comes here and is killed too; a trainer counts as gone when nothing of that is left, and when all
 * that it said was heard: messages are slower than the end of a process. */
#ifndef WORKER_TRAINERS_H
#define WORKER_TRAINERS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How long a trainer may take from its start to its first word. Where hundreds start at once each
 * waits long for its turn, and to kill those that had none only makes more to start. */
#define TRAINER_START_US INT64_C(60000000)

/* After so many trainers of a GPU in a row that never spoke, a job does not wait for the next one.
 */
#define TRAINER_TRIES 3

typedef struct trainers trainers_t;

struct trainers_calls {
    /* Begin, and end, to watch a descriptor that can be read from when the trainer of `gpu` has
     * ended. */
    void (*watch)(void *owner, int32_t gpu, int descriptor);
    void (*unwatch)(void *owner, int32_t gpu, int descriptor);
    /* A trainer, which was the process `pid`, is gone with all its processes; `cause` is a
     * sentence. */
    void (*gone)(void *owner, int32_t gpu, pid_t pid, const char *cause);
    /* The last TRAINER_TRIES trainers of `gpu`, or more, ended without a word or could not be
     * started; `cause` is a sentence about the last one. Called after each further one, too. */
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
void trainers_destroy(trainers_t **self); /* when all are gone */

/* The node's number, for logs. */
void trainers_set_node(trainers_t *self, int32_t node);

/* Whether there is to be a trainer of `gpu`, as there is of each at first. A process that is there
 * stays. */
void trainers_want(trainers_t *self, int32_t gpu, bool wanted);

/* Process `pid`, a child of this one, is no trainer's and is left alone; 0: there is none. */
void trainers_spare(trainers_t *self, pid_t pid);

/* Starts what is to be started, kills what is overdue, and sweeps. The next time when something is
 * due; INT64_MAX for never. -1 with `error` if no trainer can be started at all. */
int trainers_tick(trainers_t *self, int64_t now_us, struct error *error);
int64_t trainers_due_us(const trainers_t *self);

/* The descriptor of `gpu` can be read from; trainers_tick must follow. */
void trainers_ended(trainers_t *self, int32_t gpu, int64_t now_us);

/* Whether process `pid`, which says it is the trainer of `gpu`, is. */
bool trainers_is(const trainers_t *self, int32_t gpu, pid_t pid);

/* The trainer of `gpu` has begun to speak, or ended: all that it said was heard. trainers_tick must
 * follow. */
void trainers_speaks(trainers_t *self, int32_t gpu);
void trainers_spoke(trainers_t *self, int32_t gpu);

/* The trainer was asked to end: it is killed if it is still there at `limit_us`. Afterwards it is
 * started again unless trainers_close came. */
void trainers_asked(trainers_t *self, int32_t gpu, int64_t limit_us);

/* The trainer is silent: kills it at `limit_us` unless it is heard of before. A trainer that was
 * not heard of yet has TRAINER_START_US from its start. A hello is not enough: a trainer whose
 * workload is stuck sends it, too. */
void trainers_doubt(trainers_t *self, int32_t gpu, int64_t limit_us);
void trainers_heard(trainers_t *self, int32_t gpu);

/* Kills at once: the trainer of `gpu`; everything below all of them. */
void trainers_kill(trainers_t *self, int32_t gpu, const char *cause);
void trainers_kill_below(trainers_t *self);

/* None is started again. */
void trainers_close(trainers_t *self);
bool trainers_all_gone(const trainers_t *self);

#endif
