/* sessions.c - see sessions.h. */
#include "master/sessions.h"

#include "common/log.h"
#include "common/memory.h"
#include "master/outbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most messages a second of one key: many times the number that a node with 1,024 GPUs sends
 * when all its parts begin. */
#define RATE_MAX 10000

struct sessions {
    struct sessions_setting setting;
    const struct sessions_calls *calls;
    void *owner;
    link_server_t *server;
    dispatch_t *dispatch;
    plan_run_t *plan_run;
    struct peers peers;
    bool closing;
};

/* ---- hellos ---- */

static int on_worker_hello(struct sessions *self, link_peer_t *peer, reader_t *in,
                           struct error *error)
{
    struct msg_worker_hello hello;
    struct worker_node *node;

    if (msg_worker_hello_unpack(in, &hello, error) < 0)
        return -1;
    node = dispatch_admit(self->dispatch, link_peer_name(peer), &hello, error);
    if (!node)
        return -1;
    link_peer_set_item(peer, node);
    peers_add_worker(&self->peers, node, peer);
    dispatch_hello(self->dispatch, node, &hello, self->setting.now_us());
    if (self->closing)
        outbox_shutdown(peer);
    return 0;
}

static int on_scheduler_hello(struct sessions *self, link_peer_t *peer, reader_t *in,
                              struct error *error)
{
    if (reader_close(in, error) < 0)
        return -1;
    if (self->closing)
        return error_set(error, "the master ends");
    if (!self->plan_run)
        return error_set(error,
                         "this master carries out a file of commands and needs no scheduler");
    if (self->peers.scheduler)
        return error_set(error, "there is a scheduler already, \"%s\"",
                         link_peer_name(self->peers.scheduler));
    self->peers.scheduler = peer;
    log_event(&LOG_ABOUT_NOTHING, "scheduler-up", "name=%s", log_text(link_peer_name(peer)));
    plan_run_hello(self->plan_run, link_peer_name(peer));
    self->calls->scheduler_came(self->owner);
    return 0;
}

static int on_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello, reader_t *in,
                    struct error *error)
{
    struct sessions *self = owner;
    const char *role = link_peer_role(peer);

    (void)hello;
    if (!strcmp(role, "worker"))
        return on_worker_hello(self, peer, in, error);
    if (!strcmp(role, "scheduler"))
        return on_scheduler_hello(self, peer, in, error);
    return error_set(error, "a master speaks with workers and a scheduler, not with a \"%s\"",
                     role);
}

static void on_refused(void *owner, const char *role, const char *name, const char *cause)
{
    (void)owner;
    (void)role;
    log_event(&LOG_ABOUT_NOTHING, "refused", "peer=%s cause=%s", log_text(name ? name : ""),
              log_text(cause));
}

/* ---- messages ---- */

static int on_heartbeat(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error)
{
    struct msg_worker_heartbeat heartbeat;

    if (msg_worker_heartbeat_unpack(in, &heartbeat, error) < 0)
        return -1;
    dispatch_heartbeat(self->dispatch, link_peer_item(peer), &heartbeat, self->setting.now_us());
    if (self->closing) /* the earlier message may have been lost */
        outbox_shutdown(peer);
    return 0;
}

static int on_report(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error)
{
    struct msg_report report;

    if (msg_report_unpack(in, &report, error) < 0)
        return -1;
    dispatch_report(self->dispatch, link_peer_item(peer), &report, self->setting.now_us());
    return 0;
}

static int on_gpus(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error)
{
    struct msg_gpus gpus;

    if (msg_gpus_unpack(in, &gpus, error) < 0)
        return -1;
    dispatch_gpus(self->dispatch, link_peer_item(peer), &gpus, self->setting.now_us());
    return 0;
}

static int on_scheduler_heartbeat(struct sessions *self, link_peer_t *peer, reader_t *in,
                                  struct error *error)
{
    (void)self;
    (void)peer;
    return msg_bare_unpack(in, error);
}

static int on_plan(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error)
{
    struct msg_plan plan;

    (void)peer;
    if (msg_plan_unpack(in, &plan, error) < 0)
        return -1;
    if (self->closing)
        return 0;
    return plan_run_take(self->plan_run, &plan, self->setting.now_us(), error);
}

