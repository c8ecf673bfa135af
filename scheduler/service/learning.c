/* learning.c - the verb that teaches how fast a model trains: as its user claims, or as trainers of
 * jobs have reported. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/service/rates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "rate" /* of documents: the last reported rate of a job, under its row */

/* ---- what trainers say ---- */

/* Whether the reported rate was measured. Trainers that measure nothing report the rate by which
 * they were planned. */
static bool is_measured(const struct trained_job *trained, const struct msg_job_report *report,
                        int batch_size)
{
    const bool again = trained->training && trained->rate == report->rate &&
                       trained->incarnation == (int64_t)report->incarnation;

    return !again && !report->emulated && report->round >= trained->moved_round &&
           report->rate != trained->expected_rate &&
           rates_may_have((int)trained->rank_count, report->rate, batch_size);
}

void learning_hear(struct serving *self, const struct msg_job_report *report)
{
    const uint32_t row = job_number_row(report->job);
    const struct entry *entry = ledger_find(self->ledger, row);
    const struct trained_job *trained = capacity_job(self->capacity, report->job);
    struct error ignored;
    char body[96];

    if (!entry || !entry->submission || !trained ||
        !is_measured(trained, report, entry->submission->batch_size) ||
        steps_open(self, &ignored) < 0)
        return;
    (void)snprintf(body, sizeof(body), "{\"gpus\": %zu, \"rate\": %.17g}", trained->rank_count,
                   report->rate);
    (void)journal_put_number(self->journal, KIND, row, body, &ignored);
}

/* ---- a lesson ---- */

struct lesson {
    const char *model;
    int64_t batch_size;
    struct words rates;
    struct wholes jobs;
};

static const struct form_field fields[] = {
    {"model", FORM_TEXT, offsetof(struct lesson, model), 0, THROUGHPUT_MODEL_BYTES_MAX, true},
    {"batch_size", FORM_WHOLE, offsetof(struct lesson, batch_size), 1, BATCH_SIZE_MAX, true},
    {"rates", FORM_WORDS, offsetof(struct lesson, rates), 0, 64, false},
    {"jobs", FORM_WHOLES, offsetof(struct lesson, jobs), 1, UINT32_MAX, false},
    {0}};

/* Replaces the rate of the row on `gpus` GPUs, or inserts a level for that number. */
static void add_level(struct throughput_row *row, int gpus, double rate)
{
    int at = 0;

    while (at < row->level_count && row->gpus[at] < gpus)
        at++;
    if (at == row->level_count || row->gpus[at] != gpus) {
        const size_t after = (size_t)(row->level_count - at);

        memmove(&row->gpus[at + 1], &row->gpus[at], after * sizeof(row->gpus[0]));
        memmove(&row->iters_per_s[at + 1], &row->iters_per_s[at],
                after * sizeof(row->iters_per_s[0]));
        row->level_count++;
    }
    row->gpus[at] = gpus;
    row->iters_per_s[at] = rate;
}

static int add_measured(struct serving *self, const struct entry *entry, const char *key,
                        struct throughput_row *row, struct error *error)
{
    const struct submission *job = entry->submission;
    const char *body;
    const int got = journal_get(self->journal, KIND, key, &body, error);
    json_t *said = got > 0 ? json_loads(body, 0, NULL) : NULL;
    const int gpus = (int)json_integer_value(json_object_get(said, "gpus"));
    const double rate = json_number_value(json_object_get(said, "rate"));
    int status = -1;

    json_decref(said);
    if (strcmp(job->model, row->model) != 0 || job->batch_size != row->batch_size)
        error_set(error, "job %s is of model %s at batch size %d", key, job->model,
                  job->batch_size);
    else if (got == 0)
        error_set(error, "the trainers of job %s have not said how fast they are", key);
    else if (got > 0 && rates_may_have(gpus, rate, row->batch_size)) {
        add_level(row, gpus, rate);
        status = 0;
    }
    return status;
}

/* Adds the measured rates of all jobs of the lesson to the row. False, with the request answered,
 * if a job is not the asking user's or was not measured. */
