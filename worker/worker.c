/* worker.c - see worker.h. holdings.c looks after parts and trainers. trainer_link.c and
 * master_link.c are the links. This file joins them in one loop, the only place where the worker
 * waits. */
#include "worker/worker.h"

#include "common/clock.h"
#include "common/descendants.h"
#include "common/log.h"
#include "common/memory.h"
#include "executor/signals.h"
#include "worker/alarm.h"
#include "worker/gpu_watch.h"
#include "worker/holdings.h"
#include "worker/host.h"
#include "worker/master_link.h"
#include "worker/node_lock.h"
#include "worker/trainer_command.h"
#include "worker/trainer_link.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

/* Heartbeats between two looks at the GPUs: a master hears within one more of GPUs that are
 * gone. */
#define HEARTBEATS_A_LOOK 1

struct worker {
    const struct worker_settings *settings;
    struct host host;
    struct node_lock lock;
    char endpoint[96]; /* endpoint of the trainers' link */
    trainer_command_t *trainer_command;
    rates_t *rates;
    holdings_t *holdings;
    struct master_commands commands;

    zloop_t *loop;
    struct loop_turn turn;
    trainer_link_t *trainer_link;
    master_link_t *master_link;
    alarm_t *alarm;         /* rings when the next thing is due */
    gpu_watch_t *gpu_watch; /* NULL: there is nothing to watch */
    int signals;

    bool ended;
    struct error *error; /* why the worker could not go on */
    bool failed;
};

/* ---- a turn of the loop ---- */

static void wake(void *owner)
{
    struct worker *self = owner;

    holdings_look_at_lease(self->holdings, clock_boot_us());
}

static void fail(struct worker *self, const struct error *error)
{
    if (self->failed)
        return;
    *self->error = *error;
    self->failed = true;
}

