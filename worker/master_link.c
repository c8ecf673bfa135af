/* master_link.c - see master_link.h. */
#include "worker/master_link.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/privileges.h"
#include "protocol/link.h"
#include "protocol/master_worker.h"
#include "protocol/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct master_link {
    struct master_link_setting setting;
    holdings_t *holdings;
    parts_t *parts;
    link_client_t *client;
    int64_t heartbeat_ms;
    int timer;          /* the loop's timer for heartbeats, -1 before the first welcome */
    int64_t refused_us; /* when the master first refused, 0 if it did not */
    struct msg_worker_welcome welcome; /* the last welcome */
};

/* ---- hello and heartbeats ---- */

/* Describes all GPUs that the worker ever had, in an array that the caller frees; texts are
 * lent. */
static struct msg_gpu *describe_gpus(const struct gpus *gpus)
{
    struct msg_gpu *described = xcalloc((size_t)gpus->count, sizeof(*described));

    for (int32_t i = 0; i < gpus->count; i++)
        described[i] =
            (struct msg_gpu){gpus->items[i].uuid, gpus->items[i].memory_mib, gpus->items[i].gone};
    return described;
}

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    master_link_t *self = owner;
    const struct gpus *gpus = self->setting.gpus;
    struct msg_gpu *described = describe_gpus(gpus);
    struct msg_worker_hello hello = {
        .address = self->setting.address,
        .port = (int32_t)self->setting.settings->port,
        .kind = gpus->kind,
        .user = privileges_user(),
        .only = self->setting.only,
        .type = self->setting.settings->says_type ? self->setting.settings->gpu_type : NULL,
        .stamp_us = clock_boot_us(),
        .gpu_count = (size_t)gpus->count,
        .gpus = described,
        .numbered = holdings_number(self->holdings) >= 0,
        .node = self->welcome.node,
        .first_rank = self->welcome.first_rank,
        .named = parts_named(self->parts),
        .lock = self->setting.lock,
    };

    turn_wake(self->setting.turn);
    hello.part_count = parts_describe(self->parts, hello.stamp_us, &hello.parts);
    hello.run_count = parts_runs(self->parts, &hello.runs);
    msg_worker_hello_pack(self->setting.settings->name, version, &hello, out);
    free(hello.parts);
    free(hello.runs);
    free(described);
}

static void send_heartbeat(master_link_t *self, int64_t stamp_us)
{
    struct msg_worker_heartbeat heartbeat = {
        .stamp_us = stamp_us,
        .trainers_idle = holdings_idle_trainers(self->holdings),
    };
    struct writer out;

    heartbeat.part_count = parts_describe(self->parts, stamp_us, &heartbeat.parts);
    msg_worker_heartbeat_pack(&heartbeat, &out);
    link_client_send(self->client, &out);
    free(heartbeat.parts);
}

static int on_timer(zloop_t *loop, int timer, void *owner)
{
    master_link_t *self = owner;
    const int64_t stamp_us = clock_boot_us();

    (void)loop;
    (void)timer;
    turn_wake(self->setting.turn);
    if (link_client_in_session(self->client))
        send_heartbeat(self, stamp_us);
    turn_settle(self->setting.turn);
    return 0;
}

static void set_heartbeat(master_link_t *self, int64_t heartbeat_ms)
{
    link_client_set_heartbeat(self->client, heartbeat_ms);
    if (heartbeat_ms == self->heartbeat_ms && self->timer >= 0)
        return;
    if (self->timer >= 0)
        (void)zloop_timer_end(self->setting.loop, self->timer);
    self->heartbeat_ms = heartbeat_ms;
    self->timer = zloop_timer(self->setting.loop, (size_t)heartbeat_ms, 0, on_timer, self);
}

/* ---- what the master says ---- */

