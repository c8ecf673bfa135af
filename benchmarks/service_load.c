/* service_load.c - how many requests a second a service takes from many clients, and how long each
 * waits for its answer.
 *
 * The scheduler is the program itself, started by benchmarks/run.sh; here are its clients, one loop
 * for all of them. Each has some requests in flight and sends the next one with each answer. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"
#include "protocol/client_scheduler.h"
#include "protocol/link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEARTBEAT_MS 1000
#define DOCUMENT     640

struct client {
    struct load *load;
    link_client_t *link;
    char name[32];
    double *sent_s; /* by number of the request */
    uint64_t sent;
    bool welcome;
};

/* Latencies of requests that were not refused as busy, and the number of refused requests. */
struct tally {
    double *took_ms;
    size_t count;
    size_t busy;
    size_t failed;
};

struct load {
    const char *name;
    const char *socket;
    const char *verb;
    int64_t clients;
    int64_t in_flight; /* requests in flight of each client */
    int64_t requests;  /* requests of all clients together */
    int64_t pace;      /* most requests a second, 0 for as fast as answers come */
    int64_t first;     /* number of the first job asked about; seeds the keys of those submitted */
    int64_t percent;   /* percentage of jobs with a deadline */
    int64_t rate_min;
    int64_t ms_max;
    int64_t watch_ms; /* time between questions of one more client for the status */
    bool verdict_only;
    bool overload; /* the target is that some requests are refused, and the watch is answered */
    char endpoint[512];
    zloop_t *loop;
    struct client *stubs; /* the last client watches */
    int64_t there;
    int64_t sent;
    int64_t answered;
    struct tally tally;
    struct tally watched;
    bool broken;
};

/* ---- requests ---- */

static void write_submit(const struct load *self, int64_t number, char text[DOCUMENT])
{
    static const char *const models[] = {"resnet50", "vgg16", "inception3"};
    const char *wanted = self->verdict_only ? ", \"verdict_only\": true" : "";
    char deadline[48] = "";

    if (number % 100 < self->percent)
        (void)snprintf(deadline, sizeof(deadline), ", \"deadline_in\": %" PRId64,
                       36000 + number * 7919 % 864000);
    (void)snprintf(text, DOCUMENT,
                   "{\"name\": \"load-%" PRId64 "\", \"key\": \"%d-%" PRId64
                   "\", \"model\": \"%s\", \"batch_size\": 128, \"iterations\": %" PRId64
                   ", \"gpus_max\": 8, \"command\": [\"python3\", \"train.py\", \"--epochs\", "
                   "\"90\"], \"folder\": \"/home/user/project\"%s%s}",
                   number, (int)getpid(), number, models[number % 3],
                   20000 + number * 104729 % 400000, deadline, wanted);
}

static void write_document(const struct load *self, const char *verb, int64_t number,
                           char text[DOCUMENT])
{
    if (!strcmp(verb, "submit"))
        write_submit(self, number, text);
    else if (!strcmp(verb, "explain") || !strcmp(verb, "show"))
        (void)snprintf(text, DOCUMENT, "{\"job\": %" PRId64 "}", number);
    else
        (void)snprintf(text, DOCUMENT, "{}");
}

static void ask(struct client *client, const char *verb, int64_t number)
{
    char text[DOCUMENT];
    struct writer out;

    write_document(client->load, verb, number, text);
    client->sent_s[client->sent] = clock_now_s();
    msg_request_pack(&(struct msg_request){client->sent++, verb, text}, &out);
    link_client_send(client->link, &out);
}

static void ask_next(struct client *client)
{
    struct load *self = client->load;

    if (self->sent < self->requests)
        ask(client, self->verb, self->first + self->sent++);
}

/* ---- answers ---- */

static bool is_watch(const struct client *client)
{
    return client == &client->load->stubs[client->load->clients];
}

static int on_answer(struct client *client, reader_t *in, struct error *error)
{
    struct load *self = client->load;
    struct tally *tally = is_watch(client) ? &self->watched : &self->tally;
    struct msg_answer answer;

    if (msg_answer_unpack(in, &answer, error) < 0)
        return -1;
    if (answer.code == ANSWER_BUSY && strstr(answer.document, "retry_after_s"))
        tally->busy++;
    else
        tally->took_ms[tally->count++] = 1000 * (clock_now_s() - client->sent_s[answer.number]);
    if (answer.code != ANSWER_DONE && answer.code != ANSWER_BUSY &&
        answer.code != ANSWER_DECLINED && tally->failed++ == 0)
        (void)fprintf(stderr, "service_load: %s: %s\n", self->verb, answer.document);
    if (!is_watch(client)) {
        self->answered++;
        if (self->pace == 0)
            ask_next(client);
    }
    return 0;
}

