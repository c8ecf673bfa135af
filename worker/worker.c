/* worker.c - see worker.h. What it does with parts is parts.c, with processes trainers.c; here are the links,
 * the lease, and the one loop that everything waits in. */
#include "worker/worker.h"

#include "common/clock.h"
#include "common/descendants.h"
#include "common/log.h"
#include "common/memory.h"
#include "executor/signals.h"
#include "protocol/link.h"
#include "protocol/timing.h"
#include "worker/address.h"
#include "worker/environment.h"
#include "worker/gpus.h"
#include "worker/lease.h"
#include "worker/parts.h"
#include "worker/rates.h"
#include "worker/trainer_command.h"
#include "worker/trainers.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Heartbeats to trainers, unless those to the master are more frequent. */
#define TRAINER_HEARTBEAT_MS 1000

/* How long a trainer whose session is over may take to be heard of again: it may have been this very process that
 * was stopped for a while. */
#define DOUBT_US 1500000

/* What a trainer that was asked to end gets beyond the grace of its program. */
#define ENDING_US 2000000

struct worker {
    const struct settings *settings;
    struct gpus gpus;
    char address[128];
    char endpoint[96]; /* of the trainers' link */
    char trainer[PATH_MAX];
    char **environment;
    char *visible; /* all GPUs */
    rates_t *rates;
    parts_t *parts;
    trainers_t *trainers;
    trainer_command_t *trainer_command;
    link_peer_t **peers; /* the trainers in session, NULL without */
    zloop_t *loop;
    link_client_t *master;
    link_server_t *local;
    int signals;
    int due_timer; /* of the loop, -1 for none; likewise */
    int master_timer;
    int trainer_timer;
    int32_t node; /* as the master counts, -1 before its welcome */
    int64_t heartbeat_ms;
    struct lease lease;
    int64_t refused_us; /* when the master first refused, 0 if it did not */
    bool closing;
    bool ended;
    struct error *error; /* why it could not go on */
    bool failed;
};

static int64_t now_us(void)
{
    return clock_boot_us();
}

static struct log_subject about_node(const struct worker *self)
{
    struct log_subject subject = LOG_ABOUT_NOTHING;

    subject.node = self->node;
    return subject;
}

/* ---- ending ---- */

static int leave_loop(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* Has the loop end; what was begun in this turn is done before. */
static void end(struct worker *self)
{
    self->ended = true;
    (void)zloop_timer(self->loop, 0, 1, leave_loop, self);
}

static void fail(struct worker *self, const struct error *error)
{
    if (self->failed)
        return;
    *self->error = *error;
    self->failed = true;
}

static void end_if_done(struct worker *self)
{
    struct writer out;

    if (!self->closing || self->ended || !trainers_all_gone(self->trainers))
        return;
    if (link_client_in_session(self->master)) {
        msg_reason_pack(MSG_GOODBYE, "the worker ends", &out);
        link_client_send(self->master, &out);
    }
    end(self);
}

static void ask_trainer(struct worker *self, int32_t gpu)
{
    const int64_t grace_us = (int64_t)(self->settings->grace_s * 1e6);
    struct writer out;

    if (!self->peers[gpu]) {
        trainers_kill(self->trainers, gpu, "its worker wants it to end");
        return;
    }
    msg_bare_pack(MSG_SHUTDOWN, &out);
    link_peer_send(self->peers[gpu], &out);
    parts_trainer_closed(self->parts, gpu);
    trainers_asked(self->trainers, gpu, now_us() + grace_us + ENDING_US);
}

/* Ends everything: with checkpoints when it is asked for the first time, at once at the second. What the master
 * still sends here waits for trainers that never come: refusing it would have it sent again at once. */
static void shut_down(struct worker *self)
{
    const bool again = self->closing;

    self->closing = true;
    trainers_close(self->trainers);
    if (!again)
        parts_stop_all(self->parts);
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++) {
        if (again)
            trainers_kill(self->trainers, gpu, "its worker ends at once");
        else
            ask_trainer(self, gpu);
    }
}

