/* asking.c - what would be if: quotes and what-ifs, put to a copy of the process. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/run/quote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- in the copy ---- */

static quotes_t *quotes_now(struct serving *self, struct error *error)
{
    const int64_t now_s = serving_now_s(self);

    return quotes_of(&self->inputs, self->engine, &self->decision, now_s,
                     job_number_make(self->run, UINT32_MAX), error);
}

static struct quoted_job quoted_of(const struct submission *job)
{
    const struct throughput_row *row = job->throughput;

    return (struct quoted_job){.row = row,
                               .model = job->model,
                               .batch_size = job->batch_size,
                               .iterations = job->iterations - job->iterations_done,
                               .gpus_min = row->gpus[0],
                               .gpus_max = row->gpus[row->level_count - 1]};
}

/* The earliest deadline of the job that would be promised now, later than one that was refused. */
static json_t *find_earliest(struct serving *self, const struct submission *submission,
                             int64_t refused_s, struct error *error)
{
    struct quoted_job job = quoted_of(submission);
    quotes_t *quotes = quotes_now(self, error);
    struct quote quote;
    bool found;

    job.refused_s = refused_s;
    found = quotes && quotes_find(quotes, &job, &quote, error) == 0;
    quotes_destroy(&quotes);
    return found ? telling_time(self, quote.promised ? quote.deadline_s : NEVER_S) : NULL;
}

static json_t *ask_earliest(void *owner, const void *question, struct error *error)
{
    const struct submission *job = *(const struct submission *const *)question;
    json_t *earliest = find_earliest(owner, job, job->deadline_s, error);

    return earliest ? json_pack("{s:o}", "earliest", earliest) : NULL;
}

/* The submission of a question, which is the name of a user, and behind its end the document of a
 * submit; what it takes of memory is gone with the copy. NULL, with what is wrong with the document
 * in `*bad`. */
static struct submission *submission_of(struct serving *self, const char *question, json_t **bad)
{
    const char *user = question;
    const char *document = question + strlen(user) + 1;
    arena_t *texts = arena_new();
    struct job_request asked;
    struct submission *job = NULL;
    struct error error;

    if (job_request_read(document, &asked, texts, &error) == 0)
        job = submitting_make(self, user, &asked, &error);
    *bad = job ? NULL : json_pack("{s:s}", "bad", error.text);
    arena_destroy(&texts);
    return job;
}

static json_t *quote_level(const struct serving *self, const struct quote *quote, int gpus)
{
    json_t *told =
        json_pack("{s:i, s:o, s:o}", "gpus", gpus, "earliest",
                  telling_time(self, quote->promised ? quote->deadline_s : NEVER_S), "gpu_hours",
                  quote->promised ? json_real(quote->gpu_s / 3600) : json_null());

    telling_seen(told, &quote->seen);
    return told;
}

/* Why a second less than the earliest deadline is denied, if that is for jobs to come. */
static json_t *say_denial(const struct serving *self, const struct demand_seen *seen)
{
    char rate[SEEN_BYTES];

    if (seen->over_s == 0)
        return json_null();
    demand_seen_text(seen, cluster_gpus_up(self->decision.cluster), rate, sizeof(rate));
    return json_sprintf("A second less fits beside all promises, and is denied for jobs that are "
                        "likely to come: %s.",
                        rate);
}

/* The answer; why less is denied is told of the largest number of GPUs. */
static json_t *quote_levels(struct serving *self, const struct submission *submission,
                            quotes_t *quotes, struct error *error)
{
    const struct throughput_row *row = submission->throughput;
    struct quoted_job job = quoted_of(submission);
    json_t *levels = json_array();
    struct quote quote = {.promised = false};

    for (int i = 0; i < row->level_count && row->gpus[i] <= quotes_gpus(quotes); i++) {

        job.gpus_max = row->gpus[i];
        if (quotes_find(quotes, &job, &quote, error) < 0) {
            json_decref(levels);
            return NULL;
        }
        json_array_append_new(levels, quote_level(self, &quote, row->gpus[i]));
    }
    return json_pack("{s:o, s:o}", "quotes", levels, "denied", say_denial(self, &quote.seen));
}

static json_t *ask_quotes(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    json_t *bad;
    const struct submission *submission = submission_of(self, question, &bad);
    quotes_t *quotes = submission ? quotes_now(self, error) : NULL;
    json_t *answer = quotes ? quote_levels(self, submission, quotes, error) : NULL;

    quotes_destroy(&quotes);
    return answer ? answer : bad;
}

