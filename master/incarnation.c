/* incarnation.c - see incarnation.h. */
#include "master/incarnation.h"

#include "common/memory.h"
#include "protocol/run_copy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int32_t *copy_numbers(const int32_t *numbers, size_t count)
{
    int32_t *copy = xcalloc(count, sizeof(*copy));

    memcpy(copy, numbers, count * sizeof(*copy));
    return copy;
}

static void part_init(struct remote_part *part, struct incarnation *incarnation,
                      const struct launch_part *from)
{
    /* The key is hashed as bytes, so its padding is cleared. */
    memset(&part->key, 0, sizeof(part->key));
    part->key.job = incarnation->job;
    part->key.incarnation = incarnation->number;
    part->key.node = from->node->number;
    part->incarnation = incarnation;
    part->node = from->node;
    part->node->named++;
    part->node_rank = from->node_rank;
    part->gpu_count = from->gpu_count;
    part->gpus = copy_numbers(from->gpus, from->gpu_count);
    part->ranks = copy_numbers(from->ranks, from->gpu_count);
    part->step = -1;
}

static void take_run(struct incarnation *self, const struct job_launch *launch)
{
    struct worker_node *first = launch->parts[0].node;
    struct msg_run run = launch->run;

    run.incarnation = self->number;
    if (!run.rendezvous_address) {
        run.rendezvous_address = first->address;
        run.rendezvous_port = node_next_port(first);
    }
    self->run_memory = run_copy(&run, &self->run);
}

void incarnation_take_program(struct incarnation *self, const struct msg_program *program)
{
    free(self->program);
    self->run.program = self->program = program_copy(program);
}

struct incarnation *incarnation_new(const struct job_launch *launch, uint32_t number)
{
    struct incarnation *self = xcalloc(1, sizeof(*self));

    assert(launch->part_count > 0);
    self->job = launch->run.job;
    self->number = number;
    self->may_begin = launch->may_begin;
    self->item = launch->item;
    self->step = launch->run.step;
    self->checkpoint = -1;
    self->retry = true;
    self->ready_us = self->begun_us = self->stable_us = self->over_us = -1;
    self->done_us = INT64_MIN;
    take_run(self, launch);
    self->part_count = launch->part_count;
    self->parts = xcalloc(launch->part_count, sizeof(*self->parts));
    for (size_t i = 0; i < self->part_count; i++) {
        assert(launch->parts[i].node_rank == (int32_t)i);
        part_init(&self->parts[i], self, &launch->parts[i]);
    }
    return self;
}

void incarnation_destroy(struct incarnation **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < (*self)->part_count; i++) {
        (*self)->parts[i].node->named--;
        free((*self)->parts[i].gpus);
        free((*self)->parts[i].ranks);
    }
    free((*self)->parts);
    free((*self)->run_memory);
    free((*self)->program);
    free(*self);
    *self = NULL;
}

bool incarnation_is_wanted(const struct incarnation *self)
{
    return self->phase < INCARNATION_ENDING && self->fault == FAULT_NONE;
}

bool incarnation_is_stable(const struct incarnation *self)
{
    return self->phase == INCARNATION_STABLE;
}

bool incarnation_is_fenced(const struct incarnation *self)
{
    for (size_t i = 0; i < self->part_count; i++) {
        const struct remote_part *part = &self->parts[i];

        if (!part->ended && (part->fence_us == 0 || part->node->state == WORKER_BROKEN))
            return false;
    }
    return self->phase < INCARNATION_OVER;
}

bool incarnation_is_done(const struct incarnation *self)
{
    return self->done == self->part_count;
}

const struct remote_part *incarnation_first(const struct incarnation *self)
{
    return &self->parts[0];
}