static bool add_jobs(struct serving *self, struct request **request, const struct lesson *lesson,
                     struct throughput_row *row)
{
    for (size_t i = 0; i < lesson->jobs.count; i++) {
        const struct entry *entry = verbs_entry(self, request, lesson->jobs.items[i], true);
        struct error error = {.text = "what the trainers of a job said cannot be read any more"};
        char key[24];

        if (!entry)
            return false;
        (void)snprintf(key, sizeof(key), "%" PRId64, lesson->jobs.items[i]);
        if (add_measured(self, entry, key, row, &error) < 0) {
            clients_fail(self->clients, request, ANSWER_FAILED, "%s", error.text);
            return false;
        }
    }
    return true;
}

static int read_lesson(const char *document, struct lesson *lesson, struct throughput_row *row,
                       arena_t *texts, struct error *error)
{
    if (form_read(document, fields, lesson, texts, error) < 0)
        return -1;
    if (!throughput_is_model_name(lesson->model, strlen(lesson->model)))
        return error_set(error, "field \"model\": expected " THROUGHPUT_MODEL_EXPECTED);
    if ((lesson->rates.count > 0) == (lesson->jobs.count > 0))
        return error_set(error, "fields \"rates\" and \"jobs\": expected one of them");
    *row = (struct throughput_row){.model = lesson->model, .batch_size = (int)lesson->batch_size};
    return lesson->jobs.count > 0
               ? 0
               : rates_read(&lesson->rates, lesson->model, row->batch_size, row, error);
}

/* The profile that the lesson makes: for all users if an operator teaches it, else for the asking
 * user. */
static struct profile profile_of(const struct serving *self, const struct request *request,
                                 const struct lesson *lesson, const struct throughput_row *row)
{
    const client_t *client = request->client;

    return (struct profile){.owner =
                                client_role(client) == ROLE_OPERATE ? NULL : client_user(client),
                            .measured = lesson->jobs.count > 0,
                            .row = *row,
                            .by = client_user(client),
                            .at = self->epoch + serving_now_s(self)};
}

/* The profile is kept: jobs that are submitted from now on are planned by it. */
static void answer_learned(struct serving *self, struct change *change)
{
    struct lesson lesson = {0};
    struct throughput_row row = {0};
    arena_t *texts = arena_new();
    const struct profile *learnt;
    struct profile profile;
    struct error error;

    (void)read_lesson(change->request->document, &lesson, &row, texts, &error);
    profile = profile_of(self, change->request, &lesson, &row);
    learnt = profiles_learn(self->profiles, &profile, &error);
    if (learnt)
        clients_answer(self->clients, &change->request, ANSWER_DONE,
                       profiling_json(self, change->request->client, learnt));
    else
        clients_fail(self->clients, &change->request, ANSWER_FAILED, "%s", error.text);
    arena_destroy(&texts);
    free(change);
}

static void note_learned(struct serving *self, const struct request *request,
                         const struct profile *profile)
{
    char text[THROUGHPUT_MODEL_BYTES_MAX + USER_MAX + 128];

    (void)snprintf(text, sizeof(text), "how fast %s trains at batch size %d, as %s by user %s%s",
                   profile->row.model, profile->row.batch_size, profiling_kind(profile),
                   profile->by, profile->owner ? "" : ", for all");
    noting_order(self, request->client, 0, "learnt", text);
}

void learning_learn(struct serving *self, struct request *request)
{
    struct lesson lesson = {0};
    struct throughput_row row;
    arena_t *texts = arena_new();
    struct error error;

    if (read_lesson(request->document, &lesson, &row, texts, &error) < 0) {
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    } else if (add_jobs(self, &request, &lesson, &row)) {
        const struct profile profile = profile_of(self, request, &lesson, &row);

        if (steps_open(self, &error) < 0 || profiles_put(self->profiles, &profile, &error) < 0) {
            clients_fail(self->clients, &request, ANSWER_FAILED, "%s; nothing was done",
                         error.text);
        } else {
            note_learned(self, request, &profile);
            steps_await(self, &request, 0, false, answer_learned);
        }
    }
    arena_destroy(&texts);
}
