/* holds.c - quotes that are held: the deadline of a quote is kept for a while for its user, who
 * takes the quote with a job, cancels the quote, or lets it lapse. For engine and ledger such a
 * quote is a job that holds no GPU. The job that takes the quote gets its number and its
 * promise. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A request that is made in time reaches the engine within this many seconds of real time. */
#define GRACE_S 2

int64_t holds_grace_s(const struct serving *self)
{
    return (int64_t)ceil(GRACE_S * self->clock.scale);
}

int64_t holds_until_s(const struct serving *self, const struct entry *entry)
{
    return entry->submission->quoted_until_s - holds_grace_s(self);
}

bool holds_check(const struct request *request, const struct job_request *asked,
                 struct error *error)
{
    const bool is_quote = !strcmp(request->verb, "quote");

    if (is_quote && asked->hold > 0)
        error_set(error, "field \"hold\": a quote takes no quote that is held, `submit` does");
    else if (!is_quote && (asked->hold_s > 0 || asked->held_until > 0))
        error_set(error, "field \"%s\": only a quote is held",
                  asked->hold_s > 0 ? "hold_s" : "held_until");
    else
        return true;
    return false;
}

/* ---- a quote that is to be held ---- */

/* Whether the policy and the limits let `client` have the quote held; false with `error` and
 * `code`. */
static bool may_hold(const struct serving *self, const client_t *client,
                     const struct job_request *asked, enum answer_code *code, struct error *error)
{
    const struct service_limits *limits = &self->setting.limits;
    const bool operates = client_role(client) == ROLE_OPERATE;
    const char *user = client_user(client);

    *code = ANSWER_NOT_ALLOWED;
    if (client_role(client) < ROLE_SUBMIT)
        error_set(error, "to hold a quote needs the role \"%s\", and user %s has \"%s\"",
                  role_names[ROLE_SUBMIT], user, role_names[client_role(client)]);
    else if (asked->hold_s > limits->quote_s)
        error_set(error, "a quote is held for at most %" PRId64 " s, not for %" PRId64 " s",
                  limits->quote_s, asked->hold_s);
    else if (limits->user_quotes > 0 && !operates &&
             (int64_t)ledger_count_of(self->ledger, user).quotes >= limits->user_quotes)
        error_set(error,
                  "user %s has %" PRId64 " quotes that are held, and may have no more: submit or "
                  "cancel one, or wait until one lapses",
                  user, limits->user_quotes);
    else if (*code = ANSWER_BAD, !self->inputs.setting.policy->holds_quotes)
        error_set(error, "policy %s holds no quotes: it plans no promise ahead",
                  self->inputs.setting.policy->name);
    else if (asked->after.count > 0 || asked->held)
        error_set(error, "field \"%s\": a quote is held only for a job that %s",
                  asked->held ? "held" : "after",
                  asked->held ? "may run at once" : "waits for no other job");
    else
        return true;
    return false;
}

/* Dates of a soft deadline that are counted from now become dates of the calendar. */
static int settle_steps(const struct serving *self, json_t *document,
                        const struct job_request *asked, struct error *error)
{
    json_t *steps = json_array();

    json_object_set_new(document, "deadlines", steps);
    for (size_t i = 0; i < asked->deadlines.count; i++) {
        const char *text = asked->deadlines.items[i];
        char value[STEP_VALUE_BYTES];
        struct job_level level;

        if (steps_parse_one(text, strlen(text), serving_now_s(self), self->epoch, &level, error) <
            0)
            return error_prefix(error, "field \"deadlines\"");
        json_array_append_new(steps, json_sprintf("%" PRId64 ":%s", self->epoch + level.deadline_s,
                                                  steps_print_value(level.value, value)));
    }
    return 0;
}

