/* outbox.c - see outbox.h. */
#include "master/outbox.h"

#include "common/clock.h"

/* ---- to workers ---- */

/* Sends `message` if there is a session, and closes `message` in any case. */
static void send_to(link_peer_t *peer, struct writer *message)
{
    if (peer)
        link_peer_send(peer, message);
    else
        writer_close(message);
}

static void send_welcome(void *owner, const struct worker_node *node,
                         const struct msg_worker_welcome *welcome)
{
    struct writer out;

    msg_worker_welcome_pack(welcome, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_lease(void *owner, const struct worker_node *node, const struct msg_lease *lease)
{
    struct writer out;

    msg_lease_pack(lease, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_run(void *owner, const struct worker_node *node, const struct msg_run *run)
{
    struct writer out;

    msg_run_pack(run, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_begin(void *owner, const struct worker_node *node, const struct msg_begin *begin)
{
    struct writer out;

    msg_begin_pack(begin, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_update(void *owner, const struct worker_node *node,
                        const struct msg_update *update)
{
    struct writer out;

    msg_update_pack(update, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_stop(void *owner, const struct worker_node *node, const struct msg_stop *stop)
{
    struct writer out;

    msg_stop_pack(stop, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_group(void *owner, const struct worker_node *node, const struct msg_group *group)
{
    struct writer out;

    msg_group_pack(group, &out);
    send_to(peers_worker(owner, node), &out);
}

static void send_restart(void *owner, const struct worker_node *node)
{
    struct writer out;

    msg_bare_pack(MSG_RESTART, &out);
    send_to(peers_worker(owner, node), &out);
}

const struct worker_calls outbox_worker_calls = {
    send_welcome, send_lease, send_run,   send_begin,
    send_update,  send_stop,  send_group, send_restart,
};

/* ---- to the scheduler ---- */

static void send_scheduler_welcome(void *owner, const struct msg_scheduler_welcome *welcome)
{
    const struct peers *self = owner;
    struct writer out;

    msg_scheduler_welcome_pack(welcome, &out);
    send_to(self->scheduler, &out);
}

static void send_nodes(void *owner, const struct msg_nodes *nodes)
{
    const struct peers *self = owner;
    struct writer out;

    msg_nodes_pack(nodes, link_peer_version(self->scheduler), &out);
    send_to(self->scheduler, &out);
}

static void send_job_report(void *owner, const struct msg_job_report *report)
{
    const struct peers *self = owner;
    struct writer out;

    msg_job_report_pack(report, &out);
    send_to(self->scheduler, &out);
}

static void send_settled(void *owner, const struct msg_settled *settled)
{
    const struct peers *self = owner;
    struct writer out;

    msg_settled_pack(settled, &out);
    send_to(self->scheduler, &out);
}

static void send_progress(void *owner, const struct msg_master_heartbeat *heartbeat)
{
    const struct peers *self = owner;
    struct msg_master_heartbeat stamped = *heartbeat;
    struct writer out;

    stamped.stamp_us = clock_boot_us();
    msg_master_heartbeat_pack(&stamped, &out);
    send_to(self->scheduler, &out);
}

const struct scheduler_calls outbox_scheduler_calls = {
    send_scheduler_welcome, send_nodes, send_job_report, send_settled, send_progress,
};

/* ---- the end ---- */

void outbox_shutdown(link_peer_t *worker)
{
    struct writer out;

    msg_bare_pack(MSG_SHUTDOWN, &out);
    send_to(worker, &out);
}

void outbox_close(const struct peers *peers, const char *why)
{
    struct writer out;

    for (size_t i = 0; i < peers->worker_capacity; i++)
        if (peers->workers[i])
            outbox_shutdown(peers->workers[i]);
    msg_goodbye_pack(why, &out);
    send_to(peers->scheduler, &out);
}
