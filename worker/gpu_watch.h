/* gpu_watch.h - looks periodically which GPUs the driver shows. A driver may hang, so each look is
 * a process of its own: this program with --list-gpus. */
#ifndef WORKER_GPU_WATCH_H
#define WORKER_GPU_WATCH_H

#include "common/log.h"
#include "worker/gpus.h"

#include <czmq.h>
#include <sys/types.h>

typedef struct gpu_watch gpu_watch_t;

struct gpu_watch_setting {
    zloop_t *loop;                            /* lent */
    struct log_subject (*about)(void *owner); /* the subject of log lines about failed looks */
    /* A look is over: `gpus` are all GPUs of the machine, lent for the call. */
    void (*seen)(void *owner, const struct gpus *gpus);
    /* The process of the current look, 0 when there is none any more. */
    void (*looks)(void *owner, pid_t pid);
    void *owner;
};

gpu_watch_t *gpu_watch_new(const struct gpu_watch_setting *setting);
void gpu_watch_destroy(gpu_watch_t **self); /* after the loop has ended */

/* Looks once in `period_ms` from here on, or less often, so that looks take at most a twentieth of
 * the time. */
void gpu_watch_every(gpu_watch_t *self, int64_t period_ms);

/* Looks at once, unless a look is under way. */
void gpu_watch_now(gpu_watch_t *self);

#endif
