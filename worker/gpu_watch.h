/* gpu_watch.h - looks again and again which GPUs the driver shows. A driver may hang, so that each
 * look is a process of its own: this program with --list-gpus. */
#ifndef WORKER_GPU_WATCH_H
#define WORKER_GPU_WATCH_H

#include "common/log.h"
#include "worker/gpus.h"

#include <czmq.h>
#include <sys/types.h>

typedef struct gpu_watch gpu_watch_t;

struct gpu_watch_setting {
    zloop_t *loop;                            /* lent */
    struct log_subject (*about)(void *owner); /* what the log says of looks in vain */
    /* A look is over: these are all that the machine has. Lent for the call. */
    void (*seen)(void *owner, const struct gpus *gpus);
    /* The process that looks, 0 when none does any more. */
    void (*looks)(void *owner, pid_t pid);
    void *owner;
};

gpu_watch_t *gpu_watch_new(const struct gpu_watch_setting *setting);
void gpu_watch_destroy(gpu_watch_t **self); /* when the loop does not turn any more */

/* Looks once in `period_ms` from here on, or as seldom as a twentieth of the time allows. */
void gpu_watch_every(gpu_watch_t *self, int64_t period_ms);

/* Looks at once, unless a look is under way. */
void gpu_watch_now(gpu_watch_t *self);

#endif
