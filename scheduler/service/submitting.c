/* submitting.c - jobs that are submitted: from a request to a document in the journal, an entry of
 * the ledger, and a submission for the engine. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES (USER_MAX + JOB_LABEL_MAX + 2)

static struct submitting submitting_with(const struct serving *self, const char *user)
{
    return (struct submitting){
        .throughputs = self->inputs.throughputs[0],
        .pools = self->inputs.throughputs,
        .pool_count = self->inputs.setting.cluster.pool_count,
        .profiles = self->profiles,
        .user = user,
        .rows = self->rows,
        .cluster_gpus = cluster_spec_gpus(&self->inputs.setting.cluster),
        .epoch = self->epoch,
        .now_s = serving_now_s(self),
        .number = job_number_make(self->run, ledger_next(self->ledger)),
        .grace_s = holds_grace_s(self),
    };
}

/* Drops the past steps of a deadline. If all are past, the job is due as it arrives: no job may
 * arrive after its deadline. */
static void keep_deadline(struct submission *job, arena_t *kept, int64_t at_s)
{
    struct job_level *levels;

    while (job->level_count > 1 && job->levels->deadline_s < at_s) {
        job->levels++;
        job->level_count--;
        job->deadline_s = job->levels->deadline_s;
    }
    if (job->deadline_s >= at_s)
        return;
    levels = arena_alloc(kept, job->level_count * sizeof(*levels));
    memcpy(levels, job->levels, job->level_count * sizeof(*levels));
    levels->deadline_s = job->deadline_s = at_s;
    job->levels = levels;
}

const struct submission *submitting_stamp(struct serving *self, const struct submission *submission,
                                          int64_t at_s)
{
    arena_t *kept = ledger_texts(self->ledger);
    struct submission *job;

    if (submission->submit_s == at_s && submission->deadline_s >= at_s &&
        submission->parent_count == 0)
        return submission;
    job = arena_alloc(kept, sizeof(*job));
    *job = *submission;
    job->submit_s = at_s;
    keep_deadline(job, kept, at_s);
    parents_renew(self, job);
    return job;
}

/* ---- the answer ---- */

void submitting_answer(struct serving *self, struct change *change, json_t *answer)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);
    const bool declined =
        entry->standing == STANDING_DECLINED || entry->standing == STANDING_LAPSED;

    clients_answer(self->clients, &change->request, declined ? ANSWER_DECLINED : ANSWER_DONE,
                   answer);
    free(change);
}

/* Answers with the verdict, and, if the deadline was not promised, with the earliest one that would
 * be. */
void submitting_answer_decided(struct serving *self, struct change *change)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);
    const bool refused = entry->decided && !verdict_promises(&entry->verdict) &&
                         entry->submission->deadline_s != DEADLINE_NONE_S && !change->verdict_only;

    if (refused && clients_listens(change->request))
        earliest_tell(self, change);
    else
        submitting_answer(self, change, telling_verdict(self, entry));
}

/* ---- the same key again ---- */

static void write_key(char key[KEY_BYTES], const client_t *client, const char *own)
{
    (void)snprintf(key, KEY_BYTES, "%s/%s", client_user(client), own);
}

void submitting_await(struct serving *self, struct request **request,
                      const struct job_request *asked, uint32_t row, bool is_new)
{
    steps_await(self, request, row, is_new, submitting_answer_decided);
    self->changes->prev->verdict_only = asked->verdict_only;
}

/* Whether an earlier request had that key. If so, `request` is answered with what became of its
 * job, or failed. */
static bool answer_again(struct serving *self, struct request **request,
                         const struct job_request *asked)
{
    char key[KEY_BYTES];
    const char *body;
    struct error error;
    int found;

    write_key(key, (*request)->client, asked->key);
    found = journal_get(self->journal, "key", key, &body, &error);
    if (found == 0)
        return false;
    if (found < 0)
        clients_fail(self->clients, request, ANSWER_FAILED, "%s", error.text);
    else
        submitting_await(self, request, asked, (uint32_t)strtoul(body, NULL, 10), false);
    return true;
}

/* ---- taking a job ---- */

/* Stores the document of a job: its user, its time, the request, and the profile that plans it, as
 * the profile may be replaced later. */
static int keep_document(struct serving *self, const struct request *request,
                         const struct job_request *asked, const struct submission *job,
                         struct error *error)
{
    const char *user = client_user(request->client);
    const struct submitting with = submitting_with(self, user);
    const struct profile *profile = job_request_profile(asked, &with);
    json_t *document = json_pack("{s:s, s:I, s:o}", "user", user, "submitted",
                                 (json_int_t)self->epoch + job->submit_s, "request",
                                 json_loads(request->document, 0, NULL));
    char *body;
    int status;