static void restart(struct worker *self)
{
    parts_stop_all(self->parts);
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        ask_trainer(self, gpu);
}

/* ---- the lease ---- */

static void send_lease(struct worker *self, int32_t gpu)
{
    const struct msg_trainer_lease lease = {.lease_until_us = self->lease.until_us};
    struct writer out;

    if (!self->peers[gpu])
        return;
    msg_trainer_lease_pack(&lease, &out);
    link_peer_send(self->peers[gpu], &out);
}

static bool holds_parts(const struct worker *self)
{
    return parts_live(self->parts) > 0;
}

/* Kills first; what the trainers know of it comes later. */
static void call_in(struct worker *self)
{
    const struct log_subject subject = about_node(self);

    trainers_kill_below(self->trainers);
    log_event(&subject, "lease-over", "parts=%zu", parts_live(self->parts));
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        if (parts_held(self->parts, gpu))
            send_lease(self, gpu);
    parts_fail_all(self->parts, "lease over");
}

static void kill_overdue(struct worker *self)
{
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        if (parts_held(self->parts, gpu))
            trainers_kill(self->trainers, gpu, "lease over");
}

static void look_at_lease(struct worker *self)
{
    switch (lease_look(&self->lease, holds_parts(self), now_us())) {
    case LEASE_CALLS_IN:
        call_in(self);
        break;
    case LEASE_KILLS:
        kill_overdue(self);
        break;
    case LEASE_CALLS_NOTHING:
        break;
    }
}

/* What was sent at `stamp_us` reached the master. */
static void renew_lease(struct worker *self, int64_t stamp_us)
{
    lease_renew(&self->lease, stamp_us);
    parts_acknowledged(self->parts, stamp_us);
}

/* ---- the loop ---- */

static int on_due(zloop_t *loop, int timer, void *owner);

static int64_t due_us(const struct worker *self)
{
    const int64_t trainers = trainers_due_us(self->trainers);
    const int64_t lease = lease_due_us(&self->lease, holds_parts(self));

    return lease < trainers ? lease : trainers;
}

static void arm_timer(struct worker *self)
{
    const int64_t due = due_us(self);
    const int64_t left_us = due - now_us();

    if (self->due_timer >= 0)
        (void)zloop_timer_end(self->loop, self->due_timer);
    self->due_timer = -1;
    if (due < INT64_MAX)
        self->due_timer = zloop_timer(self->loop, left_us > 0 ? (size_t)(left_us / 1000 + 1) : 0, 1,
                                      on_due, self);
}

/* After anything happened. */
static void settle(struct worker *self)
{
    struct error error;

    if (!self->ended && trainers_tick(self->trainers, now_us(), &error) < 0) {
        fail(self, &error);
        self->closing = true;
        trainers_close(self->trainers);
    }
    end_if_done(self);
    if (!self->ended)
        arm_timer(self);
}

static int on_due(zloop_t *loop, int timer, void *owner)
{
    struct worker *self = owner;

    (void)loop;
    (void)timer;
    self->due_timer = -1;
    look_at_lease(self);
    settle(self);
    return 0;
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct worker *self = owner;

    (void)loop;
    (void)item;
    look_at_lease(self);
    while (signals_next(self->signals) != 0)
        shut_down(self);
    settle(self);
    return 0;
}

/* ---- trainers ---- */

static int on_pidfd(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct worker *self = owner;

    (void)loop;
    (void)item;
    look_at_lease(self);
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        trainers_ended(self->trainers, gpu, now_us());
    settle(self);
    return 0;
}

static void watch(void *owner, int32_t gpu, int descriptor)
{
    struct worker *self = owner;
    zmq_pollitem_t item = {.fd = descriptor, .events = ZMQ_POLLIN};

    (void)gpu;
    (void)zloop_poller(self->loop, &item, on_pidfd, self);
}

