/* master_load.c - how long a real master takes to register many workers, to have a plan carried out
 * that changes all their GPUs, and how many messages a second it takes.
 *
 * The master is the program itself, started by benchmarks/run.sh; here are its workers, one loop
 * for all of them, that answer every command at once, and its scheduler. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/clock.h"
#include "common/memory.h"
#include "common/options.h"
#include "protocol/link.h"
#include "protocol/master_worker.h"
#include "protocol/timing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEARTBEAT_MS 60000

#define REGISTERED_MS_MAX 5000
#define PLAN_MS_MAX       250
#define RATE_MIN          50000

struct stub {
    struct load *load;
    link_client_t *link;
    char name[32];
    bool welcome;
    size_t part_count;
    struct msg_part *parts; /* at most two of each GPU */
    int64_t answers;        /* heartbeats that were answered */
};

struct load {
    int64_t port;
    int64_t workers;
    int64_t gpus;
    int64_t jobs_of_gpus; /* GPUs of a job */
    int64_t plans;
    int64_t beats; /* heartbeats of each worker in the flood */
    char endpoint[64];
    zloop_t *loop;
    struct stub *stubs;
    link_client_t *scheduler;
    bool scheduler_welcome;
    int64_t registered;
    int64_t nodes_up; /* number of nodes that are up, as the scheduler hears */
    uint64_t round;
    uint64_t settled;
    int64_t answers;
    bool failed;
};

static void print_row(const char *what, int64_t count, double measured, const char *unit,
                      double target, bool met)
{
    printf("{\"master\": \"%s\", \"count\": %" PRId64 ", \"measured\": %.1f, \"unit\": \"%s\", "
           "\"target\": %.0f, \"met\": %s}\n",
           what, count, measured, unit, target, met ? "true" : "false");
    (void)fflush(stdout);
}

/* ---- workers ---- */

static void on_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct stub *stub = owner;
    struct msg_gpu *gpus = xcalloc((size_t)stub->load->gpus, sizeof(*gpus));
    const struct msg_worker_hello hello = {.address = "127.0.0.1",
                                           .port = 9000,
                                           .kind = "emulated",
                                           .stamp_us = clock_boot_us(),
                                           .gpu_count = (size_t)stub->load->gpus,
                                           .gpus = gpus};

    for (int64_t i = 0; i < stub->load->gpus; i++)
        gpus[i] = (struct msg_gpu){"", 0, false};
    msg_worker_hello_pack(stub->name, version, &hello, out);
    free(gpus);
}

static struct msg_part *find_part(struct stub *stub, uint64_t job, uint32_t incarnation)
{
    for (size_t i = 0; i < stub->part_count; i++)
        if (stub->parts[i].job == job && stub->parts[i].incarnation == incarnation)
            return &stub->parts[i];
    return NULL;
}

static void report(struct stub *stub, struct msg_part *part, enum part_state state)
{
    struct writer out;

    part->state = state;
    msg_report_pack(&(struct msg_report){.part = *part}, &out);
    link_client_send(stub->link, &out);
}

static int on_run(struct stub *stub, reader_t *in, struct error *error)
{
    struct msg_run run;

    if (msg_run_unpack(in, &run, error) < 0)
        return -1;
    assert(stub->part_count < (size_t)(2 * stub->load->gpus));
    stub->parts[stub->part_count] = (struct msg_part){.job = run.job,
                                                      .incarnation = run.incarnation,
                                                      .step = -1,
                                                      .checkpoint = -1,
                                                      .emulated = true,
                                                      .retry = true,
                                                      .rate = run.rate,
                                                      .cause = ""};
    report(stub, &stub->parts[stub->part_count++], PART_READY);
    return 0;
}

static int on_begin(struct stub *stub, reader_t *in, struct error *error)
{
    struct msg_begin begin;
    struct msg_part *part;

    if (msg_begin_unpack(in, &begin, error) < 0)
        return -1;
    part = find_part(stub, begin.job, begin.incarnation);
    if (!part || part->state != PART_READY)
        return 0;
    part->step = begin.step;
    report(stub, part, PART_RUNNING);
    report(stub, part, PART_STABLE);
    return 0;
}

static int on_stop(struct stub *stub, reader_t *in, struct error *error)
{
    struct msg_stop stop;
    struct msg_part *part;

    if (msg_stop_unpack(in, &stop, error) < 0)
        return -1;
    part = find_part(stub, stop.job, stop.incarnation);
    if (!part)
        return 0;
    part->checkpoint = stop.step;
    report(stub, part, PART_STOPPED);
    *part = stub->parts[--stub->part_count];
    return 0;
}

