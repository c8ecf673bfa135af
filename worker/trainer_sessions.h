/* trainer_sessions.h - the trainers in session with this worker, and messages to them. A message to
 * a trainer that is not in session is dropped: trainer_orders.h repeats it when the trainer is
 * back. */
#ifndef WORKER_TRAINER_SESSIONS_H
#define WORKER_TRAINER_SESSIONS_H

#include "protocol/link.h"
#include "worker/node_lease.h"
#include "worker/trainer_orders.h"

typedef struct trainer_sessions trainer_sessions_t;

/* Sends orders to trainers; the owner is the trainer_sessions_t. */
extern const struct order_calls trainer_sessions_calls;

/* Sessions of `gpu_count` trainers, none of which is open. Heartbeats tell trainers how long
 * `lease`, lent, still lasts. */
trainer_sessions_t *trainer_sessions_new(int32_t gpu_count, const struct node_lease *lease);
void trainer_sessions_destroy(trainer_sessions_t **self);

/* `peer` is the trainer of `gpu`, and is lent until trainer_sessions_close. */
void trainer_sessions_open(trainer_sessions_t *self, int32_t gpu, link_peer_t *peer);
void trainer_sessions_close(trainer_sessions_t *self, int32_t gpu);

bool trainer_sessions_has(const trainer_sessions_t *self, int32_t gpu);

/* The GPU that `peer` is the trainer of, -1 for a peer that never was one. */
int32_t trainer_sessions_gpu(const trainer_sessions_t *self, const link_peer_t *peer);

void trainer_sessions_send_welcome(const trainer_sessions_t *self, int32_t gpu,
                                   int64_t heartbeat_ms);
void trainer_sessions_send_lease(const trainer_sessions_t *self, int32_t gpu);
void trainer_sessions_send_shutdown(const trainer_sessions_t *self, int32_t gpu);

#endif
