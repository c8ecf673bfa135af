/* earliest.c - the earliest deadline that would be promised: told to a refused job, and taken by a
 * job that is submitted for it. quoting.c finds the deadline. */
#include "scheduler/service/serving.h"

#include "common/memory.h"

#include <stdlib.h>

/* Most tries to find the earliest deadline of one job. */
#define ORDER_TRIES 4

/* ---- a job that was refused ---- */

static json_t *ask_earliest(void *owner, const void *question, struct error *error)
{
    const struct submission *job = *(const struct submission *const *)question;

    return quoting_find_earliest(owner, job, submission_last_s(job), error);
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

void earliest_tell(struct serving *self, struct change *change)
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

/* ---- a job that takes the earliest deadline ---- */

/* In a copy of the process: the earliest deadline of the job, and the number of the next job. */
static json_t *ask_by_earliest(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    struct job_request asked;
    json_t *bad;
    const struct submission *job = quoting_submission(self, question, &asked, &bad);
    json_t *told = job ? quoting_take_earliest(self, job, error) : bad;

    if (job && told)
        json_object_set_new(told, "next", json_integer(ledger_next(self->ledger)));
    return told;
}

struct by_earliest {
    struct request *request;
    int tries; /* so far: if another job comes first, the deadline is looked for again */
};

static void put_by_earliest(struct serving *self, struct by_earliest *order);

static bool is_order_listened_to(const void *subject)
{
    return clients_listens(((const struct by_earliest *)subject)->request);
}

static void submit_by(struct serving *self, struct request *request, json_int_t deadline)
{
    json_t *document = json_loads(request->document, 0, NULL);

    json_object_del(document, "earliest");
    json_object_set_new(document, "deadline", json_integer(deadline));
    free(request->document);
    request->document = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    submitting_submit(self, request);
}

/* The answer is good up to a moment, and only if no other job came since the question. */
static bool is_stale(const struct serving *self, const json_t *answer)
{
    const json_int_t next = json_integer_value(json_object_get(answer, "next"));
    const json_int_t until = json_integer_value(json_object_get(answer, "earliest_until"));

    return next != ledger_next(self->ledger) ||
           (until > 0 && serving_now_s(self) > until - self->epoch);
}

static void take_by_earliest(void *owner, void *subject, const json_t *answer,
                             const struct error *error)
{
    struct serving *self = owner;
    struct by_earliest *order = subject;
    const json_t *earliest = json_object_get(answer, "earliest");
    const char *bad = json_string_value(json_object_get(answer, "bad"));

    if (answer && !bad && is_stale(self, answer) && order->tries < ORDER_TRIES) {
        put_by_earliest(self, order);
        return;
    }
    if (bad)
        clients_fail(self->clients, &order->request, ANSWER_BAD, "%s", bad);
    else if (!answer)
        clients_fail(self->clients, &order->request, ANSWER_FAILED, "%s", error->text);
    else
        submit_by(self, order->request, json_integer_value(earliest));
    free(order);
}

static void put_by_earliest(struct serving *self, struct by_earliest *order)
{
    static const struct question_kind kind = {ask_by_earliest, take_by_earliest,
                                              is_order_listened_to, false};

    order->tries++;
    if (asking_has_room(self, &order->request))
        asking_put(self, &kind, order->request, order);
    else
        free(order);
}

void earliest_submit(struct serving *self, struct request *request)
{
    struct by_earliest *order = xcalloc(1, sizeof(*order));

    order->request = request;
    put_by_earliest(self, order);
}
