/* worker_swarm.c - many workers in one process, for measuring a master. Their trainers do at once
 * what they are told.
 *
 * Each worker has a link of its own and holds what a real one would: a standby part becomes ready
 * when the part before it has stopped. On SIGUSR1 they send reports of steps, as fast as the master
 * answers the heartbeats between them, or, if answers are not to be waited for, as fast as a
 * millisecond's share each. Prints a line of JSON for what it measured. */
#include "benchmarks/clock.h"
#include "common/memory.h"
#include "common/options.h"
#include "protocol/link.h"
#include "protocol/master_worker.h"
#include "protocol/timing.h"

#include <czmq.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PARTS           4
#define WINDOW          100 /* reports between two heartbeats */
#define WINDOWS         2   /* windows that may be unanswered at a time */
#define TARGET_MS       5000
#define TARGET_PER_S    50000.0
#define UNANSWERED_A_MS 50

struct config {
    const char *master;
    const char *keys; /* folder, NULL for a plain link */
    int64_t workers;
    int64_t gpus;
    int64_t reports;
    bool unanswered;
};

struct worker {
    struct swarm *swarm;
    keys_t *keys;
    link_client_t *link;
    char name[32];
    bool welcome;
    bool gone; /* the worker said goodbye */
    struct msg_part parts[PARTS];
    size_t part_count;
    int unanswered; /* heartbeats of the flood that are unanswered */
};

struct swarm {
    const struct config *config;
    zloop_t *loop;
    struct worker *workers;
    struct msg_gpu *gpus;
    int64_t welcome_count;
    int64_t gone_count;
    double started_s;
    bool all_came; /* once */
    int beat;      /* timer for heartbeats */
    int64_t beat_ms;
    int signals;
    bool floods;
    int64_t sent;
    int64_t answered;
    double flood_s;
};

/* ---- parts ---- */

static struct msg_part *find(struct worker *self, uint64_t job, uint32_t incarnation)
{
    for (size_t i = 0; i < self->part_count; i++)
        if (self->parts[i].job == job && self->parts[i].incarnation == incarnation)
            return &self->parts[i];
    return NULL;
}

static void report(struct worker *self, const struct msg_part *part)
{
    const struct msg_report message = {.part = *part};
    struct writer out;

    msg_report_pack(&message, &out);
    link_client_send(self->link, &out);
}

static void enter(struct worker *self, struct msg_part *part, enum part_state state)
{
    part->state = state;
    report(self, part);
}

/* Makes the oldest part ready, which has the GPUs once no older part is left. */
static void look_which_is_first(struct worker *self)
{
    if (self->part_count > 0 && self->parts[0].state == PART_PREPARING)
        enter(self, &self->parts[0], PART_READY);
}

static void drop(struct worker *self, const struct msg_part *part)
{
    const size_t at = (size_t)(part - self->parts);

    self->part_count--;
    memmove(&self->parts[at], &self->parts[at + 1], (self->part_count - at) * sizeof(*part));
    look_which_is_first(self);
}

static int on_run(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_run run;

    if (msg_run_unpack(in, &run, error) < 0)
        return -1;
    if (find(self, run.job, run.incarnation) || self->part_count == PARTS)
        return 0;
    self->parts[self->part_count++] = (struct msg_part){
        .job = run.job,
        .incarnation = run.incarnation,
        .state = PART_PREPARING,
        .step = -1,
        .checkpoint = -1,
        .emulated = true,
        .rate = run.rate,
        .cause = "",
    };
    look_which_is_first(self);
    return 0;
}

static int on_begin(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_begin begin;
    struct msg_part *part;

    if (msg_begin_unpack(in, &begin, error) < 0)
        return -1;
    part = find(self, begin.job, begin.incarnation);
    if (!part || part->state != PART_READY)
        return 0;
    part->step = part->checkpoint = begin.step;
    enter(self, part, PART_RUNNING);
    enter(self, part, PART_STABLE);
    return 0;
}

static int on_stop(struct worker *self, reader_t *in, struct error *error)
{
    struct msg_part absent = {.state = PART_STOPPED, .step = -1, .checkpoint = -1, .cause = ""};
    struct msg_stop stop;
    struct msg_part *part;

    if (msg_stop_unpack(in, &stop, error) < 0)
        return -1;
    part = find(self, stop.job, stop.incarnation);
    if (!part) {
        absent.job = stop.job;
        absent.incarnation = stop.incarnation;
        report(self, &absent);
        return 0;
    }
    if (stop.step > part->step)
        part->step = stop.step;
    part->checkpoint = part->step;
    enter(self, part, PART_STOPPED);
    drop(self, part);
    return 0;
}

/* ---- reports by the thousand ---- */

static void send_heartbeat(struct worker *self)
{
    const struct msg_worker_heartbeat heartbeat = {
        .stamp_us = (int64_t)(1e6 * clock_now_s()),
        .trainers_idle = (int32_t)(self->part_count > 0 ? 0 : self->swarm->config->gpus),
        .part_count = self->part_count,
        .parts = self->parts,
    };
    struct writer out;

    msg_worker_heartbeat_pack(&heartbeat, &out);
    link_client_send(self->link, &out);
}

