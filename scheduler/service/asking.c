/* asking.c - questions that a copy of the process answers, and what-ifs among them. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what if ---- */

struct whatif {
    int64_t add_nodes;
    const char *remove_node;
    int64_t job;
    int64_t deadline;
    int node; /* the node that is removed, -1 for none */
};

static const struct form_field whatif_fields[] = {
    {"add_nodes", FORM_WHOLE, offsetof(struct whatif, add_nodes), 1, NODES_MAX, false},
    {"remove_node", FORM_TEXT, offsetof(struct whatif, remove_node), 0, 255, false},
    {"job", FORM_WHOLE, offsetof(struct whatif, job), 1, UINT32_MAX, false},
    {"deadline", FORM_WHOLE, offsetof(struct whatif, deadline), 1, TIME_MAX_S, false},
    {0}};

/* Numbers of the jobs that hold a promise. */
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

/* The jobs of `jobs` that are among `others`, or, without `are`, those that are not. */
static json_t *among(const json_t *jobs, const json_t *others, bool are)
{
    json_t *found = json_array();

    for (size_t i = 0; i < json_array_size(jobs); i++)
        if (holds(others, json_array_get(jobs, i)) == are)
            json_array_append(found, json_array_get(jobs, i));
    return found;
}

/* Supposes that nodes which are gone, or were never there, are up. Returns how many, at most
 * `count`. */
static size_t add_nodes(const struct serving *self, int64_t count, struct occurrence *changes)
{
    size_t added = 0;

    for (int i = 0; i < capacity_node_count(self->capacity) && (int64_t)added < count; i++)
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
    const struct new_deadline deadline = {1, {{whatif->deadline - self->epoch, 0}}};
    const struct entry *entry =
        whatif->job > 0 ? ledger_find(self->ledger, (uint64_t)whatif->job) : NULL;
    json_t *before = promised_jobs(self);
    char sentence[512] = "";
    json_t *after;

    if (entry ? changing_resubmit(self, entry, &deadline, error) < 0
              : change_nodes(self, whatif, error) < 0)
        return NULL;
    after = promised_jobs(self);
    if (entry)
        telling_verdict_sentence(self, entry, sentence, sizeof(sentence));
    return json_pack("{s:o, s:o, s:o, s:s?}", "kept", among(before, after, true), "lost",
                     among(before, after, false), "gained", among(after, before, false), "sentence",
                     entry ? sentence : NULL);
}

/* ---- in the process ---- */

void asking_answer(void *owner, void *subject, const json_t *answer, const struct error *error)
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

bool asking_is_wanted(const void *subject)
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

void asking_put(struct serving *self, const struct question_kind *kind,
                const struct request *request, void *subject)
{
    const char *user = client_user(request->client);
    const size_t user_bytes = strlen(user) + 1;
    const size_t size = user_bytes + strlen(request->document) + 1;
    char *question = xmalloc(size);

    memcpy(question, user, user_bytes);
    memcpy(question + user_bytes, request->document, size - user_bytes);
    questions_put(self->questions, user, kind, question, size, subject);
    free(question);
}

/* Checks that the question makes sense; if it does not, the request was answered. */
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
        whatif->node = nodes_find(self, request, whatif->remove_node);
    if (*request && whatif->job > 0) {
        entry = verbs_entry(self, request, whatif->job, false);
        if (entry && entry_is_over(entry))
            clients_fail(self->clients, request, ANSWER_FAILED, "job %" PRId64 " is over",
                         whatif->job);
        else if (entry && entry->standing == STANDING_QUOTED)
            clients_fail(self->clients, request, ANSWER_FAILED,
                         "%" PRId64 " is a quote that is held, and no job yet", whatif->job);
    }
    return *request;
}

void asking_whatif(struct serving *self, struct request *request)
{
    static const struct question_kind kind = {ask_whatif, asking_answer, asking_is_wanted, true};
    arena_t *texts = arena_new();
    struct whatif whatif = {0};
    struct error error;

    if (form_read(request->document, whatif_fields, &whatif, texts, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else if (check_whatif(self, &request, &whatif))
        put_request(self, &kind, &whatif, sizeof(whatif), request);
    arena_destroy(&texts);
}