static int on_program(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error)
{
    struct msg_program program;

    (void)peer;
    if (msg_program_unpack(in, &program, error) < 0)
        return -1;
    plan_run_program(self->plan_run, &program);
    return 0;
}

typedef int handler_fn(struct sessions *self, link_peer_t *peer, reader_t *in, struct error *error);

static const struct {
    bool of_scheduler;
    int type;
    handler_fn *handle;
} handlers[] = {
    {false, MSG_HEARTBEAT, on_heartbeat},
    {false, MSG_REPORT, on_report},
    {false, MSG_GPUS, on_gpus},
    {true, MSG_HEARTBEAT, on_scheduler_heartbeat},
    {true, MSG_PLAN, on_plan},
    {true, MSG_PROGRAM, on_program},
};

static int on_message(void *owner, link_peer_t *peer, int type, reader_t *in, struct error *error)
{
    struct sessions *self = owner;
    const bool of_scheduler = peer == self->peers.scheduler;

    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        if (handlers[i].type == type && handlers[i].of_scheduler == of_scheduler)
            return handlers[i].handle(self, peer, in, error);
    return error_set(error, "%s is no message from a %s", msg_type_name(type),
                     link_peer_role(peer));
}

static void on_scheduler_gone(struct sessions *self, link_peer_t *peer, const char *cause)
{
    const bool goodbye = link_peer_end(peer) == LINK_END_GOODBYE;

    self->peers.scheduler = NULL;
    log_event(&LOG_ABOUT_NOTHING, "scheduler-down", "cause=%s", log_text(cause));
    plan_run_gone(self->plan_run, goodbye, self->setting.now_us());
    self->calls->scheduler_went(self->owner, goodbye);
}

static void on_gone(void *owner, link_peer_t *peer, const char *cause)
{
    struct sessions *self = owner;
    struct worker_node *node = link_peer_item(peer);

    if (peer == self->peers.scheduler) {
        on_scheduler_gone(self, peer, cause);
        return;
    }
    if (!node)
        return;
    peers_remove_worker(&self->peers, node);
    dispatch_gone(self->dispatch, node,
                  link_peer_end(peer) == LINK_END_BROKEN ? GONE_BROKEN : GONE_FOR_GOOD, cause,
                  self->setting.now_us());
    self->calls->worker_went(self->owner);
}

/* ---- life ---- */

sessions_t *sessions_new(zloop_t *loop, const struct sessions_setting *setting,
                         const struct sessions_calls *calls, void *owner, struct error *error)
{
    static const struct link_server_calls link_calls = {on_hello, on_message, on_gone, on_refused};
    const struct link_server_setting link_setting = {
        .endpoint = setting->endpoint,
        .heartbeat_ms = setting->heartbeat_ms,
        .keys = setting->keys,
        .rate_max = setting->keys ? RATE_MAX : 0,
    };
    sessions_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->calls = calls;
    self->owner = owner;
    self->server = link_server_new(loop, &link_setting, &link_calls, self, error);
    if (!self->server)
        sessions_destroy(&self);
    return self;
}

void sessions_destroy(sessions_t **self)
{
    if (!*self)
        return;
    link_server_destroy(&(*self)->server);
    peers_clear(&(*self)->peers);
    free(*self);
    *self = NULL;
}

void sessions_use(sessions_t *self, dispatch_t *dispatch, plan_run_t *plan_run)
{
    self->dispatch = dispatch;
    self->plan_run = plan_run;
}

struct peers *sessions_peers(sessions_t *self)
{
    return &self->peers;
}

const char *sessions_endpoint(const sessions_t *self)
{
    return link_server_endpoint(self->server);
}

size_t sessions_workers(const sessions_t *self)
{
    return self->peers.worker_count;
}

void sessions_close(sessions_t *self, const char *why)
{
    if (self->closing)
        return;
    self->closing = true;
    outbox_close(&self->peers, why);
}

void sessions_describe(const sessions_t *self, char *text, size_t size)
{
    (void)snprintf(text, size,
                   "bad=%" PRIu64 " repeated=%" PRIu64 " strangers=%" PRIu64 " silent=%" PRIu64
                   " excess=%" PRIu64,
                   link_server_bad(self->server), link_server_repeated(self->server),
                   link_server_strangers(self->server), link_server_silent(self->server),
                   link_server_excess(self->server));
}