static void unwatch(void *owner, int32_t gpu, int descriptor)
{
    struct worker *self = owner;
    zmq_pollitem_t item = {.fd = descriptor, .events = ZMQ_POLLIN};

    (void)gpu;
    zloop_poller_end(self->loop, &item);
}

static void on_trainer_process_gone(void *owner, int32_t gpu, const char *cause)
{
    struct worker *self = owner;

    parts_trainer_gone(self->parts, gpu, cause);
}

static const struct trainers_calls trainers_calls = {watch, unwatch, on_trainer_process_gone};

static char *const *trainer_arguments(void *owner, int32_t gpu)
{
    struct worker *self = owner;

    return trainer_command_arguments(self->trainer_command, gpu);
}

static int on_trainer_hello(void *owner, link_peer_t *peer, const struct msg_hello *hello,
                            reader_t *in, struct error *error)
{
    struct worker *self = owner;
    struct msg_trainer_hello trainer;
    const struct msg_trainer_welcome welcome = {
        .heartbeat_ms = TRAINER_HEARTBEAT_MS,
    };
    struct writer out;

    look_at_lease(self);
    if (msg_trainer_hello_unpack(in, &trainer, error) < 0)
        return -1;
    if (strcmp(hello->role, "trainer") != 0 ||
        !trainers_is(self->trainers, trainer.gpu, (pid_t)trainer.pid))
        return error_set(error, "process %" PRId64 " is no trainer of this worker", trainer.pid);
    self->peers[trainer.gpu] = peer;
    link_peer_set_item(peer, &self->peers[trainer.gpu]);
    msg_trainer_welcome_pack(&welcome, &out);
    link_peer_send(peer, &out);
    send_lease(self, trainer.gpu);
    if (self->closing)
        ask_trainer(self, trainer.gpu);
    else
        parts_trainer_up(self->parts, trainer.gpu);
    settle(self);
    return 0;
}

static int32_t gpu_of(const struct worker *self, const link_peer_t *peer)
{
    const link_peer_t *const *place = link_peer_item(peer);

    return place ? (int32_t)(place - (const link_peer_t *const *)self->peers) : -1;
}

static int on_trainer_message(void *owner, link_peer_t *peer, int type, reader_t *in,
                              struct error *error)
{
    struct worker *self = owner;
    const int32_t gpu = gpu_of(self, peer);
    struct msg_trainer_heartbeat heartbeat;
    struct msg_rank_report report;

    look_at_lease(self);
    trainers_heard(self->trainers, gpu);
    if (type == MSG_HEARTBEAT) {
        if (msg_trainer_heartbeat_unpack(in, &heartbeat, error) < 0)
            return -1;
        report = (struct msg_rank_report){.part = heartbeat.part, .state = heartbeat.state};
        if (heartbeat.active)
            parts_rank(self->parts, gpu, &report);
    } else if (type == MSG_RANK_REPORT) {
        if (msg_rank_report_unpack(in, &report, error) < 0)
            return -1;
        parts_rank(self->parts, gpu, &report);
    } else {
        return error_set(error, "a message of type %d is not for a worker", type);
    }
    settle(self);
    return 0;
}

static void on_trainer_gone(void *owner, link_peer_t *peer, const char *cause)
{
    struct worker *self = owner;
    const int32_t gpu = gpu_of(self, peer);

    (void)cause;
    look_at_lease(self);
    if (gpu >= 0) {
        self->peers[gpu] = NULL;
        parts_trainer_closed(self->parts, gpu);
        trainers_doubt(self->trainers, gpu, now_us() + DOUBT_US);
    }
    settle(self);
}

static const struct link_server_calls local_calls = {
    .hello = on_trainer_hello,
    .message = on_trainer_message,
    .gone = on_trainer_gone,
};