/* What would be answered, in full. */
static json_t *ask_dry_run(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    json_t *bad;
    struct submission *job = submission_of(self, question, &bad);
    const struct occurrence told[] = {{.kind = OCCURRENCE_EXPECTED},
                                      {.kind = OCCURRENCE_SUBMITTED, .submission = job}};
    const int64_t last_s = self->decision.now_s;
    const int64_t at_s = last_s < serving_now_s(self) ? serving_now_s(self) : last_s + 1;
    json_t *earliest = NULL;
    struct entry *entry;
    json_t *answer;

    if (!job)
        return bad;
    if (job->deadline_s != DEADLINE_NONE_S)
        earliest = find_earliest(self, job, 0, error);
    entry = ledger_add(self->ledger, job, "");
    job->submit_s = at_s;
    if (steps_decide(self, at_s, told, 2, error) < 0)
        return NULL;
    answer = telling_verdict(self, entry);
    if (entry->decided && !verdict_promises(&entry->verdict) && earliest)
        json_object_set(answer, "earliest", earliest);
    json_object_set_new(answer, "job", json_null());
    return answer;
}

/* ---- what if ---- */

struct whatif {
    int64_t add_nodes;
    const char *remove_node;
    int64_t job;
    int64_t deadline;
    int node; /* to be removed, -1 for none */
};

static const struct form_field whatif_fields[] = {
    {"add_nodes", FORM_WHOLE, offsetof(struct whatif, add_nodes), 1, NODES_MAX, false},
    {"remove_node", FORM_TEXT, offsetof(struct whatif, remove_node), 0, 255, false},
    {"job", FORM_WHOLE, offsetof(struct whatif, job), 1, UINT32_MAX, false},
    {"deadline", FORM_WHOLE, offsetof(struct whatif, deadline), 1, TIME_MAX_S, false},
    {0}};

/* Numbers of the jobs that are promised. */
static json_t *promised_jobs(const struct serving *self)
{
    json_t *jobs = json_array();

    for (size_t i = 0; i < self->decision.live_count; i++)
        if (self->decision.live[i]->promise.state == PROMISE_STANDS)
            json_array_append_new(
                jobs, json_integer(job_number_row(self->decision.live[i]->submission->number)));
    return jobs;
}

static bool holds(const json_t *jobs, const json_t *job)
{
    for (size_t i = 0; i < json_array_size(jobs); i++)
        if (json_equal(json_array_get(jobs, i), job))
            return true;
    return false;
}

/* Those of `jobs` that are among `others`, or are not. */
static json_t *among(const json_t *jobs, const json_t *others, bool are)
{
    json_t *found = json_array();

    for (size_t i = 0; i < json_array_size(jobs); i++)
        if (holds(others, json_array_get(jobs, i)) == are)
            json_array_append(found, json_array_get(jobs, i));
    return found;
}

/* Nodes that are gone, or not there yet, are there. */
static size_t add_nodes(const struct serving *self, int64_t count, struct occurrence *changes)
{
    size_t added = 0;

    for (int i = 0; i < self->driver->cluster_nodes && (int64_t)added < count; i++)
        if (cluster_node_state(self->decision.cluster, i) != NODE_UP)
            changes[added++] =
                (struct occurrence){.kind = OCCURRENCE_NODE_UP, .node = i, .until_s = NEVER_S};
    return added;
}

static int change_nodes(struct serving *self, const struct whatif *whatif, struct error *error)
{
    struct occurrence *changes = xcalloc((size_t)NODES_MAX, sizeof(*changes));
    size_t count = add_nodes(self, whatif->add_nodes, changes);
    int status;

    if ((int64_t)count < whatif->add_nodes)
        return error_set(error, "the cluster has room for %zu nodes more, not for %" PRId64, count,
                         whatif->add_nodes);
    if (whatif->node >= 0)
        changes[count++] = (struct occurrence){
            .kind = OCCURRENCE_NODE_GONE, .node = whatif->node, .cause = "what if it were gone"};
    status = steps_decide(self, self->decision.now_s, changes, count, error);
    free(changes);
    return status;
}

static json_t *ask_whatif(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    const struct whatif *whatif = question;
    json_t *before = promised_jobs(self);
    json_t *after;

    if (whatif->job > 0 ? steering_resubmit(self, ledger_find(self->ledger, (uint64_t)whatif->job),
                                            whatif->deadline - self->epoch, error) < 0
                        : change_nodes(self, whatif, error) < 0)
        return NULL;
    after = promised_jobs(self);
    return json_pack("{s:o, s:o, s:o}", "kept", among(before, after, true), "lost",
                     among(before, after, false), "gained", among(after, before, false));
}

/* ---- in the process ---- */

static void answer_asked(void *owner, void *subject, const json_t *answer,
                         const struct error *error)
{
    struct serving *self = owner;
    struct request *request = subject;
    const char *bad = json_string_value(json_object_get(answer, "bad"));
    const char *verdict = json_string_value(json_object_get(answer, "verdict"));
    const bool declined = verdict && !strcmp(verdict, "declined");

    if (!answer)
        clients_fail(self->clients, &request, ANSWER_FAILED, "%s", error->text);
    else if (bad)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", bad);
    else
        clients_answer(self->clients, &request, declined ? ANSWER_DECLINED : ANSWER_DONE,
                       json_deep_copy(answer));
}