static int on_message(void *owner, int type, reader_t *in, struct error *error)
{
    struct client *client = owner;

    if (type == MSG_ANSWER)
        return on_answer(client, in, error);
    if (type == MSG_WELCOME) {
        client->load->there += !client->welcome;
        client->welcome = true;
    }
    return 0;
}

static void say_hello(void *owner, uint32_t version, struct writer *out)
{
    const struct client *client = owner;

    msg_hello_pack(&(struct msg_hello){.version = version, .role = "client", .name = client->name},
                   0, out);
}

static bool on_gone(void *owner, const char *cause, enum refusal_code refused)
{
    struct client *client = owner;

    (void)refused;
    if (client->welcome) {
        (void)fprintf(stderr, "service_load: %s: %s\n", client->name, cause);
        client->load->broken = true;
    }
    return true;
}

/* ---- the loop ---- */

static int on_beat(zloop_t *loop, int timer, void *owner)
{
    struct load *self = owner;

    (void)loop;
    (void)timer;
    for (int64_t i = 0; i <= self->clients; i++) {
        struct writer beat;

        msg_bare_pack(MSG_HEARTBEAT, &beat);
        link_client_send(self->stubs[i].link, &beat);
    }
    return 0;
}

/* Sends the requests for a hundredth of a second. */
static int on_pace(zloop_t *loop, int timer, void *owner)
{
    struct load *self = owner;
    const int64_t room = self->clients * self->in_flight - (self->sent - self->answered);

    (void)loop;
    (void)timer;
    for (int64_t i = 0; i < self->pace / 100 && i < room; i++)
        ask_next(&self->stubs[self->sent % self->clients]);
    return 0;
}

static int on_watch(zloop_t *loop, int timer, void *owner)
{
    struct load *self = owner;
    struct client *watch = &self->stubs[self->clients];

    (void)loop;
    (void)timer;
    if (watch->sent == self->watched.count + self->watched.busy &&
        watch->sent < (uint64_t)self->requests)
        ask(watch, "status", 0);
    return 0;
}

static int leave(zloop_t *loop, int timer, void *owner)
{
    (void)loop;
    (void)timer;
    (void)owner;
    return -1;
}

static void until(struct load *self, const int64_t *value, int64_t wanted)
{
    while (*value < wanted && !self->broken) {
        const int timer = zloop_timer(self->loop, 5, 1, leave, self);

        (void)zloop_start(self->loop);
        zloop_timer_end(self->loop, timer);
    }
}

static int open_clients(struct load *self, struct error *error)
{
    static const struct link_client_calls calls = {say_hello, on_message, on_gone};
    const struct link_client_setting setting = {
        .endpoint = self->endpoint, .heartbeat_ms = HEARTBEAT_MS, .peers = LINK_PEERS_ANY_USER};

    for (int64_t i = 0; i <= self->clients; i++) {
        struct client *client = &self->stubs[i];

        client->load = self;
        client->sent_s = xcalloc((size_t)self->requests + 1, sizeof(*client->sent_s));
        (void)snprintf(client->name, sizeof(client->name), "l-%d-%" PRId64, (int)getpid(), i);
        client->link = link_client_new(self->loop, &setting, &calls, client, error);
        if (!client->link)
            return -1;
        /* A restarted service is silent while it reads its state. */
        link_client_set_heartbeat(client->link, INT64_C(60) * HEARTBEAT_MS);
    }
    until(self, &self->there, self->clients + 1);
    return 0;
}

static void close_clients(struct load *self)
{
    for (int64_t i = 0; i <= self->clients; i++) {
        struct writer out;

        msg_goodbye_pack("measured", &out);
        link_client_send(self->stubs[i].link, &out);
        link_client_destroy(&self->stubs[i].link);
        free(self->stubs[i].sent_s);
    }
    free(self->tally.took_ms);
    free(self->watched.took_ms);
}

/* ---- figures ---- */

static double percentile(struct tally *tally, double part)
{
    if (tally->count == 0)
        return 0;
    (void)samples_median(tally->took_ms, tally->count); /* sorts `took_ms` */
    return tally->took_ms[(size_t)(part * (double)(tally->count - 1))];
}