static int on_lease(struct stub *stub, reader_t *in, struct error *error)
{
    struct msg_lease lease;

    if (msg_lease_unpack(in, &lease, error) < 0)
        return -1;
    stub->load->answers++;
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct stub *stub = owner;

    switch (type) {
    case MSG_WELCOME:
        stub->load->registered += !stub->welcome;
        stub->welcome = true;
        return 0;
    case MSG_RUN:
        return on_run(stub, in, error);
    case MSG_BEGIN:
        return on_begin(stub, in, error);
    case MSG_STOP:
        return on_stop(stub, in, error);
    case MSG_HEARTBEAT:
        return on_lease(stub, in, error);
    default:
        return 0;
    }
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct stub *stub = owner;

    (void)refused;
    (void)fprintf(stderr, "master_load: %s: %s\n", stub->name, cause);
    stub->load->failed = true;
    return true;
}

static void beat(struct stub *stub)
{
    const struct msg_worker_heartbeat heartbeat = {clock_boot_us(), 0, stub->part_count,
                                                   stub->parts};
    struct writer out;

    msg_worker_heartbeat_pack(&heartbeat, &out);
    link_client_send(stub->link, &out);
}

/* ---- the scheduler ---- */

static void on_scheduler_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct msg_hello hello = {.version = version, .role = "scheduler", .name = "load"};

    (void)owner;
    msg_hello_pack(&hello, 0, out);
}

static int on_scheduler_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct load *self = owner;
    struct msg_settled settled;
    struct msg_nodes nodes;

    if (type == MSG_WELCOME)
        self->scheduler_welcome = true;
    if (type == MSG_SETTLED) {
        if (msg_settled_unpack(in, &settled, error) < 0)
            return -1;
        self->settled = settled.round;
    }
    if (type == MSG_NODES) {
        if (msg_nodes_unpack(in, &nodes, error) < 0)
            return -1;
        self->nodes_up = 0;
        for (size_t i = 0; i < nodes.count; i++)
            self->nodes_up += nodes.nodes[i].up;
    }
    return 0;
}

static bool on_scheduler_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct load *self = owner;

    (void)refused;
    (void)fprintf(stderr, "master_load: scheduler: %s\n", cause);
    self->failed = true;
    return true;
}

/* Sends a plan in which every GPU changes its job: jobs turn by one each time. */
static void send_plan(struct load *self)
{
    const int64_t gpus = self->workers * self->gpus;
    const size_t count = (size_t)(gpus / self->jobs_of_gpus);
    struct msg_planned_job *jobs = xcalloc(count, sizeof(*jobs));
    int32_t *ranks = xcalloc((size_t)gpus, sizeof(*ranks));
    struct msg_plan plan = {.round = ++self->round, .fast_forward = true, .jobs = jobs};
    struct writer out;

    for (int64_t i = 0; i < gpus; i++)
        ranks[i] = (int32_t)i;
    for (size_t i = 0; i < count; i++) {
        const size_t place = (i + self->round) % count;

        jobs[i] = (struct msg_planned_job){.job = i + 1,
                                           .name = "job",
                                           .model = "resnet50",
                                           .batch_size = 128,
                                           .iterations = 1000000,
                                           .step = (int64_t)self->round,
                                           .rate = 1,
                                           .rank_count = (size_t)self->jobs_of_gpus,
                                           .ranks = &ranks[place * (size_t)self->jobs_of_gpus]};
    }
    plan.job_count = count;
    msg_plan_pack(&plan, &out);
    link_client_send(self->scheduler, &out);
    free(ranks);
    free(jobs);
}

/* ---- waiting ---- */

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

/* Turns the loop until `*value` is at least `wanted`; returns the seconds taken. */
static double until(struct load *self, const int64_t *value, int64_t wanted, double started_s)
{
    while (*value < wanted && !self->failed) {
        const int timer = zloop_timer(self->loop, 1, 1, leave, self);

        (void)zloop_start(self->loop);
        zloop_timer_end(self->loop, timer);
    }
    return clock_now_s() - started_s;
}