static int on_trainer_heartbeat(zloop_t *loop, int timer, void *owner)
{
    struct worker *self = owner;

    (void)loop;
    (void)timer;
    look_at_lease(self);
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        send_lease(self, gpu);
    settle(self);
    return 0;
}

/* ---- what parts have to say ---- */

static void send_to_trainer(struct worker *self, int32_t gpu, struct writer *out)
{
    if (self->peers[gpu])
        link_peer_send(self->peers[gpu], out);
    else
        writer_close(out);
}

static void send_prepare(void *owner, int32_t gpu, const struct msg_prepare *prepare)
{
    struct worker *self = owner;
    struct msg_prepare leased = *prepare;
    struct writer out;

    leased.lease_until_us = self->lease.until_us;
    msg_prepare_pack(&leased, &out);
    send_to_trainer(self, gpu, &out);
}

static void send_begin(void *owner, int32_t gpu, const struct msg_begin *begin)
{
    struct writer out;

    msg_begin_pack(begin, &out);
    send_to_trainer(owner, gpu, &out);
}

static void send_update(void *owner, int32_t gpu, const struct msg_update *update)
{
    struct writer out;

    msg_update_pack(update, &out);
    send_to_trainer(owner, gpu, &out);
}

static void send_stop(void *owner, int32_t gpu, const struct msg_stop *stop)
{
    struct writer out;

    msg_stop_pack(stop, &out);
    send_to_trainer(owner, gpu, &out);
}

static void send_group(void *owner, int32_t gpu, const struct msg_group *group)
{
    struct writer out;

    msg_group_pack(group, &out);
    send_to_trainer(owner, gpu, &out);
}

/* Lost while the master is not there: heartbeats say it again. */
static void send_report(void *owner, const struct msg_report *report)
{
    struct worker *self = owner;
    struct writer out;

    if (!self->master || !link_client_in_session(self->master))
        return;
    msg_report_pack(report, &out);
    link_client_send(self->master, &out);
}

static const struct order_calls order_calls = {send_prepare, send_begin, send_update, send_stop,
                                               send_group};

/* ---- the master ---- */

static void log_command(const struct worker *self, const reader_t *in, uint64_t job,
                        uint32_t incarnation, enum effect effect)
{
    const struct log_subject subject = {
        .job = incarnation > 0 ? (int64_t)job : LOG_NONE,
        .incarnation = incarnation > 0 ? (int64_t)incarnation : LOG_NONE,
        .node = self->node,
        .gpu = LOG_NONE,
    };

    log_event(&subject, "command", "type=%s seq=%" PRIu64 " effect=%s",
              msg_type_name(reader_type(in)), reader_sequence(in), effect_name(effect));
}

static bool emulates(const struct worker *self)
{
    const struct settings *settings = self->settings;

    if (strcmp(settings->workload, "auto") != 0)
        return !strcmp(settings->workload, "emulated");
    return !settings->program;
}

static int on_run(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_run run;
    struct error unknown;
    enum effect effect;

    if (msg_run_unpack(in, &run, error) < 0)
        return -1;
    if (!(run.rate > 0))
        run.rate = rates_find(self->rates, run.model, run.batch_size, run.world, &unknown);
    if (!(run.rate > 0) && emulates(self)) {
        effect = parts_refuse(self->parts, &run, unknown.text);
    } else {
        run.rate = run.rate > 0 ? run.rate : 0;
        effect = parts_run(self->parts, &run);
    }
    log_command(self, in, run.job, run.incarnation, effect);
    return 0;
}

static int on_begin(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_begin begin;

    if (msg_begin_unpack(in, &begin, error) < 0)
        return -1;
    log_command(self, in, begin.job, begin.incarnation, parts_begin(self->parts, &begin));
    return 0;
}

static int on_update(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_update update;

    if (msg_update_unpack(in, &update, error) < 0)
        return -1;
    log_command(self, in, update.job, update.incarnation, parts_update(self->parts, &update));
    return 0;
}

