/* profile.c - `rubato profile`: measures how fast a command trains on 1, 2, 4 ... of the service's
 * own GPUs, and has the service keep the rates.
 *
 * Each measurement is a job without a deadline, which takes only GPUs that no promise needs. The
 * job is cancelled once its trainers report their rate. */
#include "common/input.h"
#include "common/json_text.h"
#include "common/plural.h"
#include "scheduler/state/throughput.h"
#include "tools/service/answer.h"
#include "tools/service/call.h"
#include "tools/service/job_options.h"
#include "tools/verbs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_S 1 /* pause between two looks at a job that does not train yet */

/* More iterations than any measured job does. */
#define ITERATIONS 100000000

/* The rate by which a job is planned before it reports its own. For a program that reports no rate
 * the worker reports this one, whose digits no program reaches by chance. */
#define PLANNED_RATE "0.123456789"

#define GPUS_MAX   65536
#define LEVELS_MAX 17

struct level {
    int64_t job;
    int64_t gpus;
    double rate;
    double start_s;
};

struct profile {
    struct call call; /* without --json, because this file reads the answers */
    const struct command *command;
    const struct job_options *job;
    const struct operands *words;
    service_client_t *client;
    int64_t gpus_up;
    struct level levels[LEVELS_MAX];
    int level_count;

    /* number of the measured job, 0 for none */
    int64_t number;
    bool waits;
    bool trains;
    bool over;
    char reason[512];
};

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static int ask(struct profile *self, const char *verb, json_t *document, call_show *show)
{
    struct call_request request = {
        .verb = verb, .document = document, .show = show, .argument = self};

    return call_ask(&self->call, self->command, self->client, &request);
}

static struct profile *profile_of(const struct call_request *request)
{
    return (struct profile *)(uintptr_t)request->argument;
}

static int fail(struct profile *self, const struct error *error)
{
    (void)options_fail(self->command, error);
    return ANSWER_FAILED;
}

/* ---- answers ---- */

static int read_status(const struct call_request *request, const struct answer *answer,
                       struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);

    profile_of(request)->gpus_up = fields_whole(&fields, "gpus_up");
    return fields_close(&fields, error);
}

static int read_submitted(const struct call_request *request, const struct answer *answer,
                          struct error *error)
{
    struct fields fields = fields_of(request->verb, answer->object);

    profile_of(request)->number = fields_whole(&fields, "job");
    return fields_close(&fields, error);
}

static int read_shown(const struct call_request *request, const struct answer *answer,
                      struct error *error)
{
    struct profile *self = profile_of(request);
    struct fields fields = fields_of(request->verb, answer->object);
    struct level *level = &self->levels[self->level_count];
    const char *sentence = fields_text_or_null(&fields, "sentence");

    self->reason[0] = '\0';
    if (sentence)
        (void)input_printable(self->reason, sizeof(self->reason), sentence, strlen(sentence));
    self->waits = !strcmp(fields_text(&fields, "state"), "waiting");
    self->over = fields_has(&fields, "ended");
    self->trains = fields_has(&fields, "rate");
    if (self->trains) {
        level->rate = fields_real(&fields, "rate");
        level->start_s = fields_real(&fields, "start_s");
    }
    return fields_close(&fields, error);
}

static int read_nothing(const struct call_request *request, const struct answer *answer,
                        struct error *error)
{
    (void)request;
    (void)answer;
    (void)error;
    return 0;
}

/* ---- the measurement of one number of GPUs ---- */

static json_t *job_on(const struct profile *self, int64_t gpus, struct error *error)
{
    struct job_options job = *self->job;
    char name[THROUGHPUT_MODEL_BYTES_MAX + 32];
    char rate[64];
    char *rates[] = {rate};
    json_t *document;

    (void)snprintf(name, sizeof(name), "profile-%s", job.said.model);
    (void)snprintf(rate, sizeof(rate), "%" PRId64 ":" PLANNED_RATE, gpus);
    job.said.name = name;
    job.said.iterations = ITERATIONS;
    job.said.gpus_min = job.said.gpus_max = gpus;
    document = job_options_document(&job, self->words->items, self->words->count, error);
    if (document)
        (void)job_options_add_list(document, "rates", (const char *const *)rates, 1, error);
    return document;
}

