/* changing.c - the verb that gives a job another deadline. */
#include "scheduler/service/ordering.h"

#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct form_field change_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct job_order, job), 1, UINT32_MAX, true},
    {"deadline", FORM_WHOLE, offsetof(struct job_order, deadline), 0, TIME_MAX_S, false},
    {"deadline_in", FORM_WHOLE, offsetof(struct job_order, deadline_in), 1, REQUEST_SECONDS_MAX,
     false},
    {"deadlines", FORM_WORDS, offsetof(struct job_order, deadlines), 0, 64, false},
    {0}};

/* Puts the new deadline of a job, a time or steps with values, into the transaction at hand. */
static int keep_deadline(struct serving *self, uint64_t row, const struct new_deadline *deadline,
                         struct error *error)
{
    char body[STEPS_BYTES];

    if (deadline->count > 0 && deadline->steps->value > 0)
        (void)steps_print(deadline->steps, deadline->count, body);
    else
        (void)snprintf(body, sizeof(body), "%" PRId64,
                       deadline->count > 0 ? deadline->steps->deadline_s : DEADLINE_NONE_S);
    return journal_put_number(self->journal, "deadline", row, body, error);
}

/* ---- another deadline ---- */

int changing_resubmit(struct serving *self, const struct entry *entry,
                      const struct new_deadline *deadline, struct error *error)
{
    const struct occurrence suspended = {
        .kind = OCCURRENCE_SUSPENDED, .row = UINT32_MAX, .job = entry->number};
    struct occurrence submitted = {.kind = OCCURRENCE_SUBMITTED, .job = entry->number};

    if (entry->standing != STANDING_HELD && steps_try(self, &suspended, error) < 0)
        return -1;
    submitted.submission = ordering_submit_again(self, entry, deadline);
    return steps_try(self, &submitted, error);
}

/* How often the change is tried out again because the answer came too late, on a busy machine. */
#define CHANGE_TRIES 8

/* A request for a change of deadline, and its job. */
struct changing {
    struct request *request;
    uint64_t row;
    struct new_deadline deadline;
    int tries; /* trials so far */
};

static bool says_promised(const json_t *answer)
{
    const char *verdict = json_string_value(json_object_get(answer, "verdict"));

    return verdict && !strcmp(verdict, "promised");
}

/* The verdict if the deadline is promised now, but not at a later moment at which the change may be
 * made. */
static json_t *tell_too_late(void)
{
    return json_pack("{s:s, s:n, s:s, s:s}", "verdict", "best-effort", "promised_until", "reason",
                     "no-free-gpus", "sentence",
                     "best effort: a moment later no plan would end it by its deadline and keep "
                     "all promises");
}

/* In a copy of the process: the verdict that the job would get. If the new deadline is not promised
 * at every moment at which the change may be made, the earliest promised deadline is told, too. */
static json_t *ask_change(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    const struct changing *changing = *(const struct changing *const *)question;
    const struct entry *entry = ledger_find(self->ledger, changing->row);
    json_t *earliest = NULL;
    json_t *told;

    if (changing->deadline.count > 0 && self->inputs.setting.policy->admission->promises &&
        !(earliest = quoting_find_change(
              self, ordering_submit_again(self, entry, &changing->deadline), error)))
        return NULL;
    if (changing_resubmit(self, entry, &changing->deadline, error) < 0)
        return NULL;
    told = telling_verdict(self, entry);
    if (json_object_get(earliest, "earliest") && says_promised(told))
        json_object_update_new(told, tell_too_late());
    if (earliest)
        json_object_update(told, earliest);
    return told;
}

/* The removal of the job from the engine is kept. Now the job is submitted again, with its new
 * deadline. */
static void resubmit(struct serving *self, struct change *change)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);
    const struct submission *again = ordering_submit_again(self, entry, &change->deadline);

    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_SUBMITTED, .job = again->number, .submission = again});
    steps_await(self, &change->request, change->row, false, submitting_answer_decided);
    self->changes->prev->is_kept = true;
    self->told_kept = self->told.count;
    free(change);
}