static int on_welcome(master_link_t *self, reader_t *in, struct error *error)
{
    const struct gpus *gpus = self->setting.gpus;
    struct msg_worker_welcome welcome;
    struct log_subject subject;

    if (msg_worker_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    if (welcome.stamp_us > clock_boot_us())
        return error_set(error, "it answers a hello that was not sent yet");
    self->welcome = welcome;
    holdings_welcome(self->holdings, welcome.node, welcome.lease_ms);
    holdings_renew_lease(self->holdings, welcome.stamp_us);
    set_heartbeat(self, welcome.heartbeat_ms);
    if (self->setting.welcomed)
        self->setting.welcomed(self->setting.owner, welcome.heartbeat_ms);
    subject = holdings_subject(self->holdings);
    log_event(&subject, "up", "gpus=%" PRId32 " kind=%s address=%s", gpus_there(gpus), gpus->kind,
              log_text(self->setting.address));
    return 0;
}

static int on_lease(master_link_t *self, reader_t *in, struct error *error)
{
    struct msg_lease lease;

    if (msg_lease_unpack(in, &lease, error) < 0)
        return -1;
    if (lease.stamp_us > clock_boot_us())
        return error_set(error, "it answers a heartbeat that was not sent yet");
    holdings_renew_lease(self->holdings, lease.stamp_us);
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    master_link_t *self = owner;
    int result;

    turn_wake(self->setting.turn);
    if (type == MSG_WELCOME)
        result = on_welcome(self, in, error);
    else if (type == MSG_HEARTBEAT)
        result = on_lease(self, in, error);
    else
        result = master_commands_carry_out(self->setting.commands, type, in, error);
    turn_settle(self->setting.turn);
    return result;
}

/* Whether the master will go on refusing this worker. The name may still belong to an earlier
 * process of this worker, until the master notices that the process is gone; a worker that is
 * refused for longer, and was never welcome, has no hope. */
static bool is_hopeless(master_link_t *self)
{
    const int64_t patience_us = (HEARTBEATS_MISSED + 1) * self->heartbeat_ms * 1000;

    if (holdings_number(self->holdings) >= 0)
        return false;
    if (self->refused_us == 0)
        self->refused_us = clock_boot_us();
    return clock_boot_us() - self->refused_us >= patience_us;
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    master_link_t *self = owner;
    const struct worker_settings *settings = self->setting.settings;
    const struct log_subject subject = holdings_subject(self->holdings);
    struct error error;

    turn_wake(self->setting.turn);
    log_event(&subject, refused ? "refused" : "master-gone", "cause=%s", log_text(cause));
    if (refused && is_hopeless(self)) {
        (void)error_set(&error, "the master at %s:%" PRId64 " refuses: %s",
                        settings->master_address, settings->master_port, cause);
        self->setting.refused(self->setting.owner, &error);
    }
    turn_settle(self->setting.turn);
    return true;
}

/* ---- what the master is told ---- */

void master_link_report(master_link_t *self, const struct msg_report *report)
{
    struct writer out;

    if (!link_client_in_session(self->client))
        return;
    msg_report_pack(report, &out);
    link_client_send(self->client, &out);
}

void master_link_gpus(master_link_t *self)
{
    const struct msg_gpus gpus = {(size_t)self->setting.gpus->count,
                                  describe_gpus(self->setting.gpus)};
    struct writer out;

    if (link_client_in_session(self->client)) {
        msg_gpus_pack(&gpus, &out);
        link_client_send(self->client, &out);
    }
    free(gpus.gpus);
}

void master_link_goodbye(master_link_t *self)
{
    struct writer out;

    if (!link_client_in_session(self->client))
        return;
    msg_goodbye_pack("the worker ends", &out);
    link_client_send(self->client, &out);
}

/* ---- beginning and end ---- */

master_link_t *master_link_new(const struct master_link_setting *setting, struct error *error)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    const struct link_client_setting client = {
        .endpoint = setting->endpoint,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .keys = setting->keys,
        .server = "master",
    };
    master_link_t *self = xcalloc(1, sizeof(*self));

    self->setting = *setting;
    self->holdings = setting->commands->holdings;
    self->parts = holdings_parts(self->holdings);
    self->heartbeat_ms = HEARTBEAT_MS_DEFAULT;
    self->timer = -1;
    self->client = link_client_new(setting->loop, &client, &calls, self, error);
    if (!self->client)
        master_link_destroy(&self);
    return self;
}

void master_link_destroy(master_link_t **self)
{
    if (!*self)
        return;
    link_client_destroy(&(*self)->client);
    free(*self);
    *self = NULL;
}