static int on_stop(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_stop stop;

    if (msg_stop_unpack(in, &stop, error) < 0)
        return -1;
    if (stop.grace_ms < 0)
        stop.grace_ms = (int64_t)(self->settings->grace_s * 1000);
    log_command(self, in, stop.job, stop.incarnation, parts_stop(self->parts, &stop));
    return 0;
}

static int on_group(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_group group;

    if (msg_group_unpack(in, &group, error) < 0)
        return -1;
    log_command(self, in, group.job, group.incarnation, parts_group(self->parts, &group));
    return 0;
}

static int on_restart(struct worker *self, reader_t *in, struct error *error)
{
    if (msg_bare_unpack(in, error) < 0)
        return -1;
    log_command(self, in, 0, 0, EFFECT_APPLIED);
    restart(self);
    return 0;
}

static int on_shutdown(struct worker *self, reader_t *in, struct error *error)
{
    if (msg_bare_unpack(in, error) < 0)
        return -1;
    log_command(self, in, 0, 0, self->closing ? EFFECT_REPEATED : EFFECT_APPLIED);
    if (!self->closing)
        shut_down(self);
    return 0;
}

static int on_lease(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_lease lease;

    if (msg_lease_unpack(in, &lease, error) < 0)
        return -1;
    if (lease.stamp_us > now_us())
        return error_set(error, "it answers a heartbeat that was not sent yet");
    renew_lease(self, lease.stamp_us);
    return 0;
}

static int on_master_heartbeat(zloop_t *loop, int timer, void *owner);

static int on_welcome(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_worker_welcome welcome;
    struct log_subject subject;

    if (msg_worker_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    if (welcome.stamp_us > now_us())
        return error_set(error, "it answers a hello that was not sent yet");
    self->node = welcome.node;
    self->lease.length_us = welcome.lease_ms * 1000;
    parts_set_node(self->parts, welcome.node);
    trainers_set_node(self->trainers, welcome.node);
    renew_lease(self, welcome.stamp_us);
    link_client_set_heartbeat(self->master, welcome.heartbeat_ms);
    if (welcome.heartbeat_ms != self->heartbeat_ms || self->master_timer < 0) {
        if (self->master_timer >= 0)
            (void)zloop_timer_end(self->loop, self->master_timer);
        self->heartbeat_ms = welcome.heartbeat_ms;
        self->master_timer =
            zloop_timer(self->loop, (size_t)welcome.heartbeat_ms, 0, on_master_heartbeat, self);
    }
    subject = about_node(self);
    log_event(&subject, "up", "gpus=%" PRId32 " kind=%s address=%s", self->gpus.count,
              self->gpus.kind, log_text(self->address));
    return 0;
}

static const struct {
    int type;
    int (*handle)(struct worker *self, reader_t *in, struct error *error);
} handlers[] = {
    {MSG_WELCOME, on_welcome}, {MSG_HEARTBEAT, on_lease}, {MSG_RUN, on_run},
    {MSG_BEGIN, on_begin},     {MSG_UPDATE, on_update},   {MSG_STOP, on_stop},
    {MSG_GROUP, on_group},     {MSG_RESTART, on_restart}, {MSG_SHUTDOWN, on_shutdown},
};

static int on_master_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct worker *self = owner;
    int result = error_set(error, "a message of type %d is not for a worker", type);

    look_at_lease(self);
    for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++)
        if (handlers[i].type == type)
            result = handlers[i].handle(self, in, error);
    settle(self);
    return result;
}

static void say_hello(void *owner, struct writer *out)
{
    struct worker *self = owner;
    struct msg_gpu *gpus = xcalloc((size_t)self->gpus.count, sizeof(*gpus));
    struct msg_worker_hello hello = {
        .address = self->address,
        .port = (int32_t)self->settings->port,
        .kind = self->gpus.kind,
        .stamp_us = now_us(),
        .gpu_count = (size_t)self->gpus.count,
        .gpus = gpus,
    };

    look_at_lease(self);
    for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
        gpus[gpu] = (struct msg_gpu){self->gpus.items[gpu].uuid, self->gpus.items[gpu].memory_mib};
    hello.part_count = parts_describe(self->parts, hello.stamp_us, &hello.parts);
    msg_worker_hello_pack(self->settings->name, &hello, out);
    free(hello.parts);
    free(gpus);
}

