/* workload.c - see workload.h. */
#include "executor/workload.h"

#include "common/memory.h"
#include "protocol/run_copy.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct workload *workload_new(const struct workload_kind *kind,
                              const struct executor_setting *setting,
                              const struct msg_prepare *prepare, int32_t gpu, int64_t now_us)
{
    struct workload *self = xcalloc(1, kind->size);

    assert(prepare->run.gpu_count == 1);
    self->kind = kind;
    self->setting = setting;
    self->prepare = *prepare;
    self->run_memory = run_copy(&prepare->run, &self->prepare.run);
    self->prepare.local_gpus =
        xcalloc((size_t)prepare->local_world, sizeof(*self->prepare.local_gpus));
    memcpy(self->prepare.local_gpus, prepare->local_gpus,
           (size_t)prepare->local_world * sizeof(*self->prepare.local_gpus));
    self->gpu = gpu;
    self->rank = prepare->run.ranks[0];
    self->due_us = INT64_MAX;
    self->kept[0] = -1;
    self->kept[1] = -1;
    self->kept[2] = setting->node_lock > 0 ? setting->node_lock : -1;
    self->status.state = PART_PREPARING;
    self->status.step = -1;
    self->status.checkpoint = -1;
    kind->prepare(self, now_us);
    return self;
}

void workload_destroy(struct workload **self)
{
    if (!*self)
        return;
    if ((*self)->kind->clear)
        (*self)->kind->clear(*self);
    free((*self)->run_memory);
    free((*self)->prepare.local_gpus);
    free(*self);
    *self = NULL;
}

bool workload_is_gone(const struct workload *self)
{
    return self->status.state >= PART_STOPPED;
}

void workload_fail(struct workload *self, bool retry, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(self->status.cause, sizeof(self->status.cause), format, arguments);
    va_end(arguments);
    self->status.state = PART_FAILED;
    self->status.retry = retry;
    self->due_us = INT64_MAX;
}

int64_t workload_grace_ms(const struct workload *self)
{
    const struct msg_program *const own = self->prepare.run.program;

    return own && own->grace_ms > 0 ? own->grace_ms : self->setting->grace_ms;
}

int64_t workload_checkpoint_every_s(const struct workload *self)
{
    const struct msg_program *const own = self->prepare.run.program;

    return own && own->checkpoint_s > 0 ? own->checkpoint_s : self->setting->checkpoint_every_s;
}

bool workload_leads(const struct workload *self)
{
    return self->rank == 0;
}

void workload_describe(const struct workload *self, struct msg_part *part)
{
    const struct workload_status *status = &self->status;

    *part = (struct msg_part){
        .job = self->prepare.run.job,
        .incarnation = self->prepare.run.incarnation,
        .state = status->state,
        .step = status->step,
        .checkpoint = status->checkpoint,
        .overhead_ms = status->overhead_ms,
        .emulated = status->emulated,
        .retry = status->retry,
        .gpu = -1,
        .rate = status->rate,
        .cause = status->cause,
    };
}

struct log_subject workload_subject(const struct workload *self)
{
    return (struct log_subject){
        .job = (int64_t)self->prepare.run.job,
        .incarnation = self->prepare.run.incarnation,
        .node = self->prepare.node,
        .gpu = self->gpu,
    };
}
