/* trainer_orders.h - orders to the trainers of a node about the ranks of its parts. A trainer has
 * one active and one standby workload: further ranks wait here for their turn. */
#ifndef WORKER_TRAINER_ORDERS_H
#define WORKER_TRAINER_ORDERS_H

#include "protocol/worker_trainer.h"
#include "worker/part_list.h"

typedef struct trainer_orders trainer_orders_t;

/* Send orders to the trainer of a GPU. All texts and arrays are lent for the call. */
struct order_calls {
    void (*prepare)(void *owner, int32_t gpu, const struct msg_prepare *prepare);
    void (*begin)(void *owner, int32_t gpu, const struct msg_begin *begin);
    void (*update)(void *owner, int32_t gpu, const struct msg_update *update);
    void (*stop)(void *owner, int32_t gpu, const struct msg_stop *stop);
    void (*group)(void *owner, int32_t gpu, const struct msg_group *group);
};

struct trainer_orders_setting {
    int32_t gpu_count;
    const int64_t *memory_mib; /* memory of each GPU, 0 if unknown; copied; NULL if it is unknown
                                  for all */
    const struct order_calls *calls;
    void *owner;
};

/* Orders for the parts of `list`, which is lent throughout; no trainer is in session yet. */
trainer_orders_t *trainer_orders_new(const struct trainer_orders_setting *setting,
                                     const part_list_t *list);
void trainer_orders_destroy(trainer_orders_t **self);

/* Sets the number of the node at the master. */
void trainer_orders_set_node(trainer_orders_t *self, int32_t node);

void trainer_orders_set_memory(trainer_orders_t *self, int32_t gpu, int64_t memory_mib);

/* trainer_orders_trainer_up: the trainer of `gpu` is in session (again): harmless orders that it
 * may have missed are repeated. trainer_orders_trainer_closed: it takes no orders until it is up
 * again. */
void trainer_orders_trainer_up(trainer_orders_t *self, int32_t gpu);
void trainer_orders_trainer_closed(trainer_orders_t *self, int32_t gpu);

/* Tells the trainer of `gpu`, or those of all ranks of `part`, the orders that they have not got
 * yet and have room for. */
void trainer_orders_push_gpu(const trainer_orders_t *self, int32_t gpu);
void trainer_orders_push(const trainer_orders_t *self, const struct part *part);

/* Passes UPDATE on to all live ranks that a trainer was told of. */
void trainer_orders_update(const trainer_orders_t *self, const struct part *part,
                           const struct msg_update *update);

/* Passes GROUP on to the first such rank; false if there is none. */
bool trainer_orders_group(const trainer_orders_t *self, const struct part *part,
                          const struct msg_group *group);

#endif