    if (profile)
        json_object_set_new(document, "profile", profiling_json(self, request->client, profile));
    body = json_dumps(document, JSON_COMPACT);
    status = journal_put_number(self->journal, "job", job_number_row(job->number), body, error);
    free(body);
    json_decref(document);
    return status;
}

int submitting_keep_key(struct serving *self, const struct request *request, const char *own,
                        uint32_t row, struct error *error)
{
    char key[KEY_BYTES];
    char body[16];

    if (!own)
        return 0;
    write_key(key, request->client, own);
    (void)snprintf(body, sizeof(body), "%" PRIu32, row);
    return journal_put(self->journal, "key", key, body, error);
}

void submitting_note(struct serving *self, const struct request *request, const char *event,
                     const struct submission *job)
{
    char text[THROUGHPUT_MODEL_BYTES_MAX + USER_MAX + 64];

    (void)snprintf(text, sizeof(text), "%" PRId64 " iterations of %s, by its user %s",
                   job->iterations, job->model, client_user(request->client));
    noting_order(self, request->client, job_number_row(job->number), event, text);
}

/* Takes the job. The engine is told of it unless it is held. */
static void take(struct serving *self, struct request **request, const struct job_request *asked,
                 const struct submission *job)
{
    const uint32_t row = ledger_next(self->ledger);
    struct error error;

    if (journal_reserve(self->journal, row, &error) < 0 || steps_open(self, &error) < 0 ||
        keep_document(self, *request, asked, job, &error) < 0 ||
        submitting_keep_key(self, *request, asked->key, row, &error) < 0) {
        clients_fail(self->clients, request, ANSWER_FAILED, "%s; nothing was done", error.text);
        return;
    }
    (void)ledger_add(self->ledger, job, client_user((*request)->client));
    submitting_note(self, *request, submission_is_quote(job) ? "quote" : "submitted", job);
    if (!asked->held)
        steps_tell(self, &(struct occurrence){
                             .kind = OCCURRENCE_SUBMITTED, .job = job->number, .submission = job});
    submitting_await(self, request, asked, row, true);
}

struct submission *submitting_make(struct serving *self, const char *user,
                                   const struct job_request *asked, struct error *error)
{
    const struct submitting with = submitting_with(self, user);
    struct submission *job =
        job_request_submission(asked, &with, ledger_texts(self->ledger), error);

    if (job)
        sharing_give(self, user, job);
    return job && parents_read(self, user, asked, job, error) == 0 &&
                   engine_check(self->engine, job, error) == 0
               ? job
               : NULL;
}

/* Whether the user may have one more job; false with `error`. */
static bool may_have_more(const struct serving *self, const client_t *client, struct error *error)
{
    const int64_t most = self->setting.limits.user_jobs;

    if (most == 0 || client_role(client) == ROLE_OPERATE ||
        (int64_t)ledger_count_of(self->ledger, client_user(client)).jobs < most)
        return true;
    error_set(error,
              "user %s has %" PRId64 " jobs that wait, are held or run, and may have no more: wait "
              "until some are over, or cancel some",
              client_user(client), most);
    return false;
}

static bool is_full(const struct serving *self)
{
    return self->told.count >= CHANGES_MAX || ledger_next(self->ledger) == UINT32_MAX;
}

void submitting_submit(struct serving *self, struct request *request)
{
    struct job_request asked;
    struct submission *job;
    struct error error;
    arena_t *texts = arena_new();

    if (job_request_read(request->document, &asked, texts, &error) < 0 ||
        !holds_check(request, &asked, &error)) {
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    } else if (asked.dry_run && asked.hold > 0) {
        holds_take(self, request, &asked);
    } else if (asked.dry_run) {
        quoting_dry_run(self, request);
    } else if (is_full(self)) {
        clients_fail_busy(self->clients, &request, 1, "the service is busy: ask again in 1 s");
    } else if (!asked.key || !answer_again(self, &request, &asked)) {
        if (asked.hold > 0)
            holds_take(self, request, &asked);
        else if (!may_have_more(self, request->client, &error) ||
                 programs_check(self, &asked, client_user(request->client), &error) < 0)
            clients_fail(self->clients, &request, ANSWER_NOT_ALLOWED, "%s", error.text);
        else if (asked.earliest)
            earliest_submit(self, request);
        else if ((job = submitting_make(self, client_user(request->client), &asked, &error)))
            take(self, &request, &asked, job);
        else
            clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    }
    arena_destroy(&texts);
}

/* ---- after a start ---- */