/* A held job gets its deadline at once. Its promise is decided when the job is released. */
static void change_held(struct serving *self, struct change *change)
{
    struct entry *entry = ledger_find(self->ledger, change->row);

    entry->submission = ordering_submit_again(self, entry, &change->deadline);
    submitting_answer_decided(self, change);
}

/* Whether the new deadline is no earlier than the promised one: an easier deadline is never
 * refused. */
static bool is_eased(const struct serving *self, const struct entry *entry,
                     const struct new_deadline *deadline)
{
    const struct job *job = engine_job(self->engine, entry->number);

    return self->inputs.setting.policy->holds_quotes && job && job_is_live(job) &&
           job->promise.state == PROMISE_STANDS && entry->submission->parent_count == 0 &&
           entry->submission->level_count <= 1 && deadline->count == 1 &&
           deadline->steps->value == 0 && deadline->steps->deadline_s >= job->promise.deadline_s;
}

/* The job keeps its course, and the engine is told of the easier deadline. */
static void ease(struct serving *self, struct changing *changing, const struct entry *entry)
{
    struct submission *eased = ordering_submit_again(self, entry, &changing->deadline);

    eased->iterations_done = entry->submission->iterations_done;
    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_EASED, .job = eased->number, .submission = eased});
    steps_await(self, &changing->request, (uint32_t)changing->row, false,
                submitting_answer_decided);
}

/* The deadline is kept before the job is taken from the engine: however the service ends, the job
 * comes back with its new deadline. */
static void begin_change(struct serving *self, struct changing *changing)
{
    const struct entry *entry = ledger_find(self->ledger, changing->row);
    const bool held = entry->standing == STANDING_HELD;
    char cause[ORDER_BYTES];
    struct error error;

    if (entry_is_over(entry)) {
        clients_fail(self->clients, &changing->request, ANSWER_FAILED, "job %" PRIu64 " is over",
                     changing->row);
    } else if (steps_change(self, (uint32_t)changing->row)) {
        clients_fail_busy(self->clients, &changing->request, 1,
                          "job %" PRIu64 " is changed by another request", changing->row);
    } else if (steps_open(self, &error) < 0 ||
               keep_deadline(self, changing->row, &changing->deadline, &error) < 0) {
        ordering_fail(self, &changing->request, &error);
    } else {
        ordering_say(cause, CAUSE_OF_CHANGE, changing->request->client, entry);
        noting_order(self, changing->request->client, (uint32_t)changing->row, "changed", cause);
        if (held) {
            steps_await(self, &changing->request, (uint32_t)changing->row, false, change_held);
        } else if (is_eased(self, entry, &changing->deadline)) {
            ease(self, changing, entry);
        } else {
            ordering_tell(self, entry, OCCURRENCE_SUSPENDED, ledger_text(self->ledger, cause));
            steps_await(self, &changing->request, (uint32_t)changing->row, false, resubmit);
            self->skips_orders = true;
        }
        self->changes->prev->deadline = changing->deadline;
    }
}

/* Whether the job waits for its parents, and gets no verdict before they have ended. */
static bool is_left_open(const json_t *answer)
{
    const char *reason = json_string_value(json_object_get(answer, "reason"));

    return reason && !strcmp(reason, "parents") && json_is_null(json_object_get(answer, "verdict"));
}

static void ask_of_change(struct serving *self, struct changing *changing);

/* An answer holds up to a moment. A change after that moment might lose a promise that stands. */
static bool is_late(const struct serving *self, const json_t *answer)
{
    const json_int_t until = json_integer_value(json_object_get(answer, "until"));

    return until > 0 && serving_now_s(self) > until - self->epoch;
}

static void answer_change(void *owner, void *subject, const json_t *answer,
                          const struct error *error)
{
    struct serving *self = owner;
    struct changing *changing = subject;

    if (answer && is_late(self, answer) && changing->tries < CHANGE_TRIES) {
        ask_of_change(self, changing);
        return;
    }
    if (!answer)
        clients_fail(self->clients, &changing->request, ANSWER_FAILED, "%s", error->text);
    else if (is_late(self, answer))
        clients_fail_busy(self->clients, &changing->request, 1,
                          "what the change would do was known too late %d times: nothing was done",
                          changing->tries);
    else if (changing->deadline.count > 0 && !is_left_open(answer) && !says_promised(answer))
        clients_answer(self->clients, &changing->request, ANSWER_DECLINED, json_deep_copy(answer));
    else
        begin_change(self, changing);
    free(changing);
}

