/* service.c - the process of the service: its sockets, its signals, and the loop in which the heart
 * has its turns. Nothing in it blocks. */
#include "scheduler/service/service.h"

#include "common/descriptors.h"
#include "common/log.h"
#include "protocol/timing.h"
#include "scheduler/capacity/master_source.h"
#include "scheduler/report/progress.h"
#include "scheduler/service/gates.h"
#include "scheduler/service/serving.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#define WAITING_MAX 512 /* requests: enough for two steps */
/* Descriptors for the service's own files, and for some clients. */
#define DESCRIPTORS_LEAST (64 + LINK_DESCRIPTORS_KEPT)

/* The process around the heart. */
struct process {
    struct serving *heart;
    zloop_t *loop;
    master_source_t *master;
    clients_t *clients;
    gates_t *gates;
    int look;     /* timer of the next turn */
    int wakes_in; /* passes of the loop after which a turn comes, 0 if nothing woke it */
    int status;   /* 0 while the loop goes on, then the result of service_run */
    struct error *error;
};

/* ---- SIGHUP ---- */

static volatile sig_atomic_t reload_asked;

static void on_hangup(int number)
{
    (void)number;
    reload_asked = 1;
}

static void catch_hangup(void)
{
    struct sigaction action = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};

    (void)sigaction(SIGHUP, &action, NULL);
}

static void log_limits(const struct service_limits *limits)
{
    const char *share = limits->shares;

    log_event(&LOG_ABOUT_NOTHING, "reloaded",
              "user_jobs=%" PRId64 " session_requests=%" PRId64 "%s%s", limits->user_jobs,
              limits->session_requests, share ? " promise_share=" : "",
              share ? log_text(share) : "");
}

static void reload(struct serving *self)
{
    struct service_limits *limits = &self->setting.limits;
    struct service_limits fresh = *limits;
    struct error error;

    reload_asked = 0;
    if (!self->setting.reload)
        return;
    if (self->setting.reload(self->setting.reload_owner, &fresh, &error) < 0 ||
        sharing_renew(self, &fresh, &error) < 0) {
        log_event(&LOG_ABOUT_NOTHING, "reload-failed", "cause=%s", log_text(error.text));
        return;
    }
    *limits = fresh;
    clients_limit(self->clients, limits->session_requests);
    log_limits(limits);
}

/* ---- the loop ---- */

/* A turn of the heart. Returns -1 once the service ends. */
static int turn(struct process *self)
{
    if (progress_stop_asked()) {
        error_set(self->error,
                  "stopped; jobs run on, and the next start with --state %s goes on with them",
                  self->heart->setting.state);
        self->status = 1;
        return -1;
    }
    if (reload_asked)
        reload(self->heart);
    self->status = serving_turn(self->heart, self->error);
    return self->status;
}

static int on_look(zloop_t *loop, int timer, void *argument);

/* Puts the next turn where the heart now wants it. An earlier choice is dropped. */
static void look_again(struct process *self)
{
    if (self->look >= 0)
        (void)zloop_timer_end(self->loop, self->look);
    self->look = zloop_timer(self->loop, steps_look_ms(self->heart), 1, on_look, self);
}

static int on_look(zloop_t *loop, int timer, void *argument)
{
    struct process *self = argument;

    (void)loop;
    (void)timer;
    self->look = -1; /* a timer that fired once is gone */
    look_again(self);
    return turn(self);
}

/* The loop runs timers before it reads sockets: between two calls all that has arrived is heard. */
static int on_wake(zloop_t *loop, int timer, void *argument)
{
    struct process *self = argument;

    (void)loop;
    (void)timer;
    if (--self->wakes_in > 0)
        return 0;
    if (turn(self) < 0)
        return -1;
    look_again(self);
    return 0;
}

/* Something arrived. A turn follows once all that has arrived is heard. */
static void wake(void *owner)
{
    struct process *self = owner;

    if (self->wakes_in > 0)
        return;
    self->wakes_in = 2;
    (void)zloop_timer(self->loop, 0, 2, on_wake, self);
}

static int on_beat(zloop_t *loop, int timer, void *argument)
{
    const struct process *self = argument;

    (void)loop;
    (void)timer;
    gates_beat(self->gates);
    backing_up_begin(
        self->heart); /* after the first requests and reports, which have waited for the start */
    return 0;
}

/* A signal ends the loop. The next turn does what the signal asks, and the loop goes on. */
static int serve(struct process *self)
{
    while (turn(self) == 0) {
        look_again(self);
        (void)zloop_start(self->loop);
    }
    return self->status;
}

/* ---- life ---- */

static int open_master(struct process *self, const struct testbed *testbed, struct error *error)
{
    const struct master_setting setting = {.address = testbed->master,
                                           .keys = testbed->keys,
                                           .name = testbed->name,
                                           .heartbeat_ms = HEARTBEAT_MS_DEFAULT};

    self->master = master_source_new(self->loop, &setting, error);
    return self->master ? 0 : -1;
}

static int open_gates(struct process *self, const struct service *service, struct error *error)
{
    char path[4096];
    const struct gates_setting setting = {.socket = path,
                                          .listen = service->listen,
                                          .keys = master_source_keys(self->master),
                                          .operators = service->operators,
                                          .heartbeat_ms = HEARTBEAT_MS_DEFAULT};

    if (service->socket)
        (void)snprintf(path, sizeof(path), "%s", service->socket);
    else
        (void)snprintf(path, sizeof(path), "%s/rubato.sock", service->state);
    self->gates = gates_new(self->loop, &setting, self->clients, error);
    if (!self->gates)
        return -1;
    (void)zloop_timer(self->loop, (size_t)HEARTBEAT_MS_DEFAULT, 0, on_beat, self);
    log_event(&LOG_ABOUT_NOTHING, "serving", "socket=%s", log_text(path));
    return 0;
}

static int open_all(struct process *self, const struct service *service,
                    const struct testbed *testbed, const struct simulation *simulation,
                    struct error *error)
{
    struct capacity_source source;

    if (descriptors_allow(DESCRIPTORS_LEAST, error) < 0 || open_master(self, testbed, error) < 0)
        return -1;
    source = master_source_port(self->master);
    if (serving_open(self->heart, simulation, &source, error) < 0)
        return -1;
    self->clients = clients_new(WAITING_MAX, service->limits.session_requests, wake, self);
    self->heart->clients = self->clients;
    return open_gates(self, service, error) < 0 || serving_begin(self->heart, error) < 0 ? -1 : 0;
}

static void open_loop(struct process *self)
{
    zsys_init();
    zsys_handler_set(NULL);
    self->loop = zloop_new();
    zloop_set_nonstop(self->loop, true);
}

int service_run(const struct service *service, const struct testbed *testbed,
                const struct simulation *simulation, struct error *error)
{
    struct process self = {.look = -1, .error = error};
    int status;

    if (testbed_settle_user(testbed, error) < 0)
        return -1;
    log_open("scheduler", testbed->name);
    progress_catch_signals();
    catch_hangup();
    open_loop(&self);
    self.heart =
        serving_new(service, testbed->name, testbed->time_scale > 0 ? testbed->time_scale : 1,
                    self.loop, wake, &self);
    status = open_all(&self, service, testbed, simulation, error);
    if (status == 0)
        status = serve(&self);
    if (status > 0)
        snapshots_keep(self.heart);
    serving_destroy(&self.heart, error);
    gates_destroy(&self.gates);
    clients_destroy(&self.clients);
    master_source_destroy(&self.master);
    zloop_destroy(&self.loop);
    return status;
}
