/* trainer_orders.h - what the trainers are told of the parts that they have ranks of. Each has an
 * active and a standby workload, no more: what comes later waits here for its turn. */
#ifndef WORKER_TRAINER_ORDERS_H
#define WORKER_TRAINER_ORDERS_H

#include "protocol/worker_trainer.h"
#include "worker/part_list.h"

typedef struct trainer_orders trainer_orders_t;

/* To the trainer of a GPU. All texts and arrays are lent for the call. */
struct order_calls {
    void (*prepare)(void *owner, int32_t gpu, const struct msg_prepare *prepare);
    void (*begin)(void *owner, int32_t gpu, const struct msg_begin *begin);
    void (*update)(void *owner, int32_t gpu, const struct msg_update *update);
    void (*stop)(void *owner, int32_t gpu, const struct msg_stop *stop);
    void (*group)(void *owner, int32_t gpu, const struct msg_group *group);
};

struct trainer_orders_setting {
    int32_t gpu_count;
    const int64_t *memory_mib; /* of each GPU, 0 if unknown; copied; NULL if that of all is */
    const struct order_calls *calls;
    void *owner;
};

/* For the trainers of `list`, which is lent for all the time; none of them is there yet. */
trainer_orders_t *trainer_orders_new(const struct trainer_orders_setting *setting,
                                     const part_list_t *list);
void trainer_orders_destroy(trainer_orders_t **self);

/* The number of the node, as the master has it. */
void trainer_orders_set_node(trainer_orders_t *self, int32_t node);

void trainer_orders_set_memory(trainer_orders_t *self, int32_t gpu, int64_t memory_mib);

/* The trainer of `gpu` is there (again): what it may have missed is said again where saying it
 * twice does no harm. Or it takes no more until it is there again. */
void trainer_orders_trainer_up(trainer_orders_t *self, int32_t gpu);
void trainer_orders_trainer_closed(trainer_orders_t *self, int32_t gpu);

/* Tells the trainer of `gpu`, or those of all ranks of `part`, what they do not know yet and have
 * room for. */
void trainer_orders_push_gpu(const trainer_orders_t *self, int32_t gpu);
void trainer_orders_push(const trainer_orders_t *self, const struct part *part);

/* Passed on to all live ranks that a trainer was told of. */
void trainer_orders_update(const trainer_orders_t *self, const struct part *part,
                           const struct msg_update *update);

/* Passed on to the first of them; false if there is none. */
bool trainer_orders_group(const trainer_orders_t *self, const struct part *part,
                          const struct msg_group *group);

#endif