static void ask_of_change(struct serving *self, struct changing *changing)
{
    static const struct question_kind kind = {ask_change, answer_change, NULL, true};
    const struct entry *entry = ledger_find(self->ledger, changing->row);

    changing->tries++;
    if (!asking_has_room(self, &changing->request)) {
        free(changing);
    } else if (entry_is_over(entry)) {
        clients_fail(self->clients, &changing->request, ANSWER_FAILED, "job %" PRIu64 " is over",
                     changing->row);
        free(changing);
    } else {
        questions_put(self->questions, client_user(changing->request->client), &kind, &changing,
                      sizeof(struct changing *), changing);
    }
}

/* Completes the deadline from a date, where the order has no steps. -1, with `error`, if there is
 * no deadline, more than one, or a past one. */
static int complete_due(const struct serving *self, struct job_order *order, struct error *error)
{
    const int64_t now_s = serving_now_s(self);
    const bool has_date = order->deadline >= 0 || order->deadline_in > 0;
    const bool soft = order->due.count > 0;

    if (soft && has_date)
        return error_set(error, "field \"deadlines\": expected no other deadline beside it");
    if (!soft && !has_date)
        return error_set(error, "field \"deadline\" is missing");
    if (order->deadline_in > 0)
        order->due = (struct new_deadline){1, {{now_s + order->deadline_in, 0}}};
    else if (order->deadline > 0)
        order->due = (struct new_deadline){1, {{order->deadline - self->epoch, 0}}};
    if (order->due.count > 0 && order->due.steps->deadline_s <= now_s)
        return error_set(error, "field \"%s\": it is %" PRId64 " s in the past",
                         soft ? "deadlines" : "deadline", now_s - order->due.steps->deadline_s);
    return 0;
}

void changing_change(struct serving *self, struct request *request)
{
    struct job_order order;
    const struct entry *entry = ordering_open(self, &request, change_fields, &order);
    struct changing *changing;
    struct error error;

    if (!entry || !asking_has_room(self, &request))
        return;
    if (complete_due(self, &order, &error) < 0) {
        clients_fail(self->clients, &request, ANSWER_BAD, "%s", error.text);
        return;
    }
    changing = xcalloc(1, sizeof(*changing));
    *changing =
        (struct changing){.request = request, .row = (uint64_t)order.job, .deadline = order.due};
    if (entry->standing != STANDING_HELD && !is_eased(self, entry, &changing->deadline)) {
        ask_of_change(self, changing);
    } else {
        begin_change(self, changing);
        free(changing);
    }
}

/* ---- after a start ---- */

static int read_deadline(const char *body, struct new_deadline *deadline, struct error *error)
{
    const size_t length = strlen(body);

    *deadline = (struct new_deadline){0};
    if (steps_are(body, length)) {
        deadline->count = steps_parse(body, length, 0, deadline->steps, error);
        return deadline->count > 0 ? 0 : -1;
    }
    deadline->steps->deadline_s = strtoll(body, NULL, 10);
    deadline->count = deadline->steps->deadline_s == DEADLINE_NONE_S ? 0 : 1;
    return 0;
}

struct recalling {
    struct serving *serving;
    struct error *error;
};

static int recall_deadline(void *owner, const char *key, const char *body)
{
    const struct recalling *recalling = owner;
    struct serving *self = recalling->serving;
    struct entry *entry = ledger_find(self->ledger, strtoull(key, NULL, 10));
    struct new_deadline deadline;
    char subject[48];

    if (!entry || entry->standing != STANDING_HELD)
        return 0;
    (void)snprintf(subject, sizeof(subject), "deadline of job %" PRIu32,
                   job_number_row(entry->number));
    if (read_deadline(body, &deadline, recalling->error) < 0)
        return error_prefix(recalling->error, subject);
    entry->submission = ordering_submit_again(self, entry, &deadline);
    return 0;
}

int changing_recall(struct serving *self, struct error *error)
{
    struct recalling recalling = {self, error};

    return journal_each(self->journal, "deadline", recall_deadline, &recalling, error) < 0 ? -1 : 0;
}