static bool register_all(struct load *self)
{
    static const struct link_client_calls calls = {on_hello, on_message, on_gone};
    static const struct link_client_calls scheduler_calls = {
        on_scheduler_hello, on_scheduler_message, on_scheduler_gone};
    const struct link_client_setting setting = {
        .endpoint = self->endpoint, .heartbeat_ms = HEARTBEAT_MS, .server = "master"};
    const double started_s = clock_now_s();
    struct error error;
    double took_s;

    for (int64_t i = 0; i < self->workers; i++) {
        struct stub *stub = &self->stubs[i];

        stub->load = self;
        stub->parts = xcalloc((size_t)(2 * self->gpus), sizeof(*stub->parts));
        (void)snprintf(stub->name, sizeof(stub->name), "w%" PRId64, i);
        stub->link = link_client_new(self->loop, &setting, &calls, stub, &error);
        if (!stub->link) {
            (void)fprintf(stderr, "master_load: %s\n", error.text);
            return false;
        }
    }
    took_s = until(self, &self->registered, self->workers, started_s);
    print_row("workers registered", self->workers, took_s * 1000, "ms", REGISTERED_MS_MAX,
              took_s * 1000 <= REGISTERED_MS_MAX);
    self->scheduler = link_client_new(self->loop, &setting, &scheduler_calls, self, &error);
    (void)until(self, &self->nodes_up, self->workers, started_s);
    return !self->failed;
}

static void measure_plans(struct load *self)
{
    double *took_ms = xcalloc((size_t)self->plans, sizeof(*took_ms));
    double median_ms;

    for (int64_t i = 0; i < self->plans; i++) {
        const double started_s = clock_now_s();

        send_plan(self);
        took_ms[i] =
            1000 * until(self, (const int64_t *)&self->settled, (int64_t)self->round, started_s);
    }
    median_ms = self->plans > 1 ? samples_median(took_ms + 1, (size_t)self->plans - 1) : took_ms[0];
    print_row("GPUs that a plan changes", self->workers * self->gpus, median_ms, "ms", PLAN_MS_MAX,
              median_ms <= PLAN_MS_MAX);
    free(took_ms);
}

/* Measures the rate of heartbeats with all parts, each of which is answered. */
static void measure_flood(struct load *self)
{
    const int64_t wanted = self->answers + self->workers * self->beats;
    const double started_s = clock_now_s();
    double took_s;
    double rate;

    for (int64_t k = 0; k < self->beats; k++)
        for (int64_t i = 0; i < self->workers; i++)
            beat(&self->stubs[i]);
    took_s = until(self, &self->answers, wanted, started_s);
    rate = (double)(self->workers * self->beats) / took_s;
    print_row("heartbeats answered", self->workers * self->beats, rate, "1/s", RATE_MIN,
              rate >= RATE_MIN);
}

static void say_goodbye(struct load *self)
{
    struct writer out;

    msg_goodbye_pack("measured", &out);
    link_client_send(self->scheduler, &out);
    link_client_destroy(&self->scheduler);
    for (int64_t i = 0; i < self->workers; i++) {
        link_client_destroy(&self->stubs[i].link);
        free(self->stubs[i].parts);
    }
}

int main(int argc, char **argv)
{
    struct load self = {
        .port = 6888, .workers = 256, .gpus = 8, .jobs_of_gpus = 1, .plans = 11, .beats = 100};
    const struct option_spec options[] = {
        OPTION_WHOLE("port", "PORT", &self.port, 1, 65535, "of the master, on this machine"),
        OPTION_WHOLE("workers", "N", &self.workers, 1, 4096, "that there are"),
        OPTION_WHOLE("gpus", "N", &self.gpus, 1, 1024, "of each"),
        OPTION_WHOLE("gpus-of-a-job", "N", &self.jobs_of_gpus, 1, 65536, "in each plan"),
        OPTION_WHOLE("plans", "N", &self.plans, 1, 1000, "the median of all but the first counts"),
        OPTION_WHOLE("beats", "N", &self.beats, 1, 1000000, "heartbeats of each worker at once"),
        OPTION_END,
    };
    const struct command command = {
        .name = "master_load",
        .summary = "Measure a master among many workers that answer at once",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);

    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    (void)snprintf(self.endpoint, sizeof(self.endpoint), "tcp://127.0.0.1:%" PRId64, self.port);
    zsys_init();
    zsys_handler_set(NULL);
    zsys_set_max_sockets(0);
    self.stubs = xcalloc((size_t)self.workers, sizeof(*self.stubs));
    self.loop = zloop_new();
    if (register_all(&self)) {
        measure_plans(&self);
        measure_flood(&self);
        say_goodbye(&self);
    }
    zloop_destroy(&self.loop);
    free(self.stubs);
    return self.failed ? 1 : 0;
}