static void print_flood(const struct swarm *self)
{
    const double per_s = (double)self->answered / (clock_now_s() - self->flood_s);

    printf("{\"testbed\": \"decoded, authorised, dispatched, %s\", \"messages\": %" PRId64
           ", \"per_s\": %.0f, \"target_per_s\": %.0f, \"met\": %s}\n",
           self->config->keys ? "CURVE" : "plain", self->answered, per_s, TARGET_PER_S,
           per_s >= TARGET_PER_S ? "true" : "false");
    (void)fflush(stdout);
}

/* Reports a further step of the worker's part, `count` times. */
static void send_reports(struct worker *self, int count)
{
    struct msg_part absent = {.job = 1, .incarnation = 1, .state = PART_STOPPED, .cause = ""};
    struct msg_part *part = self->part_count > 0 ? &self->parts[0] : &absent;

    for (int i = 0; i < count; i++) {
        part->step++;
        report(self, part);
    }
    self->swarm->sent += count;
}

static void send_windows(struct worker *self)
{
    struct swarm *swarm = self->swarm;

    while (self->unanswered < WINDOWS && swarm->sent < swarm->config->reports) {
        send_reports(self, WINDOW);
        send_heartbeat(self);
        self->unanswered++;
    }
}

static int on_answer(struct worker *self, reader_t *in, struct error *error)
{
    struct swarm *swarm = self->swarm;
    struct msg_lease lease;

    if (msg_lease_unpack(in, &lease, error) < 0)
        return -1;
    if (!swarm->floods || swarm->config->unanswered || self->unanswered == 0)
        return 0;
    self->unanswered--;
    swarm->answered += WINDOW;
    if (swarm->answered < swarm->config->reports) {
        send_windows(self);
    } else if (swarm->answered - WINDOW < swarm->config->reports) {
        swarm->floods = false;
        print_flood(swarm);
    }
    return 0;
}

static int on_share(zloop_t *loop, int timer, void *owner)
{
    struct swarm *self = owner;

    for (int64_t i = 0; i < self->config->workers && self->sent < self->config->reports; i++)
        if (link_client_in_session(self->workers[i].link))
            send_reports(&self->workers[i], UNANSWERED_A_MS);
    if (self->sent < self->config->reports)
        return 0;
    (void)zloop_timer_end(loop, timer);
    printf("{\"testbed\": \"sent without waiting\", \"messages\": %" PRId64 "}\n", self->sent);
    (void)fflush(stdout);
    return 0;
}

static void flood(struct swarm *self)
{
    self->floods = true;
    self->flood_s = clock_now_s();
    if (self->config->unanswered) {
        (void)zloop_timer(self->loop, 1, 0, on_share, self);
        return;
    }
    for (int64_t i = 0; i < self->config->workers; i++)
        send_windows(&self->workers[i]);
}

/* ---- sessions ---- */

static int on_beat(zloop_t *loop, int timer, void *owner)
{
    struct swarm *self = owner;

    (void)loop;
    (void)timer;
    for (int64_t i = 0; i < self->config->workers; i++)
        if (!self->workers[i].gone && link_client_in_session(self->workers[i].link))
            send_heartbeat(&self->workers[i]);
    return 0;
}

static void beat_every(struct swarm *self, int64_t ms)
{
    if (self->beat_ms == ms)
        return;
    if (self->beat >= 0)
        (void)zloop_timer_end(self->loop, self->beat);
    self->beat_ms = ms;
    self->beat = zloop_timer(self->loop, (size_t)ms, 0, on_beat, self);
}

static void print_registration(const struct swarm *self)
{
    const double ms = 1e3 * (clock_now_s() - self->started_s);

    printf("{\"testbed\": \"%" PRId64 " workers of %" PRId64
           " GPUs register, %s\", \"ms\": %.1f, \"target_ms\": %d, \"met\": %s}\n",
           self->config->workers, self->config->gpus, self->config->keys ? "CURVE" : "plain", ms,
           TARGET_MS, ms <= TARGET_MS ? "true" : "false");
    (void)fflush(stdout);
}