static bool is_listened_to(const void *subject)
{
    return clients_listens(subject);
}

bool asking_has_room(struct serving *self, struct request **request)
{
    const int retry_s = questions_retry_s(self->questions, client_user((*request)->client));

    if (retry_s > 0)
        clients_fail_busy(self->clients, request, retry_s,
                          "%d questions of all or %d of user %s wait to be answered: ask again in "
                          "%d s",
                          QUESTIONS_MAX, QUESTIONS_OF_USER_MAX, client_user((*request)->client),
                          retry_s);
    return retry_s == 0;
}

static void put_request(struct serving *self, const struct question_kind *kind,
                        const void *question, size_t size, struct request *request)
{
    if (asking_has_room(self, &request))
        questions_put(self->questions, client_user(request->client), kind, question, size, request);
}

/* A question about the job that the request describes: see submission_of. */
static void put_document(struct serving *self, const struct question_kind *kind,
                         struct request *request)
{
    const char *user = client_user(request->client);
    const size_t user_bytes = strlen(user) + 1;
    const size_t size = user_bytes + strlen(request->document) + 1;
    char *question = xmalloc(size);

    memcpy(question, user, user_bytes);
    memcpy(question + user_bytes, request->document, size - user_bytes);
    put_request(self, kind, question, size, request);
    free(question);
}

static void add_earliest(void *owner, void *subject, const json_t *answer,
                         const struct error *error)
{
    struct serving *self = owner;
    struct change *change = subject;
    json_t *told = telling_verdict(self, ledger_find(self->ledger, change->row));

    (void)error;
    if (answer)
        json_object_update(told, (json_t *)(uintptr_t)answer);
    submitting_answer(self, change, told);
}

static bool is_change_listened_to(const void *subject)
{
    return clients_listens(((const struct change *)subject)->request);
}

static void answer_without(struct serving *self, struct change *change, int retry_s)
{
    json_t *told = telling_verdict(self, ledger_find(self->ledger, change->row));

    json_object_set_new(told, "retry_after_s", json_integer(retry_s));
    submitting_answer(self, change, told);
}

void asking_earliest(struct serving *self, struct change *change)
{
    static const struct question_kind kind = {ask_earliest, add_earliest, is_change_listened_to,
                                              false};
    const struct submission *job = ledger_find(self->ledger, change->row)->submission;
    const char *user = client_user(change->request->client);
    const int retry_s = questions_retry_s(self->questions, user);

    if (retry_s > 0)
        answer_without(self, change, retry_s);
    else
        questions_put(self->questions, user, &kind, &job, sizeof(struct submission *), change);
}

/* Questions about a job that would not be taken are not put. What makes no sense is told by the
 * copy. */
static void put_job(struct serving *self, const struct question_kind *kind, struct request *request)
{
    arena_t *texts = arena_new();
    struct job_request asked;
    struct error error;

    if (job_request_read(request->document, &asked, texts, &error) == 0 &&
        programs_check(self, &asked, client_user(request->client), &error) < 0)
        clients_fail(self->clients, &request, ANSWER_NOT_ALLOWED, "%s", error.text);
    else
        put_document(self, kind, request);
    arena_destroy(&texts);
}

void asking_dry_run(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_dry_run, answer_asked, is_listened_to, true};

    put_job(self, &kind, request);
}

void asking_quote(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_quotes, answer_asked, is_listened_to, false};

    put_job(self, &kind, request);
}

/* Whether the question makes sense; otherwise it was answered. */
static bool check_whatif(struct serving *self, struct request **request, struct whatif *whatif)
{
    const int parts = (whatif->add_nodes > 0) + (whatif->remove_node != NULL) + (whatif->job > 0);
    const struct entry *entry;

    whatif->node = -1;
    if (parts != 1 || (whatif->job > 0) != (whatif->deadline > 0)) {
        clients_fail(self->clients, request, ANSWER_BAD,
                     "expected one of add_nodes, remove_node, or job with deadline");
        return false;
    }
    if (whatif->remove_node)
        whatif->node = steering_node(self, request, whatif->remove_node);
    if (*request && whatif->job > 0) {
        entry = verbs_entry(self, request, whatif->job, false);
        if (entry && entry_is_over(entry))
            clients_fail(self->clients, request, ANSWER_FAILED, "job %" PRId64 " is over",
                         whatif->job);
    }
    return *request;
}

void asking_whatif(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_whatif, answer_asked, is_listened_to, true};
    arena_t *texts = arena_new();
    struct whatif whatif = {0};
    struct error error;

    if (form_read(request->document, whatif_fields, &whatif, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else if (check_whatif(self, &request, &whatif))
        put_request(self, &kind, &whatif, sizeof(whatif), request);
    arena_destroy(&texts);
}