static json_t *job_named(const struct profile *self)
{
    return json_pack("{s:I}", "job", (json_int_t)self->number);
}

/* Asks for the job and tells why it waits, each time that the reason changes. */
static int look(struct profile *self)
{
    char before[sizeof(self->reason)];
    int status;

    memcpy(before, self->reason, sizeof(before));
    status = ask(self, "show", job_named(self), read_shown);
    if (status == 0 && self->waits && strcmp(before, self->reason) != 0)
        (void)fprintf(stderr, "job %" PRId64 ", on %" PRId64 " GPU%s: %s\n", self->number,
                      self->levels[self->level_count].gpus,
                      PLURAL(self->levels[self->level_count].gpus), self->reason);
    return status;
}

static int submit(struct profile *self, int64_t gpus)
{
    struct error error;
    json_t *document = job_on(self, gpus, &error);

    self->number = 0;
    self->trains = self->over = false;
    self->reason[0] = '\0';
    self->levels[self->level_count] = (struct level){.gpus = gpus};
    return document ? ask(self, "submit", document, read_submitted) : fail(self, &error);
}

/* Cancels the job and waits for its end, so that its GPUs are free for the next measurement. */
static int cancel(struct profile *self)
{
    int status = 0;

    if (!self->over)
        status = ask(self, "cancel", job_named(self), read_nothing);
    while (status == 0 && !self->over) {
        status = ask(self, "show", job_named(self), read_shown);
        if (!self->over)
            (void)sleep(POLL_S);
    }
    return status;
}

static int judge(struct profile *self)
{
    const double planned = strtod(PLANNED_RATE, NULL);
    const struct level *level = &self->levels[self->level_count];
    struct error error;

    if (self->over && !self->trains)
        (void)error_set(&error, "job %" PRId64 " ended before it said how fast it is: %s",
                        self->number, self->reason);
    else if (stop_asked)
        (void)error_set(&error, "stopped; no rate was kept");
    else if (!(level->rate > 0) || level->rate == planned)
        (void)error_set(&error, "the command does not say how fast it trains: it is to send "
                                "\"stable STEP rate RATE\", see rubato-launch(7)");
    else
        return 0;
    return fail(self, &error);
}

static int measure(struct profile *self, int64_t gpus)
{
    struct level level;
    int status = submit(self, gpus);

    if (status != 0)
        return status;
    while ((status = look(self)) == 0 && !self->trains && !self->over && !stop_asked)
        (void)sleep(POLL_S);
    if (status == 0)
        status = judge(self);
    level = self->levels[self->level_count];
    level.job = self->number;
    if (cancel(self) != 0)
        return ANSWER_FAILED;
    self->levels[self->level_count] = level;
    if (status == 0)
        self->level_count++;
    return status;
}

/* ---- all measurements ---- */

static int measure_all(struct profile *self, int64_t gpus_min, int64_t gpus_max)
{
    int status = ask(self, "status", json_object(), read_status);

    if (gpus_max == 0 || gpus_max > self->gpus_up)
        gpus_max = self->gpus_up;
    for (int64_t gpus = 1; status == 0 && gpus <= gpus_max; gpus *= 2)
        if (gpus >= gpus_min && self->job->said.batch_size % gpus == 0)
            status = measure(self, gpus);
    return status;
}

static void print(const struct profile *self)
{
    printf("GPUS  ITERATIONS/S  START\n");
    for (int i = 0; i < self->level_count; i++)
        printf("%4" PRId64 "  %12.6g  %.1f s\n", self->levels[i].gpus, self->levels[i].rate,
               self->levels[i].start_s);
}

