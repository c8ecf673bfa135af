/* plan_pulse.c - a scheduler that gives all GPUs of a cluster to other jobs, again and again, and
 * times how long it takes until the master says that the plan is settled: every old job stopped,
 * every new one training.
 *
 * With --hold the scheduler keeps the last plan in force until SIGTERM. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"
#include "protocol/link.h"
#include "protocol/scheduler_master.h"
#include "protocol/timing.h"

#include <czmq.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define TARGET_MS 250.0

struct config {
    const char *master;
    const char *keys; /* folder, NULL for a plain link */
    int64_t nodes;
    int64_t gpus;
    int64_t rounds;
    bool hold;
};

struct pulse {
    const struct config *config;
    zloop_t *loop;
    link_client_t *link;
    int64_t nodes_up;
    int64_t round; /* round of the plan that was sent last */
    double sent_s;
    double *took_ms; /* time that each round took */
    bool ended;
    int signals;
};

/* Plans other jobs in odd rounds than in even rounds; each job has one node. */
static uint64_t job_of(const struct config *config, int64_t round, int64_t node)
{
    return (uint64_t)(round % 2 * config->nodes + node);
}

static void send_plan(struct pulse *self)
{
    const struct config *config = self->config;
    const size_t nodes = (size_t)config->nodes;
    int32_t *ranks = xcalloc((size_t)(config->nodes * config->gpus), sizeof(*ranks));
    struct msg_planned_job *jobs = xcalloc(nodes, sizeof(*jobs));
    struct msg_planned_stop *stops = xcalloc(nodes, sizeof(*stops));
    struct msg_plan plan = {.round = (uint64_t)++self->round,
                            .at_s = self->round,
                            .fast_forward = true,
                            .job_count = nodes,
                            .jobs = jobs,
                            .stop_count = self->round > 1 ? nodes : 0,
                            .stops = stops};
    struct writer out;

    for (int64_t i = 0; i < config->nodes; i++) {
        for (int64_t k = 0; k < config->gpus; k++)
            ranks[i * config->gpus + k] = (int32_t)(i * config->gpus + k);
        jobs[i] = (struct msg_planned_job){.job = job_of(config, self->round, i),
                                           .name = "pulse",
                                           .model = "resnet50",
                                           .batch_size = 256,
                                           .iterations = INT64_C(1) << 40,
                                           .step = 10 * self->round,
                                           .deadline_s = INT64_MAX,
                                           .rate = 10,
                                           .rank_count = (size_t)config->gpus,
                                           .ranks = &ranks[i * config->gpus]};
        stops[i] = (struct msg_planned_stop){job_of(config, self->round - 1, i), 10 * self->round,
                                             STOP_PAUSED};
    }
    self->sent_s = clock_now_s();
    msg_plan_pack(&plan, &out);
    link_client_send(self->link, &out);
    free(stops);
    free(jobs);
    free(ranks);
}

static void print_pulse(const struct pulse *self)
{
    const size_t rounds = (size_t)self->config->rounds;
    const double first_ms = self->took_ms[0];
    double median_ms;

    median_ms = samples_median(self->took_ms, rounds); /* puts them in order */
    printf("{\"testbed\": \"a plan for %" PRId64 " GPUs is settled\", \"rounds\": %zu, "
           "\"first_ms\": %.1f, \"median_ms\": %.1f, \"max_ms\": %.1f, \"target_ms\": %g, \"met\": "
           "%s}\n",
           self->config->nodes * self->config->gpus, rounds, first_ms, median_ms,
           self->took_ms[rounds - 1], TARGET_MS,
           self->took_ms[rounds - 1] <= TARGET_MS ? "true" : "false");
    (void)fflush(stdout);
}

static void say_goodbye(struct pulse *self)
{
    struct writer out;

    msg_goodbye_pack("measured", &out);
    link_client_send(self->link, &out);
    self->ended = true;
}

static int on_settled(struct pulse *self, reader_t *in, struct error *error)
{
    struct msg_settled settled;

    if (msg_settled_unpack(in, &settled, error) < 0)
        return -1;
    if (settled.round != (uint64_t)self->round || self->round > self->config->rounds)
        return 0;
    self->took_ms[self->round - 1] = 1e3 * (clock_now_s() - self->sent_s);
    if (self->round < self->config->rounds) {
        send_plan(self);
        return 0;
    }
    print_pulse(self);
    if (!self->config->hold)
        say_goodbye(self);
    return 0;
}