static int on_welcome(struct worker *self, reader_t *in, struct error *error)
{
    struct swarm *swarm = self->swarm;
    struct msg_worker_welcome welcome;

    if (msg_worker_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    beat_every(swarm, welcome.heartbeat_ms);
    swarm->welcome_count += !self->welcome;
    self->welcome = true;
    if (swarm->welcome_count == swarm->config->workers && !swarm->all_came) {
        swarm->all_came = true;
        print_registration(swarm);
    }
    return 0;
}

static int on_shutdown(struct worker *self, reader_t *in, struct error *error)
{
    struct writer out;

    if (msg_bare_unpack(in, error) < 0)
        return -1;
    if (self->gone)
        return 0;
    msg_goodbye_pack("the worker ends", &out);
    link_client_send(self->link, &out);
    self->gone = true;
    self->swarm->gone_count++;
    return 0;
}

static const struct {
    int type;
    int (*handle)(struct worker *self, reader_t *in, struct error *error);
} handlers[] = {
    {MSG_WELCOME, on_welcome}, {MSG_HEARTBEAT, on_answer}, {MSG_RUN, on_run},
    {MSG_BEGIN, on_begin},     {MSG_STOP, on_stop},        {MSG_SHUTDOWN, on_shutdown},
};

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        if (handlers[i].type == type)
            return handlers[i].handle(owner, in, error);
    return 0; /* a message that needs no answer */
}

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    struct worker *self = owner;
    const struct msg_worker_hello hello = {
        .address = "127.0.0.1",
        .port = 9000,
        .kind = "emulated",
        .stamp_us = (int64_t)(1e6 * clock_now_s()),
        .gpu_count = (size_t)self->swarm->config->gpus,
        .gpus = self->swarm->gpus,
        .part_count = self->part_count,
        .parts = self->parts,
    };

    msg_worker_hello_pack(self->name, version, &hello, out);
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    const struct worker *self = owner;

    (void)cause;
    (void)refused;
    return !self->gone;
}

/* ---- the process ---- */

/* -1 ends the loop. */
static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    struct swarm *self = owner;
    struct signalfd_siginfo info;

    (void)loop;
    if (read(item->fd, &info, sizeof(info)) != sizeof(info))
        return 0;
    if (info.ssi_signo != SIGUSR1)
        return -1;
    if (!self->floods)
        flood(self);
    return 0;
}

static int on_look(zloop_t *loop, int timer, void *owner)
{
    const struct swarm *self = owner;

    (void)loop;
    (void)timer;
    return self->gone_count == self->config->workers ? -1 : 0;
}

static int open_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGUSR1);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static int connect_all(struct swarm *self, struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    char endpoint[300];
    struct link_client_setting setting = {
        .endpoint = endpoint, .heartbeat_ms = HEARTBEAT_MS_DEFAULT, .server = "master"};

    (void)snprintf(endpoint, sizeof(endpoint), "tcp://%s", self->config->master);
    for (int64_t i = 0; i < self->config->workers; i++) {
        struct worker *worker = &self->workers[i];

        worker->swarm = self;
        (void)snprintf(worker->name, sizeof(worker->name), "swarm-%" PRId64, i);
        if (self->config->keys &&
            !(worker->keys = keys_read(self->config->keys, worker->name, error)))
            return -1;
        setting.keys = worker->keys;
        worker->link = link_client_new(self->loop, &setting, &calls, worker, error);
        if (!worker->link)
            return -1;
    }
    return 0;
}

static int run(const struct config *config, struct error *error)
{
    struct swarm self = {
        .config = config,
        .workers = xcalloc((size_t)config->workers, sizeof(struct worker)),
        .gpus = xcalloc((size_t)config->gpus, sizeof(struct msg_gpu)),
        .beat = -1,
        .signals = open_signals(),
        .started_s = clock_now_s(),
    };
    zmq_pollitem_t signals = {NULL, self.signals, ZMQ_POLLIN, 0};
    int status;

    (void)zsys_init();
    zsys_handler_set(NULL);
    zsys_set_max_sockets((size_t)config->workers * 4 + 1024);
    self.loop = zloop_new();
    for (int64_t i = 0; i < config->gpus; i++)
        self.gpus[i].uuid = "";
    status = connect_all(&self, error);
    if (status == 0) {
        (void)zloop_poller(self.loop, &signals, on_signal, &self);
        (void)zloop_timer(self.loop, 100, 0, on_look, &self);
        (void)zloop_start(self.loop);
    }
    for (int64_t i = 0; i < config->workers; i++) {
        link_client_destroy(&self.workers[i].link);
        keys_destroy(&self.workers[i].keys);
    }
    zloop_destroy(&self.loop);
    (void)close(self.signals);
    free(self.gpus);
    free(self.workers);
    zsys_shutdown();
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {
        .master = "127.0.0.1:6888", .workers = 256, .gpus = 8, .reports = 500000};
    const struct option_spec options[] = {
        OPTION_TEXT("master", "ADDRESS:PORT", &config.master, "where the master listens"),
        OPTION_TEXT("keys", "DIR", &config.keys, "folder with the keys of swarm-0 and so on"),
        OPTION_WHOLE("workers", "N", &config.workers, 1, 4096, "how many there are"),
        OPTION_WHOLE("gpus", "N", &config.gpus, 1, 1024, "of each"),
        OPTION_WHOLE("reports", "N", &config.reports, 1, 1e12, "on SIGUSR1"),
        OPTION_SWITCH("unanswered", &config.unanswered, "send them without waiting for answers"),
        OPTION_END,
    };
    const struct command command = {
        .name = "worker_swarm",
        .summary = "Be many workers of a master on this machine",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);

    free(operands.items);
    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    return run(&config, &error) < 0 ? options_fail(&command, &error) : 0;
}