/* The user that a document begins with. A name with escapes is read as JSON. */
static bool read_user(const char *body, char user[USER_MAX + 1])
{
    static const char begins[] = "{\"user\":\"";
    const char *name = body + sizeof(begins) - 1;
    json_t *document;
    int length = -1;

    if (!strncmp(body, begins, sizeof(begins) - 1)) {
        const size_t plain = strcspn(name, "\"\\");

        if (name[plain] == '"' && plain <= USER_MAX) {
            memcpy(user, name, plain);
            user[plain] = '\0';
            return true;
        }
    }
    document = json_loads(body, 0, NULL);
    if (json_is_string(json_object_get(document, "user")))
        length = snprintf(user, USER_MAX + 1, "%s",
                          json_string_value(json_object_get(document, "user")));
    json_decref(document);
    return length >= 0 && length <= USER_MAX;
}

static int complain_unread(const char *job, const char *why, struct error *error)
{
    return error_set(error, "job %s cannot be read any more: %s", job, why);
}

static void recall_one(struct serving *self, const char *user)
{
    (void)ledger_recall(self->ledger, job_number_make(self->run, ledger_next(self->ledger)), user);
}

/* Recalls a job of the journal. If damaged documents before it are missing, their jobs belong to an
 * unknown user. */
static int recall(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    const uint64_t row = strtoull(key, NULL, 10);
    char user[USER_MAX + 1];

    if (row < ledger_next(self->ledger) || row >= UINT32_MAX || !read_user(body, user)) {
        complain_unread(key, "it has no user", &self->recalled);
        return 1;
    }
    while (ledger_next(self->ledger) < row)
        recall_one(self, USER_UNKNOWN);
    recall_one(self, user);
    return 0;
}

/* Leaves out the numbers from `key` to `body`. All earlier numbers are known by now. */
static int recall_left_out(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    const uint64_t last = strtoull(body, NULL, 10);

    if (strtoull(key, NULL, 10) == ledger_next(self->ledger) && last < UINT32_MAX)
        ledger_leave_out(self->ledger, (uint32_t)last);
    return 0;
}

/* Recalls jobs and left-out numbers in the order of their numbers. */
static int recall_all(struct serving *self, struct error *error)
{
    return journal_each_of(self->journal, "job", recall, "left-out", recall_left_out, self, error);
}

int submitting_recall(struct serving *self, struct error *error)
{
    const int status = recall_all(self, error);

    if (status > 0)
        *error = self->recalled;
    return status == 0 ? 0 : -1;
}

/* Puts the rates of a kept profile into the request: later changes of the profile do not reach the
 * job. */
static int read_profile(const json_t *profile, struct job_request *asked, arena_t *texts,
                        struct error *error)
{
    static const struct form_field rates[] = {
        {"rates", FORM_WORDS, offsetof(struct job_request, rates), 0, 64, true}, {0}};
    json_t *kept;
    int status;

    if (!profile)
        return 0;
    kept = json_pack("{s:O}", "rates", json_object_get(profile, "rates"));
    status = form_read_json(kept, rates, asked, texts, error);
    json_decref(kept);
    return status;
}

/* Makes the submission of a job of which the engine was not told, from its document. */
static int settle(struct serving *self, struct entry *entry, const char *body, struct error *error)
{
    json_t *document = json_loads(body, 0, NULL);
    struct submitting with = submitting_with(self, entry->user);
    arena_t *texts = arena_new();
    struct submission *job = NULL;
    struct job_request asked;

    with.now_s = json_integer_value(json_object_get(document, "submitted")) - self->epoch;
    with.number = entry->number;
    if (job_request_read_json(json_object_get(document, "request"), &asked, texts, error) == 0 &&
        read_profile(json_object_get(document, "profile"), &asked, texts, error) == 0)
        job = job_request_submission(&asked, &with, ledger_texts(self->ledger), error);
    if (job && parents_read(self, NULL, &asked, job, error) == 0) {
        sharing_give(self, entry->user, job);
        entry->submission = job;
        entry->submitted_s = with.now_s;
        entry->untold = !asked.held;
    }
    arena_destroy(&texts);
    json_decref(document);
    return entry->submission ? 0 : -1;
}

int submitting_settle(struct serving *self, struct error *error)
{
    for (uint64_t row = 1; row < ledger_next(self->ledger); row++) {
        struct entry *entry = ledger_find(self->ledger, row);
        const char *body;
        struct error why;
        char key[24];
        int got;

        if (entry->submission || entry->left_out)
            continue;
        (void)snprintf(key, sizeof(key), "%" PRIu64, row);
        got = journal_get(self->journal, "job", key, &body, error);
        if (got < 0)
            return -1;
        if (got == 0)
            return complain_unread(key, "its document was damaged", error);
        if (settle(self, entry, body, &why) < 0)
            return complain_unread(key, why.text, error);
    }
    return 0;
}

void submitting_catch_up(struct serving *self)
{
    for (uint64_t row = 1; row < ledger_next(self->ledger); row++) {
        const struct entry *entry = ledger_find(self->ledger, row);

        if (entry->untold)
            steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                                  .job = entry->number,
                                                  .submission = entry->submission});
    }
}