/* Rewrites the request as the document of a job that is held up to a moment. -1 with `error`. */
static int make_order(const struct serving *self, struct request *request,
                      const struct job_request *asked, struct error *error)
{
    const int64_t now = self->epoch + serving_now_s(self);
    const double hold_s = (double)asked->hold_s * self->clock.scale;
    json_t *document = json_loads(request->document, 0, NULL);
    int status = 0;

    json_object_del(document, "hold_s");
    json_object_del(document, "within_s");
    json_object_set_new(document, "held_until", json_integer(now + (int64_t)ceil(hold_s)));
    if (asked->deadline_in > 0) {
        json_object_del(document, "deadline_in");
        json_object_set_new(document, "deadline", json_integer(now + asked->deadline_in));
    } else if (asked->deadlines.count > 0) {
        status = settle_steps(self, document, asked, error);
    } else if (asked->deadline == 0) {
        json_object_set_new(document, "earliest", json_true());
    }
    free(request->document);
    request->document = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    return status;
}

static void hold(struct serving *self, struct request *request, const struct job_request *asked)
{
    struct error error;
    enum answer_code code;

    if (!may_hold(self, request->client, asked, &code, &error))
        clients_fail(self->clients, &request, code, "%s", error.text);
    else if (!missing_may_number(self))
        clients_fail_busy(self->clients, &request, 1, "the service is busy: ask again in 1 s");
    else if (make_order(self, request, asked, &error) < 0)
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else
        submitting_submit(self, request);
}

void holds_quote(struct serving *self, struct request *request)
{
    arena_t *texts = arena_new();
    struct job_request asked;
    struct error error;

    if (job_request_read(request->document, &asked, texts, &error) < 0 ||
        !holds_check(request, &asked, &error))
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
    else if (asked.hold_s > 0 && !asked.dry_run)
        hold(self, request, &asked);
    else
        quoting_quote(self, request);
    arena_destroy(&texts);
}

/* ---- a job that takes a quote ---- */

/* A request for a job that takes a quote. */
struct taking {
    uint32_t row;
    const struct entry *entry;
    json_t *document;         /* the kept document of the quote */
    json_t *given;            /* the request of the client */
    struct job_request asked; /* the quote's request, overridden by the client's */
    struct job_request quoted;
};

static bool says(const struct taking *self, const char *field)
{
    return json_object_get(self->given, field) &&
           !json_is_null(json_object_get(self->given, field));
}

static int complain(const char *field, const char *what, uint32_t row, struct error *error)
{
    return error_set(error, "field \"%s\": %s quote %" PRIu32, field, what, row);
}

