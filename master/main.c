/* main.c - the master: options, the one loop, timers and signals. */
#include "common/clock.h"
#include "common/descriptors.h"
#include "common/error.h"
#include "common/log.h"
#include "common/privileges.h"
#include "master/commands/command_file.h"
#include "master/commands/command_run.h"
#include "master/dispatch.h"
#include "master/outbox.h"
#include "master/plan_run.h"
#include "master/sessions.h"
#include "master/settings.h"
#include "protocol/link.h"
#include "protocol/timing.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Most time between looks at leases and broken connections. */
#define TICK_MS_MAX 100

/* Most time between looks while commands of a file are carried out, some of which wait for a
 * moment. */
#define TICK_MS_COMMANDS 2

/* The descriptors that a master has open at once: for each worker a connection and that of its
 * successor, and the master's own log, sockets and the descriptors with which libzmq wakes its
 * threads. */
#define DESCRIPTORS_OF_A_WORKER 2
#define DESCRIPTORS_OWN         (48 + LINK_DESCRIPTORS_KEPT)

/* The time that workers get to end, beyond the grace of their programs. */
#define ENDING_MS 2000

struct master {
    struct master_settings settings;
    int64_t heartbeat_ms;
    keys_t *keys;
    zloop_t *loop;
    int signals;
    sessions_t *sessions;
    dispatch_t *dispatch;
    plan_run_t *plan_run; /* NULL with --debug; otherwise `commands` and `run` are NULL */
    command_file_t *commands;
    command_run_t *run;
    int once_timer; /* runs while the scheduler of --once is away; -1 otherwise */
    bool closing;
    int status; /* exit status */
};

/* ---- the end ---- */

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* Ends the loop after the work begun in this turn. */
static void end(struct master *self)
{
    (void)zloop_timer(self->loop, 0, 1, leave, self);
}