static void print_json(const struct profile *self)
{
    json_t *root =
        json_pack("{s:i, s:s, s:I, s:[]}", "schema_version", 1, "model", self->job->said.model,
                  "batch_size", (json_int_t)self->job->said.batch_size, "levels");

    for (int i = 0; i < self->level_count; i++)
        json_array_append_new(json_object_get(root, "levels"),
                              json_pack("{s:I, s:f, s:f}", "gpus", (json_int_t)self->levels[i].gpus,
                                        "rate", self->levels[i].rate, "start_s",
                                        self->levels[i].start_s));
    (void)json_print(root);
    json_decref(root);
}

/* Has the service keep the rates. The request names the measured jobs only, because the service has
 * heard the rates from their trainers. */
static int keep(struct profile *self)
{
    json_t *jobs = json_array();

    for (int i = 0; i < self->level_count; i++)
        json_array_append_new(jobs, json_integer(self->levels[i].job));
    return ask(self, "learn",
               json_pack("{s:s, s:I, s:o}", "model", self->job->said.model, "batch_size",
                         (json_int_t)self->job->said.batch_size, "jobs", jobs),
               read_nothing);
}

static int check(const struct profile *self, struct error *error)
{
    if (!self->job->said.model)
        return error_set(error, "--model is missing: the name of the model");
    if (self->words->count == 0)
        return error_set(error, "expected a command after --");
    return 0;
}

static int profile(struct profile *self, int64_t gpus_min, int64_t gpus_max, bool json)
{
    struct error error;
    int status;

    if (check(self, &error) < 0)
        return options_fail(self->command, &error);
    self->client = call_open(&self->call, self->command);
    if (!self->client)
        return ANSWER_FAILED;
    (void)signal(SIGINT, ask_to_stop);
    (void)signal(SIGTERM, ask_to_stop);
    status = measure_all(self, gpus_min, gpus_max);
    if (status == 0 && self->level_count == 0) {
        (void)error_set(&error,
                        "no number of GPUs that is up, asked for and divides the batch of %" PRId64,
                        self->job->said.batch_size);
        status = fail(self, &error);
    }
    if (status == 0)
        status = keep(self);
    if (status == 0)
        (json ? print_json : print)(self);
    client_destroy(&self->client);
    return status;
}

int verb_profile(int argc, char **argv)
{
    struct job_options job = {.said = {.batch_size = 64}};
    struct operands words = {NULL, 0};
    struct profile self = {.call = CALL_DEFAULT, .job = &job, .words = &words};
    int64_t gpus_min = 1;
    int64_t gpus_max = 0;
    const struct option_spec options[] = {
        OPTION_TEXT("model", "MODEL", &job.said.model, "what to call it"),
        OPTION_WHOLE("batch-size", "SAMPLES", &job.said.batch_size, 1, 100000000,
                     "global batch size that the command trains with"),
        OPTION_WHOLE("min-gpus", "GPUS", &gpus_min, 1, GPUS_MAX, "the fewest to measure"),
        OPTION_WHOLE("max-gpus", "GPUS", &gpus_max, 0, GPUS_MAX,
                     "the most to measure, 0 for all that are up"),
        OPTION_TEXT("folder", "DIR", &job.said.folder, FOLDER_HELP),
        OPTION_LIST("environment", "NAME[=VALUE]", &job.environment, ENVIRONMENT_HELP),
        OPTIONS_OF_CALL(&self.call),
        OPTION_END,
    };
    const struct command command = {
        .name = "rubato profile",
        .summary = "Measure how fast a command trains",
        .operands = "-- COMMAND...",
        .text = "Runs COMMAND on 1, 2, 4 ... GPUs of the service until it says how fast it is, as "
                "rubato-launch(7) has it, and keeps that as a measured profile, which `rubato "
                "profiles` lists. It takes only GPUs that no promise needs.",
        .options = options,
    };
    int status;

    self.command = &command;
    if (call_parse(&self.call, &command, argc, argv, &words, &status) == 0) {
        const bool json = self.call.json;

        self.call.json = false;
        status = profile(&self, gpus_min, gpus_max, json);
    }
    free(words.items);
    return status;
}