static void print_row(struct load *self, double took_s)
{
    const double rate = (double)self->answered / took_s;
    const double p99 = percentile(&self->tally, 0.99);
    const double watched = percentile(&self->watched, 0.99);
    bool met = (self->rate_min == 0 || rate >= (double)self->rate_min) && self->tally.failed == 0;

    if (self->overload)
        met = met && self->tally.busy > 0 && self->watched.busy == 0 &&
              watched <= (double)self->ms_max;
    else
        met = met && (self->ms_max == 0 || p99 <= (double)self->ms_max);
    printf("{\"service\": \"%s\", \"clients\": %" PRId64 ", \"asked\": %" PRId64
           ", \"busy\": %zu, \"per_s\": %.0f, \"target\": %" PRId64
           ", \"p50_ms\": %.1f, \"p99_ms\": %.1f, \"max_ms\": %.1f, \"status_p99_ms\": %.1f, "
           "\"target_ms\": %" PRId64 ", \"met\": %s}\n",
           self->name, self->clients, self->requests, self->tally.busy, rate, self->rate_min,
           percentile(&self->tally, 0.5), p99, percentile(&self->tally, 1), watched, self->ms_max,
           met ? "true" : "false");
}

static void measure(struct load *self)
{
    const double started_s = clock_now_s();

    (void)zloop_timer(self->loop, HEARTBEAT_MS, 0, on_beat, self);
    if (self->watch_ms > 0)
        (void)zloop_timer(self->loop, (size_t)self->watch_ms, 0, on_watch, self);
    if (self->pace > 0)
        (void)zloop_timer(self->loop, 10, 0, on_pace, self);
    for (int64_t k = 0; k < self->in_flight && self->pace == 0; k++)
        for (int64_t i = 0; i < self->clients; i++)
            ask_next(&self->stubs[i]);
    until(self, &self->answered, self->requests);
    if (!self->broken)
        print_row(self, clock_now_s() - started_s);
}

static int run(struct load *self)
{
    struct error error;

    (void)snprintf(self->endpoint, sizeof(self->endpoint), "ipc://%s", self->socket);
    zsys_init();
    zsys_handler_set(NULL);
    zsys_set_max_sockets(0);
    self->stubs = xcalloc((size_t)self->clients + 1, sizeof(*self->stubs));
    self->tally.took_ms = xcalloc((size_t)self->requests, sizeof(double));
    self->watched.took_ms = xcalloc((size_t)self->requests + 1, sizeof(double));
    self->loop = zloop_new();
    if (open_clients(self, &error) < 0) {
        (void)fprintf(stderr, "service_load: %s\n", error.text);
        return 1;
    }
    measure(self);
    close_clients(self);
    zloop_destroy(&self->loop);
    free(self->stubs);
    return self->broken ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct load self = {
        .name = "", .verb = "submit", .clients = 1, .in_flight = 1, .requests = 100, .first = 1};
    const struct option_spec options[] = {
        OPTION_TEXT("name", "TEXT", &self.name, "of the row"),
        OPTION_TEXT("socket", "PATH", &self.socket, "of the service"),
        OPTION_TEXT("verb", "VERB", &self.verb, "that is asked"),
        OPTION_WHOLE("clients", "N", &self.clients, 1, 4096, "that ask"),
        OPTION_WHOLE("in-flight", "N", &self.in_flight, 1, 65536, "requests of each client"),
        OPTION_WHOLE("requests", "N", &self.requests, 1, 10000000, "of all clients"),
        OPTION_WHOLE("pace", "N", &self.pace, 0, 1000000, "requests a second at most, 0: no limit"),
        OPTION_WHOLE("first", "N", &self.first, 1, UINT32_MAX, "number of the first job"),
        OPTION_WHOLE("deadlines", "PERCENT", &self.percent, 0, 100, "of the jobs have one"),
        OPTION_WHOLE("rate", "N", &self.rate_min, 0, 10000000, "answers a second, the target"),
        OPTION_WHOLE("ms", "MS", &self.ms_max, 0, 1000000, "99th percentile, the target"),
        OPTION_WHOLE("watch", "MS", &self.watch_ms, 0, 1000000,
                     "one more client asks for the status so often"),
        OPTION_SWITCH("verdict-only", &self.verdict_only,
                      "deadlines that are not promised are answered without the earliest one"),
        OPTION_SWITCH("overload", &self.overload,
                      "some are to be refused as busy, and --ms is for the status"),
        OPTION_END,
    };
    const struct command command = {
        .name = "service_load",
        .summary = "Measure a service under many requests",
        .options = options,
    };
    struct operands operands = {NULL, 0};
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);

    if (status != 0)
        return status < 0 ? options_fail(&command, &error) : 0;
    if (!self.socket) {
        (void)error_set(&error, "--socket is missing");
        return options_fail(&command, &error);
    }
    return run(&self);
}