/* Stops all jobs, with their state saved; then the workers end, and after them the master. */
static void shut_down(struct master *self, const char *why)
{
    if (self->closing)
        return;
    self->closing = true;
    log_event(&LOG_ABOUT_NOTHING, "closing", "why=%s workers=%zu", log_text(why),
              sessions_workers(self->sessions));
    if (self->run) {
        command_run_print(self->run);
        command_run_end(self->run, clock_boot_us());
    } else {
        plan_run_end(self->plan_run, clock_boot_us());
    }
    sessions_close(self->sessions, why);
    if (sessions_workers(self->sessions) == 0)
        end(self);
    (void)zloop_timer(self->loop, GRACE_MS_DEFAULT + ENDING_MS, 1, leave, self);
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct master *self = owner;
    struct signalfd_siginfo info;

    (void)loop;
    if (read(item->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return 0;
    if (info.ssi_signo == SIGHUP) {
        log_event(&LOG_ABOUT_NOTHING, "not-reloaded", "cause=%s",
                  log_text("the options of a master count from its next start on; its list of "
                           "allowed keys is read whenever it changes"));
        return 0;
    }
    if (self->closing)
        return -1;
    if (self->run)
        self->status = 1; /* some commands were not carried out */
    shut_down(self, "the master was told to end");
    return 0;
}

/* ---- peers that come and go ---- */

static void worker_went(void *owner)
{
    struct master *self = owner;

    if (self->closing && sessions_workers(self->sessions) == 0)
        end(self);
}

static int on_once(zloop_t *loop, int timer, void *owner)
{
    struct master *self = owner;

    (void)loop;
    (void)timer;
    self->once_timer = -1;
    shut_down(self, "the scheduler has gone");
    return 0;
}

static void scheduler_came(void *owner)
{
    struct master *self = owner;

    if (self->once_timer >= 0)
        zloop_timer_end(self->loop, self->once_timer);
    self->once_timer = -1;
}

static void scheduler_went(void *owner, bool goodbye)
{
    struct master *self = owner;

    if (!self->settings.once || self->closing)
        return;
    if (goodbye)
        shut_down(self, "the scheduler has gone");
    else
        self->once_timer = zloop_timer(self->loop, (size_t)(self->heartbeat_ms * HEARTBEATS_MISSED),
                                       1, on_once, self);
}

static const struct sessions_calls calls = {worker_went, scheduler_came, scheduler_went};

/* ---- time ---- */

static void go_on(struct master *self)
{
    struct error error;

    if (command_run_go_on(self->run, clock_boot_us(), &error) < 0) {
        self->status = master_settings_fail(&error);
        shut_down(self, "the commands do not fit the workers");
    } else if (command_run_state(self->run) != COMMAND_RUN_GOES_ON) {
        self->status = command_run_state(self->run) == COMMAND_RUN_FAILED ? 1 : 0;
        shut_down(self, "the commands are carried out");
    }
}

static int on_tick(zloop_t *loop, int timer, void *owner)
{
    struct master *self = owner;

    (void)loop;
    (void)timer;
    dispatch_tick(self->dispatch, clock_boot_us());
    if (self->plan_run)
        plan_run_tick(self->plan_run, clock_boot_us());
    if (self->run && !self->closing)
        go_on(self);
    return 0;
}

static int on_heartbeat(zloop_t *loop, int timer, void *owner)
{
    const struct master *self = owner;

    (void)loop;
    (void)timer;
    if (self->plan_run)
        plan_run_heartbeat(self->plan_run);
    return 0;
}

static void start_timers(struct master *self)
{
    const int64_t quarter_ms = self->heartbeat_ms / 4 > 0 ? self->heartbeat_ms / 4 : 1;
    const int64_t max_ms = self->run ? TICK_MS_COMMANDS : TICK_MS_MAX;
    const int64_t tick_ms = quarter_ms < max_ms ? quarter_ms : max_ms;

    (void)zloop_timer(self->loop, (size_t)tick_ms, 0, on_tick, self);
    (void)zloop_timer(self->loop, (size_t)self->heartbeat_ms, 0, on_heartbeat, self);
}

/* ---- life ---- */

/* Signals come through the loop, so that nothing is ever half-done. To be called before threads are
 * started. */
static int open_signals(void)
{
    sigset_t set;
    int fd;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    assert(fd >= 0);
    return fd;
}

/* Opens the source of wishes, a file of commands or a scheduler; the dispatch tells either of
 * them its news. */
static void open_wishes(struct master *self)
{
    const int64_t lease_ms = (int64_t)(self->settings.lease_s * 1000);
    const struct dispatch_setting setting = {
        .heartbeat_us = self->heartbeat_ms * 1000,
        .lease_us = lease_ms * 1000,
        .started_us = clock_boot_us(),
        .workers_expected = (size_t)self->settings.workers,
        /* A job of a file of commands may take any time to be stable. */
        .stable_within_us = self->commands ? 0 : (int64_t)(self->settings.stable_within_s * 1e6),
        .keeps = !self->commands,
    };
    const struct msg_scheduler_welcome welcome = {self->heartbeat_ms, lease_ms,
                                                  self->settings.workers};
    const struct command_run_setting run = {self->settings.time_scale, stdout};
    struct peers *peers = sessions_peers(self->sessions);

    if (self->commands) {
        self->run = command_run_new(self->commands, &run);
        self->dispatch =
            dispatch_new(&setting, &outbox_worker_calls, peers, &command_run_watch, self->run);
        command_run_use(self->run, self->dispatch);
    } else {
        self->plan_run = plan_run_new(&welcome, &outbox_scheduler_calls, peers);
        plan_run_back_off(self->plan_run, RETRY_AFTER_MS);
        plan_run_exclude_after(self->plan_run, (int)self->settings.exclude_after);
        self->dispatch =
            dispatch_new(&setting, &outbox_worker_calls, peers, &plan_run_watch, self->plan_run);
        plan_run_use(self->plan_run, self->dispatch);
    }
    sessions_use(self->sessions, self->dispatch, self->plan_run);
}

static int open_sockets(struct master *self, struct error *error)
{
    struct sessions_setting setting = {NULL, self->heartbeat_ms, self->keys, clock_boot_us};
    char port[24] = "*";
    char endpoint[160];

    if (self->settings.port > 0)
        (void)snprintf(port, sizeof(port), "%" PRId64, self->settings.port);
    (void)snprintf(endpoint, sizeof(endpoint), "tcp://%s:%s", self->settings.listen, port);
    setting.endpoint = endpoint;
    self->sessions = sessions_new(self->loop, &setting, &calls, self, error);
    return self->sessions ? 0 : -1;
}

static int open_all(struct master *self, struct error *error)
{
    if (self->settings.trace) {
        self->commands = command_file_read(self->settings.trace, error);
        if (!self->commands)
            return -1;
        self->settings.workers = command_file_workers(self->commands);
    }
    if (self->settings.keys) {
        self->keys = keys_read(self->settings.keys, "master", error);
        if (!self->keys)
            return -1;
    }
    if (descriptors_allow(
            DESCRIPTORS_OWN + DESCRIPTORS_OF_A_WORKER * (size_t)self->settings.workers, error) <
            0 ||
        open_sockets(self, error) < 0)
        return -1;
    open_wishes(self);
    return 0;
}

static void close_all(struct master *self)
{
    sessions_destroy(&self->sessions);
    plan_run_destroy(&self->plan_run);
    command_run_destroy(&self->run);
    command_file_destroy(&self->commands);
    dispatch_destroy(&self->dispatch);
    zloop_destroy(&self->loop);
    keys_destroy(&self->keys);
    (void)close(self->signals);
}

static void log_end(const struct master *self)
{
    char dropped[128];

    sessions_describe(self->sessions, dropped, sizeof(dropped));
    log_event(&LOG_ABOUT_NOTHING, "down", "%s stale=%" PRIu64, dropped,
              dispatch_stale(self->dispatch) +
                  (self->plan_run ? plan_run_stale(self->plan_run) : 0));
}

static int run(struct master *self, struct error *error)
{
    zmq_pollitem_t signals = {.fd = self->signals, .events = ZMQ_POLLIN};

    if (open_all(self, error) < 0)
        return -1;
    (void)zloop_poller(self->loop, &signals, on_signal, self);
    start_timers(self);
    if (privileges_are_root())
        log_event(&LOG_ABOUT_NOTHING, "as-root", "cause=%s", log_text(PRIVILEGES_WARNING));
    log_event(&LOG_ABOUT_NOTHING, "up", "endpoint=%s workers=%" PRId64,
              sessions_endpoint(self->sessions), self->settings.workers);
    (void)zloop_start(self->loop);
    log_end(self);
    return 0;
}

static int settle_user(const struct master_settings *settings, struct error *error)
{
    if (!settings->user)
        return 0;
    if (privileges_drop(settings->user, error) < 0)
        return -1;
    return settings->keys ? privileges_check_folder("keys", settings->keys, false, error) : 0;
}

int main(int argc, char **argv)
{
    struct master self = {
        .settings = {.port = 6888,
                     .workers = 1,
                     .listen = "127.0.0.1",
                     .heartbeat_s = HEARTBEAT_MS_DEFAULT / 1000.0,
                     .lease_s = LEASE_MS_DEFAULT / 1000.0,
                     .stable_within_s = STABLE_MS_DEFAULT / 1000.0,
                     .exclude_after = 3,
                     .time_scale = 1},
        .once_timer = -1,
    };
    struct error error;
    int status = 0;

    descriptors_open_standard();
    if (master_settings_parse(&self.settings, argc, argv, &status) != 0)
        return status;
    if (settle_user(&self.settings, &error) < 0)
        return master_settings_fail(&error);
    self.heartbeat_ms = (int64_t)(self.settings.heartbeat_s * 1000);
    log_open("master", NULL);
    self.signals = open_signals();
    zsys_init();
    zsys_handler_set(NULL);
    self.loop = zloop_new();
    zloop_set_nonstop(self.loop, true);
    if (run(&self, &error) < 0)
        self.status = master_settings_fail(&error);
    close_all(&self);
    return self.status;
}
