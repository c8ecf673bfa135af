/* trainer_orders.c - see trainer_orders.h. */
#include "worker/trainer_orders.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A trainer has two ranks: an active workload and a standby one. */
#define RANKS_OF_TRAINER 2

struct trainer_orders {
    struct trainer_orders_setting setting;
    const part_list_t *list;
    int64_t *memory_mib;
    bool *up; /* by GPU: the trainer is up */
    int32_t node;
};

trainer_orders_t *trainer_orders_new(const struct trainer_orders_setting *setting,
                                     const part_list_t *list)
{
    const size_t gpus = (size_t)setting->gpu_count;
    trainer_orders_t *self = xcalloc(1, sizeof(*self));

    assert(setting->gpu_count > 0);
    self->setting = *setting;
    self->list = list;
    self->node = -1;
    self->memory_mib = xcalloc(gpus, sizeof(*self->memory_mib));
    if (setting->memory_mib)
        memcpy(self->memory_mib, setting->memory_mib, gpus * sizeof(*self->memory_mib));
    self->up = xcalloc(gpus, sizeof(*self->up));
    return self;
}

void trainer_orders_destroy(trainer_orders_t **self)
{
    if (!*self)
        return;
    free((*self)->memory_mib);
    free((*self)->up);
    free(*self);
    *self = NULL;
}

void trainer_orders_set_node(trainer_orders_t *self, int32_t node)
{
    self->node = node;
}

void trainer_orders_set_memory(trainer_orders_t *self, int32_t gpu, int64_t memory_mib)
{
    self->memory_mib[gpu] = memory_mib;
}

static void send_prepare(const trainer_orders_t *self, const struct part *part, struct rank *rank)
{
    int32_t gpu = rank->gpu;
    int32_t number = rank->rank;
    struct msg_prepare prepare = {
        .run = part->run,
        .local_rank = (int32_t)(rank - part->ranks),
        .local_world = (int32_t)part->rank_count,
        .local_gpus = part->run.gpus,
        .node = self->node,
        .memory_mib = self->memory_mib[gpu],
    };

    prepare.run.gpu_count = 1;
    prepare.run.gpus = &gpu;
    prepare.run.ranks = &number;
    rank->prepare_sent = true;
    self->setting.calls->prepare(self->setting.owner, gpu, &prepare);
}

/* Sends the trainer of a rank the orders that the trainer does not have yet. */
static void push_rank(const trainer_orders_t *self, const struct part *part, struct rank *rank)
{
    if (!rank->prepare_sent)
        send_prepare(self, part, rank);
    if (part->stop_wanted && !rank->stop_sent) {
        rank->stop_sent = true;
        self->setting.calls->stop(self->setting.owner, rank->gpu, &part->stop);
    } else if (part->begin_wanted && !rank->begin_sent && rank->part.state == PART_READY) {
        rank->begin_sent = true;
        self->setting.calls->begin(self->setting.owner, rank->gpu, &part->begin);
    }
}

/* Gives the seats of a trainer to ranks in the order in which their parts came. */
void trainer_orders_push_gpu(const trainer_orders_t *self, int32_t gpu)
{
    int seats = RANKS_OF_TRAINER;

    for (size_t i = 0; i < part_list_count(self->list) && self->up[gpu]; i++) {
        const struct part *part = part_list_at(self->list, i);
        struct rank *rank = part_rank_on(part, gpu);

        if (!rank || (seats == 0 && !rank->prepare_sent))
            continue;
        if (seats > 0)
            seats--;
        push_rank(self, part, rank);
    }
}

void trainer_orders_push(const trainer_orders_t *self, const struct part *part)
{
    for (size_t i = 0; i < part->rank_count; i++)
        trainer_orders_push_gpu(self, part->ranks[i].gpu);
}

static void say_again(const trainer_orders_t *self, const struct part *part, struct rank *rank)
{
    rank->prepare_sent = rank->part.state > PART_READY || part->begin_wanted;
    rank->stop_sent = false;
    rank->begin_sent = false;
    if (rank->part.state > PART_READY && part->begin_wanted)
        self->setting.calls->begin(self->setting.owner, rank->gpu, &part->begin);
}

void trainer_orders_trainer_up(trainer_orders_t *self, int32_t gpu)
{
    self->up[gpu] = true;
    for (size_t i = 0; i < part_list_count(self->list); i++) {
        const struct part *part = part_list_at(self->list, i);
        struct rank *rank = part_rank_on(part, gpu);

        if (rank && rank->prepare_sent)
            say_again(self, part, rank);
    }
    trainer_orders_push_gpu(self, gpu);
}

void trainer_orders_trainer_closed(trainer_orders_t *self, int32_t gpu)
{
    self->up[gpu] = false;
}

static bool takes_more(const struct rank *rank)
{
    return rank->prepare_sent && !rank_has_ended(rank);
}

void trainer_orders_update(const trainer_orders_t *self, const struct part *part,
                           const struct msg_update *update)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (takes_more(&part->ranks[i]))
            self->setting.calls->update(self->setting.owner, part->ranks[i].gpu, update);
}

bool trainer_orders_group(const trainer_orders_t *self, const struct part *part,
                          const struct msg_group *group)
{
    for (size_t i = 0; i < part->rank_count; i++)
        if (takes_more(&part->ranks[i])) {
            self->setting.calls->group(self->setting.owner, part->ranks[i].gpu, group);
            return true;
        }
    return false;
}