static int on_master_heartbeat(zloop_t *loop, int timer, void *owner)
{
    struct worker *self = owner;
    struct msg_worker_heartbeat heartbeat = {.stamp_us = now_us()};
    struct writer out;

    (void)loop;
    (void)timer;
    look_at_lease(self);
    if (link_client_in_session(self->master)) {
        for (int32_t gpu = 0; gpu < self->gpus.count; gpu++)
            heartbeat.trainers_idle += self->peers[gpu] && !parts_on(self->parts, gpu);
        heartbeat.part_count = parts_describe(self->parts, heartbeat.stamp_us, &heartbeat.parts);
        msg_worker_heartbeat_pack(&heartbeat, &out);
        link_client_send(self->master, &out);
        free(heartbeat.parts);
    }
    settle(self);
    return 0;
}

/* A name may be taken by our own former self until the master notices that it is gone; whoever is refused for
 * longer, and was never welcome, will not be. */
static bool is_hopeless(struct worker *self)
{
    const int64_t patience_us = (HEARTBEATS_MISSED + 1) * self->heartbeat_ms * 1000;

    if (self->node >= 0)
        return false;
    if (self->refused_us == 0)
        self->refused_us = now_us();
    return now_us() - self->refused_us >= patience_us;
}

static bool on_master_gone(void *owner, const char *cause, bool refused)
{
    struct worker *self = owner;
    const struct log_subject subject = about_node(self);
    struct error error;

    look_at_lease(self);
    log_event(&subject, refused ? "refused" : "master-gone", "cause=%s", log_text(cause));
    if (refused && is_hopeless(self)) {
        (void)error_set(&error, "the master at %s:%" PRId64 " refuses: %s",
                        self->settings->master_address, self->settings->master_port, cause);
        fail(self, &error);
        shut_down(self);
    }
    settle(self);
    return true;
}

static const struct link_client_calls master_calls = {say_hello, on_master_message, on_master_gone};

/* ---- beginning ---- */

/* Where the trainers of this very process find it. */
static void name_endpoint(struct worker *self)
{
    uint64_t number = 0;

    (void)!getrandom(&number, sizeof(number), 0);
    (void)snprintf(self->endpoint, sizeof(self->endpoint), "ipc://@rubato-worker-%ld-%016" PRIx64,
                   (long)getpid(), number);
}

static int find_address(struct worker *self, struct error *error)
{
    if (!self->settings->address)
        return address_towards(self->settings->master_address, self->address, sizeof(self->address),
                               error);
    (void)snprintf(self->address, sizeof(self->address), "%s", self->settings->address);
    return 0;
}

static int open_links(struct worker *self, keys_t *keys, struct error *error)
{
    const struct link_server_setting local = {
        .endpoint = self->endpoint,
        .heartbeat_ms = TRAINER_HEARTBEAT_MS,
    };
    char endpoint[300];
    const struct link_client_setting master = {
        .endpoint = endpoint,
        .heartbeat_ms = self->heartbeat_ms,
        .keys = keys,
        .server = "master",
    };

    (void)snprintf(endpoint, sizeof(endpoint),
                   strchr(self->settings->master_address, ':') ? "tcp://[%.200s]:%" PRId64
                                                               : "tcp://%.200s:%" PRId64,
                   self->settings->master_address, self->settings->master_port);
    self->local = link_server_new(self->loop, &local, &local_calls, self, error);
    if (!self->local)
        return -1;
    self->master = link_client_new(self->loop, &master, &master_calls, self, error);
    return self->master ? 0 : -1;
}