static int on_nodes(struct pulse *self, reader_t *in, struct error *error)
{
    struct msg_nodes nodes;
    int64_t up = 0;

    if (msg_nodes_unpack(in, &nodes, error) < 0)
        return -1;
    for (size_t i = 0; i < nodes.count; i++)
        up += nodes.nodes[i].up && nodes.nodes[i].gpus >= self->config->gpus;
    if (up >= self->config->nodes && self->round == 0)
        send_plan(self);
    return 0;
}

static int on_welcome(struct pulse *self, reader_t *in, struct error *error)
{
    struct msg_scheduler_welcome welcome;

    if (msg_scheduler_welcome_unpack(in, &welcome, error) < 0)
        return -1;
    link_client_set_heartbeat(self->link, welcome.heartbeat_ms);
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    if (type == MSG_WELCOME)
        return on_welcome(owner, in, error);
    if (type == MSG_NODES)
        return on_nodes(owner, in, error);
    return type == MSG_SETTLED ? on_settled(owner, in, error) : 0;
}

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct msg_hello hello = {.version = version, .role = "scheduler", .name = "scheduler"};

    (void)owner;
    msg_hello_pack(&hello, 0, out);
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    const struct pulse *self = owner;

    (void)refused;
    if (!self->ended)
        (void)fprintf(stderr, "plan_pulse: %s\n", cause);
    return !self->ended;
}

/* Sends a heartbeat, often enough for any master. */
static int on_beat(zloop_t *loop, int timer, void *owner)
{
    const struct pulse *self = owner;
    struct writer out;

    (void)loop;
    (void)timer;
    if (self->ended)
        return -1;
    msg_bare_pack(MSG_HEARTBEAT, &out);
    link_client_send(self->link, &out);
    return 0;
}

static int on_signal(zloop_t *loop, zmq_pollitem_t *item, void *owner)
{
    (void)loop;
    (void)item;
    say_goodbye(owner);
    return -1;
}

static int open_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static int run(const struct config *config, struct error *error)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    char endpoint[300];
    struct link_client_setting setting = {
        .endpoint = endpoint, .heartbeat_ms = HEARTBEAT_MS_DEFAULT, .server = "master"};
    keys_t *keys = NULL;
    struct pulse self = {.config = config,
                         .took_ms = xcalloc((size_t)config->rounds, sizeof(double)),
                         .signals = open_signals()};
    zmq_pollitem_t signals = {NULL, self.signals, ZMQ_POLLIN, 0};
    int status = 0;

    (void)snprintf(endpoint, sizeof(endpoint), "tcp://%s", config->master);
    (void)zsys_init();
    zsys_handler_set(NULL);
    self.loop = zloop_new();
    if (config->keys)
        setting.keys = keys = keys_read(config->keys, "scheduler", error);
    if (!config->keys || keys)
        self.link = link_client_new(self.loop, &setting, &calls, &self, error);
    if (self.link) {
        (void)zloop_poller(self.loop, &signals, on_signal, &self);
        (void)zloop_timer(self.loop, 500, 0, on_beat, &self);
        (void)zloop_start(self.loop);
    } else {
        status = -1;
    }
    link_client_destroy(&self.link);
    keys_destroy(&keys);
    zloop_destroy(&self.loop);
    (void)close(self.signals);
    free(self.took_ms);
    zsys_shutdown();
    return status;
}

int main(int argc, char **argv)
{
    struct config config = {.master = "127.0.0.1:6888", .nodes = 256, .gpus = 8, .rounds = 21};
    const struct option_spec options[] = {
        OPTION_TEXT("master", "ADDRESS:PORT", &config.master, "where the master listens"),
        OPTION_TEXT("keys", "DIR", &config.keys, "folder with the keys of the scheduler"),
        OPTION_WHOLE("nodes", "N", &config.nodes, 1, 4096, "that have registered, or will"),
        OPTION_WHOLE("gpus", "N", &config.gpus, 1, 1024, "of each"),
        OPTION_WHOLE("rounds", "N", &config.rounds, 1, 1e6, "how many plans are timed"),
        OPTION_SWITCH("hold", &config.hold, "keep the last plan in force until SIGTERM"),
        OPTION_END,
    };
    const struct command command = {
        .name = "plan_pulse",
        .summary = "Time how long a master takes to carry plans out",
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