static bool is_nothing(const json_t *value)
{
    return !value || json_is_null(value) ||
           (json_is_integer(value) && json_integer_value(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

static bool is_same(const json_t *a, const json_t *b)
{
    return json_equal(a, b) || (is_nothing(a) && is_nothing(b));
}

/* Checks that the job is of the kind that the quote is for. */
static int check_kind(const struct taking *self, struct error *error)
{
    const json_t *before = json_object_get(self->document, "request");
    const struct job_field *field;

    for (size_t i = 0; (field = job_field_at(i)); i++) {
        const char *name = field->form.name;

        if (!says(self, name))
            continue;
        if ((field->uses & JOB_FIELD_FIXED) &&
            !is_same(json_object_get(self->given, name), json_object_get(before, name)))
            return complain(name, "it has to be that of", self->row, error);
        if (field->uses & JOB_FIELD_REFUSED)
            return complain(name, "not for a job that takes", self->row, error);
    }
    return 0;
}

/* The chance, in per cent, that the promise to `asked` is to hold with. */
static double confidence_of(const struct serving *self, const struct job_request *asked)
{
    return asked->confidence < 0 ? inputs_terms(&self->inputs).confidence : asked->confidence;
}

/* The deadline of the job: that of the quote unless the request names another one. */
static int64_t deadline_of(const struct serving *self, const struct taking *taking)
{
    if (taking->asked.deadline_in > 0)
        return serving_now_s(self) + taking->asked.deadline_in;
    return says(taking, "deadline") && taking->asked.deadline > 0
               ? taking->asked.deadline - self->epoch
               : taking->entry->submission->deadline_s;
}

/* Checks that the job is no heavier than that of the quote, and is not due earlier. */
static int check_weight(const struct serving *self, const struct taking *taking,
                        struct error *error)
{
    const struct job_request *asked = &taking->asked;
    const struct submission *quote = taking->entry->submission;
    const bool moves = says(taking, "deadline_in") || says(taking, "deadline");

    if (asked->iterations > taking->quoted.iterations)
        return complain("iterations", "more than those of", taking->row, error);
    if (asked->duration_s > quote->duration_s)
        return complain("duration_s", "longer than that of", taking->row, error);
    if (confidence_of(self, asked) > confidence_of(self, &taking->quoted))
        return complain("confidence", "higher than that of", taking->row, error);
    if (says(taking, "deadline") && asked->deadline == 0)
        return complain("deadline", "none is not that of", taking->row, error);
    if (moves && submission_is_soft(quote))
        return complain("deadline", "not for a job that takes the soft deadline of", taking->row,
                        error);
    if (says(taking, "value") && submission_is_soft(quote))
        return complain("value", "not for a job that takes the soft deadline of", taking->row,
                        error);
    if (deadline_of(self, taking) < quote->deadline_s)
        return complain(says(taking, "deadline_in") ? "deadline_in" : "deadline",
                        "earlier than that of", taking->row, error);
    return 0;
}

/* The request of the job: the quote's, overridden by the client's. */
static json_t *merge(const struct taking *self)
{
    json_t *merged = json_deep_copy(json_object_get(self->document, "request"));

    json_object_del(merged, "held_until");
    if (says(self, "deadline_in"))
        json_object_del(merged, "deadline");
    json_object_update(merged, self->given);
    json_object_del(merged, "hold");
    json_object_del(merged, "dry_run");
    json_object_del(merged, "verdict_only");
    return merged;
}

static int read_document(struct serving *self, struct taking *taking, struct error *error)
{
    char key[16];
    const char *body;
    const int got = (snprintf(key, sizeof(key), "%" PRIu32, taking->row),
                     journal_get(self->journal, "job", key, &body, error));

    if (got < 0)
        return -1;
    if (got > 0)
        taking->document = json_loads(body, 0, NULL);
    return taking->document ? 0 : error_set(error, "quote %s cannot be read any more", key);
}

/* Reads the request, and compares it with the quote. -1 with `error`. */
static int compare(struct serving *self, struct taking *taking, arena_t *texts, struct error *error)
{
    json_t *merged = merge(taking);
    int status = -1;

    if (job_request_read_json(json_object_get(taking->document, "request"), &taking->quoted, texts,
                              error) == 0 &&
        check_kind(taking, error) == 0 &&
        job_request_read_json(merged, &taking->asked, texts, error) == 0 &&
        check_weight(self, taking, error) == 0) {
        json_object_set(taking->document, "request", merged);
        status = 0;
    }
    json_decref(merged);
    return status;
}

/* The submission of the job, in the memory of the ledger. The job has the row and the shares of the
 * quote, and so follows the course of the quote. */
static struct submission *make_job(struct serving *self, const struct taking *taking)
{
    arena_t *kept = ledger_texts(self->ledger);
    struct submission *job = arena_alloc(kept, sizeof(*job));
    struct job_level *level = arena_alloc(kept, sizeof(*level));
    const struct job_request *asked = &taking->asked;

    *job = *taking->entry->submission;
    job->quoted_until_s = 0;
    job->promise_or_decline = asked->promise_or_decline;
    job->iterations = asked->iterations;
    job->duration_s = asked->duration_s > 0 ? asked->duration_s : job->duration_s;
    if (asked->confidence >= 0)
        job->confidence = asked->confidence == 0 ? CONFIDENCE_NONE : asked->confidence;
    if (asked->name)
        job->id = ledger_text(self->ledger, asked->name);
    job_request_say(asked, job, kept);
    if (!submission_is_soft(job)) {
        *level = (struct job_level){deadline_of(self, taking), asked->value * LEVEL_VALUE_FULL};
        job->deadline_s = level->deadline_s;
        job->levels = level;
    }
    return job;
}

/* Keeps the job in the state. The quote becomes that job with the next step. */
static void take(struct serving *self, struct request **request, struct taking *taking)
{
    const struct submission *job = make_job(self, taking);
    char *body;
    struct error error;
    int status;

    json_object_set_new(taking->document, "submitted",
                        json_integer(self->epoch + serving_now_s(self)));
    if (says(taking, "deadline_in")) { /* a start finds the same deadline */
        json_t *own = json_object_get(taking->document, "request");

        json_object_del(own, "deadline_in");
        json_object_set_new(own, "deadline", json_integer(self->epoch + job->deadline_s));
    }
    body = json_dumps(taking->document, JSON_COMPACT);
    status = steps_open(self, &error) < 0 ||
             journal_put_number(self->journal, "job", taking->row, body, &error) < 0 ||
             submitting_keep_key(self, *request, taking->asked.key, taking->row, &error) < 0;
    free(body);
    if (status) {
        clients_fail(self->clients, request, ANSWER_FAILED, "%s; nothing was done", error.text);
        return;
    }
    submitting_note(self, *request, "submitted", job);
    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_TAKEN, .job = job->number, .submission = job});
    submitting_await(self, request, &taking->asked, taking->row, false);
}

/* Whether the client may take the quote now. If not, the request was answered, or waits for the
 * next step. */
static bool may_take(struct serving *self, struct request **request, const struct taking *taking)
{
    const struct entry *entry = taking->entry;
    const int64_t left_s =
        entry->standing == STANDING_QUOTED ? holds_until_s(self, entry) - serving_now_s(self) : 0;

    if (strcmp(client_user((*request)->client), entry->user) != 0) {
        clients_fail(self->clients, request, ANSWER_NOT_ALLOWED,
                     "quote %" PRIu32 " is held for user %s", taking->row, entry->user);
    } else if (!self->stuck && steps_change(self, taking->row)) {
        clients_put_back(self->clients, request);
        self->waits_for_step = true;
    } else if (entry->standing == STANDING_LAPSED || left_s < 0) {
        clients_fail(self->clients, request, ANSWER_FAILED, "quote %" PRIu32 " is over: %s",
                     taking->row, entry->cause ? entry->cause : "its time is");
    } else if (entry->standing != STANDING_QUOTED) {
        clients_fail(self->clients, request, ANSWER_FAILED,
                     "%" PRIu32 " is no quote that is held, but a job that is %s", taking->row,
                     standing_names[entry->standing]);
    } else {
        return true;
    }
    return false;
}

static void compare_and_take(struct serving *self, struct request **request, struct taking *taking,
                             arena_t *texts)
{
    struct error error;

    if (read_document(self, taking, &error) < 0)
        clients_fail(self->clients, request, ANSWER_FAILED, "%s", error.text);
    else if (compare(self, taking, texts, &error) < 0)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    else if (programs_check(self, &taking->asked, taking->entry->user, &error) < 0)
        clients_fail(self->clients, request, ANSWER_NOT_ALLOWED, "%s", error.text);
    else if (json_is_true(json_object_get(taking->given, "dry_run")))
        clients_answer(self->clients, request, ANSWER_DONE, telling_verdict(self, taking->entry));
    else
        take(self, request, taking);
}

void holds_take(struct serving *self, struct request *request, const struct job_request *asked)
{
    struct taking taking = {.row = (uint32_t)asked->hold};
    arena_t *texts = arena_new();

    taking.entry = verbs_entry(self, &request, asked->hold, false);
    if (taking.entry && may_take(self, &request, &taking)) {
        taking.given = json_loads(request->document, 0, NULL);
        compare_and_take(self, &request, &taking, texts);
    }
    json_decref(taking.given);
    json_decref(taking.document);
    arena_destroy(&texts);
}

/* ---- after a start ---- */

int holds_catch_up(struct serving *self, struct error *error)
{
    arena_t *texts = arena_new();
    int status = 0;

    for (uint32_t row = 1; row < ledger_next(self->ledger) && status == 0; row++) {
        struct taking taking = {.row = row, .entry = ledger_find(self->ledger, row)};
        const json_t *own;

        if (taking.entry->standing != STANDING_QUOTED)
            continue;
        status = read_document(self, &taking, error);
        own = json_object_get(taking.document, "request");
        if (own && !json_object_get(own, "held_until") &&
            (status = job_request_read_json(own, &taking.asked, texts, error)) == 0) {
            taking.given = json_incref(json_object_get(taking.document, "request"));
            steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_TAKEN,
                                                  .job = taking.entry->number,
                                                  .submission = make_job(self, &taking)});
        }
        json_decref(taking.given);
        json_decref(taking.document);
    }
    arena_destroy(&texts);
    return status;
}