static void make_trainer_command(struct worker *self)
{
    const struct trainer_command_setting setting = {
        .settings = self->settings,
        .program = self->trainer,
        .endpoint = self->endpoint,
        .visible = self->visible,
    };

    self->trainer_command = trainer_command_new(&setting);
}

static void make_parts(struct worker *self)
{
    const size_t count = (size_t)self->gpus.count;
    int64_t *memory_mib = xcalloc(count, sizeof(*memory_mib));
    const struct parts_setting parts = {
        .orders =
            {
                .gpu_count = self->gpus.count,
                .memory_mib = memory_mib,
                .calls = &order_calls,
                .owner = self,
            },
        .report = send_report,
        .report_owner = self,
    };
    const struct trainers_setting trainers = {
        .gpu_count = self->gpus.count,
        .arguments = trainer_arguments,
        .environment = self->environment,
        .calls = &trainers_calls,
        .owner = self,
    };

    self->visible = gpus_visible(&self->gpus);
    make_trainer_command(self);
    for (size_t i = 0; i < count; i++)
        memory_mib[i] = self->gpus.items[i].memory_mib;
    self->parts = parts_new(&parts);
    self->trainers = trainers_new(&trainers);
    self->peers = xcalloc(count, sizeof(link_peer_t *));
    self->rates = rates_new(self->settings->throughputs, self->settings->gpu_type);
    free(memory_mib);
}

static int serve(struct worker *self, keys_t *keys, struct error *error)
{
    zmq_pollitem_t signals = {.fd = self->signals, .events = ZMQ_POLLIN};
    struct log_subject subject;

    self->loop = zloop_new();
    if (open_links(self, keys, error) < 0)
        return -1;
    (void)zloop_poller(self->loop, &signals, on_signal, self);
    self->trainer_timer =
        zloop_timer(self->loop, TRAINER_HEARTBEAT_MS, 0, on_trainer_heartbeat, self);
    settle(self);
    (void)zloop_start(self->loop);
    subject = about_node(self);
    log_event(&subject, "down", NULL);
    return self->failed ? -1 : 0;
}

static void clear(struct worker *self)
{
    link_client_destroy(&self->master);
    link_server_destroy(&self->local);
    zloop_destroy(&self->loop);
    parts_destroy(&self->parts);
    trainers_destroy(&self->trainers);
    trainer_command_destroy(&self->trainer_command);
    rates_destroy(&self->rates);
    gpus_clear(&self->gpus);
    free(self->peers);
    free(self->environment);
    free(self->visible);
}

/* What can go wrong before anything is started. */
static int prepare(struct worker *self, keys_t **keys, struct error *error)
{
    const struct settings *settings = self->settings;

    if (trainer_program_find(settings->trainer, self->trainer, sizeof(self->trainer), error) < 0 ||
        find_address(self, error) < 0)
        return -1;
    if (settings->keys && !(*keys = keys_read(settings->keys, settings->name, error)))
        return -1;
    self->environment = environment_select(environ, settings->pass_env, error);
    if (!self->environment)
        return -1;
    return gpus_find((int32_t)settings->gpu_count, settings->emulate, settings->gpu_memory_mib,
                     &self->gpus, error);
}

int worker_run(const struct settings *settings, struct error *error)
{
    static const int numbers[] = {SIGTERM, SIGINT, 0};
    struct worker self = {
        .settings = settings,
        .due_timer = -1,
        .master_timer = -1,
        .node = -1,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .lease = lease_none(),
        .error = error,
    };
    keys_t *keys = NULL;
    int result = -1;

    if (prepare(&self, &keys, error) == 0) {
        self.signals = signals_open(numbers);
        descendants_adopt();
        zsys_init();
        zsys_handler_set(NULL);
        name_endpoint(&self);
        make_parts(&self);
        result = serve(&self, keys, error);
    }
    clear(&self);
    keys_destroy(&keys);
    return result;
}