static int leave_loop(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* Ends the loop. Work that was begun in this turn is completed before. */
static void end(struct worker *self)
{
    master_link_goodbye(self->master_link);
    self->ended = true;
    (void)zloop_timer(self->loop, 0, 1, leave_loop, self);
}

static void settle(void *owner)
{
    struct worker *self = owner;
    struct error error;

    if (self->ended)
        return;
    if (holdings_tick(self->holdings, clock_boot_us(), &error) < 0)
        fail(self, &error);
    if (holdings_is_down(self->holdings))
        end(self);
    else
        alarm_set(self->alarm, holdings_due_us(self->holdings), clock_boot_us());
}

/* ---- events besides the links ---- */

static void on_due(void *owner)
{
    struct worker *self = owner;

    turn_wake(&self->turn);
    turn_settle(&self->turn);
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct worker *self = owner;
    int number;

    (void)loop;
    (void)item;
    turn_wake(&self->turn);
    while ((number = signals_next(self->signals)) != 0)
        if (signals_ask_end(number))
            holdings_shut_down(self->holdings, clock_boot_us());
    turn_settle(&self->turn);
    return 0;
}

static int on_trainer_ended(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct worker *self = owner;

    (void)loop;
    (void)item;
    turn_wake(&self->turn);
    for (int32_t gpu = 0; gpu < self->host.gpus.room; gpu++)
        trainers_ended(holdings_trainers(self->holdings), gpu, clock_boot_us());
    turn_settle(&self->turn);
    return 0;
}

static void watch_trainer(void *owner, int32_t gpu, int descriptor)
{
    struct worker *self = owner;
    zmq_pollitem_t item = {.fd = descriptor, .events = ZMQ_POLLIN};

    (void)gpu;
    (void)zloop_poller(self->loop, &item, on_trainer_ended, self);
}

static void unwatch_trainer(void *owner, int32_t gpu, int descriptor)
{
    struct worker *self = owner;
    zmq_pollitem_t item = {.fd = descriptor, .events = ZMQ_POLLIN};

    (void)gpu;
    zloop_poller_end(self->loop, &item);
}

/* ---- between holdings and links ---- */

static void on_report(void *owner, const struct msg_report *report)
{
    struct worker *self = owner;

    if (self->master_link)
        master_link_report(self->master_link, report);
    if (self->gpu_watch && report->part.state == PART_FAILED)
        gpu_watch_now(self->gpu_watch); /* the GPU of the part may be the cause */
}

static void on_welcomed(void *owner, int64_t heartbeat_ms)
{
    struct worker *self = owner;

    if (self->gpu_watch)
        gpu_watch_every(self->gpu_watch, HEARTBEATS_A_LOOK * heartbeat_ms);
}

static void on_refused(void *owner, const struct error *error)
{
    struct worker *self = owner;

    fail(self, error);
    holdings_shut_down(self->holdings, clock_boot_us());
}

/* ---- GPUs that come and go ---- */

/* Logs GPUs other than those asked for, or than before. Such GPUs are no error: the master plans
 * with the GPUs that are present. */
static void say_how_gpus_differ(const struct gpus *gpus)
{
    if (gpus->differs[0])
        log_event(&LOG_ABOUT_NOTHING, "gpus", "count=%" PRId32 " kind=%s differs=%s",
                  gpus_there(gpus), gpus->kind, log_text(gpus->differs));
}

static struct log_subject on_about(void *owner)
{
    const struct worker *self = owner;

    return holdings_subject(self->holdings);
}

static void on_looks(void *owner, pid_t pid)
{
    const struct worker *self = owner;

    trainers_spare(holdings_trainers(self->holdings), pid);
}

static void renew_visible(struct worker *self)
{
    free(self->host.visible);
    self->host.visible = gpus_visible(&self->host.gpus);
    trainer_command_set_visible(self->trainer_command, self->host.visible);
}

/* Takes changes of GPUs in. The master hears first which GPUs are gone, so that it does not take
 * the ends of their parts for failures. */
static void take_changes(struct worker *self, const bool before[], int32_t count)
{
    const struct gpus *gpus = &self->host.gpus;

    say_how_gpus_differ(gpus);
    if (gpus->count > count)
        renew_visible(self);
    master_link_gpus(self->master_link);
    for (int32_t gpu = 0; gpu < gpus->count; gpu++) {
        const bool was_gone = gpu >= count || before[gpu];

        if (was_gone && !gpus->items[gpu].gone)
            holdings_gpu_there(self->holdings, gpu, gpu >= count);
        else if (!was_gone && gpus->items[gpu].gone)
            holdings_gpu_gone(self->holdings, gpu);
    }
}

static void on_seen(void *owner, const struct gpus *seen)
{
    struct worker *self = owner;
    struct gpus *gpus = &self->host.gpus;
    const int32_t count = gpus->count;
    bool *gone = xcalloc((size_t)gpus->room, sizeof(*gone));

    for (int32_t gpu = 0; gpu < count; gpu++)
        gone[gpu] = gpus->items[gpu].gone;
    turn_wake(&self->turn);
    if (gpus_take_look(gpus, seen))
        take_changes(self, gone, count);
    turn_settle(&self->turn);
    free(gone);
}

static void open_gpu_watch(struct worker *self)
{
    const struct gpu_watch_setting setting = {self->loop, on_about, on_seen, on_looks, self};

    if (gpus_can_be_watched(&self->host.gpus))
        self->gpu_watch = gpu_watch_new(&setting);
}

/* ---- beginning ---- */

/* Takes the lock of the node. Without the lock the master waits for the lease of whatever a worker
 * before this one held. */
static void take_lock(struct worker *self)
{
    const struct worker_settings *settings = self->settings;
    const struct log_subject subject = LOG_ABOUT_NOTHING;
    struct error error;

    if (node_lock_take(settings->run_dir, settings->name, &self->lock, &error) < 0)
        log_event(&subject, "unlocked", "cause=%s", log_text(error.text));
}

static void make_node(struct worker *self)
{
    static const struct holdings_calls calls = {watch_trainer, unwatch_trainer, on_report};
    const struct trainer_command_setting command = {
        .settings = self->settings,
        .program = self->host.trainer,
        .endpoint = self->endpoint,
        .lock = self->lock.trainers_fd > 0 ? self->lock.trainers_fd : 0,
        .visible = self->host.visible,
    };
    struct holdings_setting holdings = {
        .gpus = &self->host.gpus,
        .run_dir = self->settings->run_dir,
        .name = self->settings->name,
        .environment = self->host.environment,
        .lock = command.lock,
        .grace_us = (int64_t)(self->settings->grace_s * 1e6),
        .calls = &calls,
        .owner = self,
    };

    trainer_link_name(self->endpoint, sizeof(self->endpoint));
    self->trainer_command = trainer_command_new(&command);
    holdings.trainer_command = self->trainer_command;
    self->holdings = holdings_new(&holdings);
    parts_recall(holdings_parts(self->holdings));
}

static void make_commands(struct worker *self)
{
    const struct worker_settings *settings = self->settings;

    self->rates = rates_new(settings->throughputs, settings->gpu_type);
    self->commands = (struct master_commands){
        .holdings = self->holdings,
        .rates = self->rates,
        .emulates = worker_settings_emulate_training(settings),
    };
}

static int open_trainer_link(struct worker *self, struct error *error)
{
    const struct trainer_link_setting setting = {
        .loop = self->loop,
        .endpoint = self->endpoint,
        .turn = &self->turn,
        .holdings = self->holdings,
    };

    self->trainer_link = trainer_link_new(&setting, error);
    return self->trainer_link ? 0 : -1;
}

static int open_master_link(struct worker *self, struct error *error)
{
    const struct master_link_setting setting = {
        .loop = self->loop,
        .settings = self->settings,
        .keys = self->host.keys,
        .endpoint = self->host.master,
        .only = self->host.only,
        .address = self->host.address,
        .gpus = &self->host.gpus,
        .turn = &self->turn,
        .commands = &self->commands,
        .lock = self->lock.number,
        .refused = on_refused,
        .welcomed = on_welcomed,
        .owner = self,
    };

    self->master_link = master_link_new(&setting, error);
    return self->master_link ? 0 : -1;
}

static int serve(struct worker *self, struct error *error)
{
    zmq_pollitem_t signals = {.fd = self->signals, .events = ZMQ_POLLIN};
    struct log_subject subject;

    self->loop = zloop_new();
    self->alarm = alarm_new(self->loop, on_due, self);
    open_gpu_watch(self);
    if (open_trainer_link(self, error) < 0 || open_master_link(self, error) < 0)
        return -1;
    (void)zloop_poller(self->loop, &signals, on_signal, self);
    turn_settle(&self->turn);
    subject = holdings_subject(self->holdings);
    log_event(&subject, "waiting", "master=%s", log_text(self->host.master));
    (void)zloop_start(self->loop);
    subject = holdings_subject(self->holdings);
    log_event(&subject, "down", NULL);
    return self->failed ? -1 : 0;
}

static void clear(struct worker *self)
{
    master_link_destroy(&self->master_link);
    trainer_link_destroy(&self->trainer_link);
    zloop_destroy(&self->loop);
    gpu_watch_destroy(&self->gpu_watch);
    alarm_destroy(&self->alarm);
    holdings_destroy(&self->holdings);
    trainer_command_destroy(&self->trainer_command);
    rates_destroy(&self->rates);
    node_lock_drop(&self->lock);
    host_clear(&self->host);
}

int worker_run(const struct worker_settings *settings, struct error *error)
{
    struct worker self = {
        .settings = settings,
        .turn = {wake, settle, &self},
        .lock = {0, -1, -1},
        .error = error,
    };
    int result = -1;

    if (host_find(settings, &self.host, error) == 0) {
        say_how_gpus_differ(&self.host.gpus);
        self.signals = signals_open_service(false);
        descendants_adopt();
        take_lock(&self);
        zsys_init();
        zsys_handler_set(NULL);
        make_node(&self);
        make_commands(&self);
        result = serve(&self, error);
    }
    clear(&self);
    return result;
}

int worker_check(const struct worker_settings *settings, struct error *error)
{
    struct host host;
    const int result = host_find(settings, &host, error);

    if (result == 0)
        say_how_gpus_differ(&host.gpus);
    host_clear(&host);
    return result;
}
