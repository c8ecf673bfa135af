/* trainer_sessions.c - see trainer_sessions.h. */
#include "worker/trainer_sessions.h"

#include "common/memory.h"
#include "protocol/worker_trainer.h"

#include <stdlib.h>

struct trainer_sessions {
    const struct node_lease *lease;
    link_peer_t **peers; /* by GPU, NULL without; a peer's item is its place here */
};

trainer_sessions_t *trainer_sessions_new(int32_t gpu_count, const struct node_lease *lease)
{
    trainer_sessions_t *self = xcalloc(1, sizeof(*self));

    self->lease = lease;
    self->peers = xcalloc((size_t)gpu_count, sizeof(link_peer_t *));
    return self;
}

void trainer_sessions_destroy(trainer_sessions_t **self)
{
    if (!*self)
        return;
    free((*self)->peers);
    free(*self);
    *self = NULL;
}

void trainer_sessions_open(trainer_sessions_t *self, int32_t gpu, link_peer_t *peer)
{
    self->peers[gpu] = peer;
    link_peer_set_item(peer, &self->peers[gpu]);
}

void trainer_sessions_close(trainer_sessions_t *self, int32_t gpu)
{
    self->peers[gpu] = NULL;
}

bool trainer_sessions_has(const trainer_sessions_t *self, int32_t gpu)
{
    return self->peers[gpu];
}

int32_t trainer_sessions_gpu(const trainer_sessions_t *self, const link_peer_t *peer)
{
    link_peer_t *const *const place = link_peer_item(peer);

    return place ? (int32_t)(place - self->peers) : -1;
}

/* ---- what is sent ---- */

static void send_to(const trainer_sessions_t *self, int32_t gpu, struct writer *out)
{
    if (self->peers[gpu])
        link_peer_send(self->peers[gpu], out);
    else
        writer_close(out);
}

void trainer_sessions_send_welcome(const trainer_sessions_t *self, int32_t gpu,
                                   int64_t heartbeat_ms)
{
    const struct msg_trainer_welcome welcome = {.heartbeat_ms = heartbeat_ms};
    struct writer out;

    msg_trainer_welcome_pack(&welcome, &out);
    send_to(self, gpu, &out);
}

void trainer_sessions_send_lease(const trainer_sessions_t *self, int32_t gpu)
{
    const struct msg_trainer_lease lease = {.lease_until_us = self->lease->until_us};
    struct writer out;

    msg_trainer_lease_pack(&lease, &out);
    send_to(self, gpu, &out);
}

void trainer_sessions_send_shutdown(const trainer_sessions_t *self, int32_t gpu)
{
    struct writer out;

    msg_bare_pack(MSG_SHUTDOWN, &out);
    send_to(self, gpu, &out);
}

static void send_prepare(void *owner, int32_t gpu, const struct msg_prepare *prepare)
{
    const trainer_sessions_t *self = owner;
    struct msg_prepare leased = *prepare;
    struct writer out;

    leased.lease_until_us = self->lease->until_us;
    msg_prepare_pack(&leased, &out);
    send_to(self, gpu, &out);
}

static void send_begin(void *owner, int32_t gpu, const struct msg_begin *begin)
{
    struct writer out;

    msg_begin_pack(begin, &out);
    send_to(owner, gpu, &out);
}

static void send_update(void *owner, int32_t gpu, const struct msg_update *update)
{
    struct writer out;

    msg_update_pack(update, &out);
    send_to(owner, gpu, &out);
}

static void send_stop(void *owner, int32_t gpu, const struct msg_stop *stop)
{
    struct writer out;

    msg_stop_pack(stop, &out);
    send_to(owner, gpu, &out);
}

static void send_group(void *owner, int32_t gpu, const struct msg_group *group)
{
    struct writer out;

    msg_group_pack(group, &out);
    send_to(owner, gpu, &out);
}

const struct order_calls trainer_sessions_calls = {
    .prepare = send_prepare,
    .begin = send_begin,
    .update = send_update,
    .stop = send_stop,
    .group = send_group,
};
