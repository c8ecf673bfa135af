/* steering.c - verbs that change jobs and nodes that are there. */
#include "scheduler/service/serving.h"

#include "common/memory.h"
#include "common/number.h"
#include "protocol/job_number.h"
#include "scheduler/state/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORDER_BYTES (WHO_BYTES + 64)

/* A request about one job. */
struct job_order {
    int64_t job;
    int64_t deadline; /* -1 where nothing is said */
    int64_t deadline_in;
    struct words deadlines;
    struct new_deadline due; /* what these say: of dates alone once complete_due was called */
};

static const struct form_field job_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct job_order, job), 1, UINT32_MAX, true}, {0}};

static const struct form_field change_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct job_order, job), 1, UINT32_MAX, true},
    {"deadline", FORM_WHOLE, offsetof(struct job_order, deadline), 0, TIME_MAX_S, false},
    {"deadline_in", FORM_WHOLE, offsetof(struct job_order, deadline_in), 1, REQUEST_SECONDS_MAX,
     false},
    {"deadlines", FORM_WORDS, offsetof(struct job_order, deadlines), 0, 64, false},
    {0}};

static int read_order(const struct serving *self, const char *document,
                      const struct form_field fields[], struct job_order *order,
                      struct error *error)
{
    arena_t *texts = arena_new();
    int status;

    *order = (struct job_order){.deadline = -1};
    status = form_read(document, fields, order, texts, error);
    order->due.count = order->deadlines.count;
    if (status == 0 && order->due.count > 0)
        status = job_request_steps(&order->deadlines, serving_now_s(self), self->epoch,
                                   order->due.steps, error);
    arena_destroy(&texts);
    return status;
}

/* The job that the request is about, in a transaction; NULL if it was answered. */
static struct entry *open_order(struct serving *self, struct request **request,
                                const struct form_field fields[], struct job_order *order)
{
    struct entry *entry = NULL;
    struct error error;

    if (read_order(self, (*request)->document, fields, order, &error) < 0)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    else
        entry = verbs_entry(self, request, order->job, true);
    /* One thing after the other; but a step that waits for a disk with room holds up nothing. */
    if (entry && !self->stuck && steps_change(self, (uint32_t)order->job)) {
        clients_put_back(self->clients, request);
        self->waits_for_step = true;
        entry = NULL;
    }
    if (entry && !self->stuck && entry_is_over(entry)) {
        clients_fail(self->clients, request, ANSWER_FAILED, "job %" PRId64 " is over: it is %s",
                     order->job, standing_names[entry->standing]);
        entry = NULL;
    }
    if (entry && entry->standing == STANDING_QUOTED && strcmp((*request)->verb, "cancel") != 0) {
        clients_fail(self->clients, request, ANSWER_FAILED,
                     "%" PRId64
                     " is a quote that is held: a job takes it, or `cancel` gives it back",
                     order->job);
        entry = NULL;
    }
    if (entry && steps_open(self, &error) < 0) {
        clients_fail(self->clients, request, ANSWER_FAILED, "%s; nothing was done", error.text);
        entry = NULL;
    }
    return entry;
}

static void answer_state(struct serving *self, struct change *change)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);

    clients_answer(self->clients, &change->request, ANSWER_DONE,
                   json_pack("{s:I, s:s}", "job", (json_int_t)change->row, "state",
                             standing_names[entry->standing]));
    free(change);
}

static void tell_of(struct serving *self, const struct entry *entry, enum occurrence_kind kind,
                    const char *cause)
{
    steps_tell(self, &(struct occurrence){
                         .kind = kind, .row = UINT32_MAX, .job = entry->number, .cause = cause});
}

/* What the engine is not told of a job: when it was cancelled while it was held, and by whom. */
static int keep_cancelled(struct serving *self, uint64_t row, const char *cause,
                          struct error *error)
{
    char body[ORDER_BYTES + 24];

    (void)snprintf(body, sizeof(body), "%" PRId64 " %s", serving_now_s(self), cause);
    return journal_put_number(self->journal, "cancelled", row, body, error);
}

/* The same: the deadline that it is to have, a time or steps with values. */
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

/* `before`, and who gives the order. */
static void write_order(char text[ORDER_BYTES], const char *before, const client_t *client,
                        const struct entry *entry)
{
    char who[WHO_BYTES];

    verbs_say_who(client, entry, who);
    (void)snprintf(text, ORDER_BYTES, "%s%s", before, who);
}

static void fail_unkept(struct serving *self, struct request **request, const struct error *error)
{
    clients_fail(self->clients, request, ANSWER_FAILED, "%s; nothing was done", error->text);
}

static void answer_cancelled(struct serving *self, struct change *change)
{
    struct entry *entry = ledger_find(self->ledger, change->row);
    char cause[ORDER_BYTES];

    write_order(cause, CAUSE_OF_CANCEL, change->request->client, entry);
    ledger_cancel(self->ledger, entry, serving_now_s(self), cause);
    answer_state(self, change);
}

/* The engine does not know the job, so that no step tells of its end, unless others wait for it. */
static int cancel_held(struct serving *self, struct request **request, uint32_t row,
                       const char *cause)
{
    const struct entry *entry = ledger_find(self->ledger, row);
    struct error error;

    if (keep_cancelled(self, row, cause, &error) == 0) {
        if (engine_awaits(self->engine, entry->number))
            tell_of(self, entry, OCCURRENCE_CANCELLED, ledger_text(self->ledger, cause));
        steps_await(self, request, row, false, answer_cancelled);
        return 0;
    }
    fail_unkept(self, request, &error);
    return -1;
}

void steering_cancel(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = open_order(self, &request, job_fields, &order);
    const client_t *client = request ? request->client : NULL;
    const bool is_quote = entry && entry->standing == STANDING_QUOTED;
    char cause[ORDER_BYTES];

    if (!entry)
        return;
    write_order(cause, is_quote ? CAUSE_OF_RETURN : CAUSE_OF_CANCEL, client, entry);
    if (entry->standing != STANDING_HELD) {
        tell_of(self, entry, OCCURRENCE_CANCELLED, ledger_text(self->ledger, cause));
        steps_await(self, &request, (uint32_t)order.job, false, answer_state);
    } else if (cancel_held(self, &request, (uint32_t)order.job, cause) < 0) {
        return;
    }
    noting_order(self, client, (uint32_t)order.job, is_quote ? "given-back" : "cancelled", cause);
}

/* ---- holding ---- */

/* An operator's hold of another's job outlives the process: it is no step's. */
static int keep_holder(struct serving *self, uint64_t row, const char *holder, struct error *error)
{
    return journal_put_number(self->journal, "holder", row, holder, error);
}

static void answer_held(struct serving *self, struct change *change)
{
    struct entry *entry = ledger_find(self->ledger, change->row);
    const client_t *client = change->request->client;
    char holder[WHO_BYTES];

    verbs_say_who(client, entry, holder);
    if (strcmp(client_user(client), entry->user) != 0)
        ledger_hold(self->ledger, entry, holder);
    answer_state(self, change);
}

void steering_hold(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = open_order(self, &request, job_fields, &order);
    const client_t *client = request ? request->client : NULL;
    char cause[ORDER_BYTES];
    bool foreign;
    struct error error;

    if (!entry)
        return;
    write_order(cause, "", client, entry);
    foreign = strcmp(client_user(client), entry->user) != 0;
    if ((foreign || entry->standing != STANDING_HELD) &&
        keep_holder(self, (uint64_t)order.job, foreign ? cause : "", &error) < 0) {
        fail_unkept(self, &request, &error);
        return;
    }
    write_order(cause, CAUSE_OF_HOLD, client, entry);
    noting_order(self, client, (uint32_t)order.job, "held", cause);
    if (entry->standing != STANDING_HELD)
        tell_of(self, entry, OCCURRENCE_SUSPENDED, ledger_text(self->ledger, cause));
    steps_await(self, &request, (uint32_t)order.job, false, answer_held);
}

static struct new_deadline deadline_of(const struct submission *job)
{
    struct new_deadline deadline = {job->deadline_s == DEADLINE_NONE_S ? 0 : 1,
                                    {{job->deadline_s, 0}}};

    if (submission_is_soft(job)) {
        deadline.count = job->level_count;
        memcpy(deadline.steps, job->levels, job->level_count * sizeof(*job->levels));
    }
    return deadline;
}

/* The submission of a job that was submitted before, with what it did. */
static struct submission *submit_again(struct serving *self, const struct entry *entry,
                                       const struct new_deadline *deadline)
{
    arena_t *kept = ledger_texts(self->ledger);
    struct submission *again = arena_alloc(kept, sizeof(*again));
    const struct submission *before = entry->submission;
    const bool is_due = deadline->count > 0;
    struct job_level *levels = arena_alloc(kept, (deadline->count + !is_due) * sizeof(*levels));

    *again = *before;
    *levels = (struct job_level){DEADLINE_NONE_S, 0};
    memcpy(levels, deadline->steps, deadline->count * sizeof(*levels));
    if (levels->value == 0)
        levels->value = before->level_count > 0 ? before->levels[0].value : LEVEL_VALUE_FULL;
    again->deadline_s = levels->deadline_s;
    again->best_effort = !is_due;
    again->promise_or_decline = before->promise_or_decline && is_due;
    again->levels = levels;
    again->level_count = deadline->count;
    parents_renew(self, again);
    again->iterations_done = entry->iterations_done < before->iterations ? entry->iterations_done
                                                                         : before->iterations - 1;
    sharing_give(self, entry->user, again);
    return again;
}

/* Whether the client may let the job run; otherwise `request` was answered. */
static bool may_release(struct serving *self, struct request **request, const struct entry *entry)
{
    struct error error;

    if (entry->holder && client_role((*request)->client) != ROLE_OPERATE)
        clients_fail(self->clients, request, ANSWER_NOT_ALLOWED,
                     "%s holds job %" PRIu32 ": only an operator releases it", entry->holder,
                     job_number_row(entry->number));
    else if (entry->standing == STANDING_HELD && programs_check_again(self, entry, &error) < 0)
        clients_fail(self->clients, request, ANSWER_NOT_ALLOWED, "%s", error.text);
    else
        return true;
    return false;
}

const struct submission *steering_submit_again(struct serving *self, const struct entry *entry,
                                               int64_t from_s)
{
    struct new_deadline deadline = deadline_of(entry->submission);

    while (deadline.count > 1 && deadline.steps->deadline_s < from_s)
        memmove(deadline.steps, deadline.steps + 1, --deadline.count * sizeof(*deadline.steps));
    return submit_again(self, entry, &deadline);
}

void steering_release(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = open_order(self, &request, job_fields, &order);
    const struct submission *again;
    char text[ORDER_BYTES];
    struct error error;

    if (!entry || !may_release(self, &request, entry))
        return;
    if (entry->standing == STANDING_HELD) {
        if (entry->holder && keep_holder(self, (uint64_t)order.job, "", &error) < 0) {
            fail_unkept(self, &request, &error);
            return;
        }
        again = steering_submit_again(self, entry, 0);
        steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                              .job = again->number,
                                              .submission = again});
        write_order(text, "it is released by ", request->client, entry);
        noting_order(self, request->client, (uint32_t)order.job, "released", text);
    }
    steps_await(self, &request, (uint32_t)order.job, false, submitting_answer_decided);
}

/* ---- another deadline ---- */

int steering_resubmit(struct serving *self, const struct entry *entry,
                      const struct new_deadline *deadline, struct error *error)
{
    const struct occurrence suspended = {
        .kind = OCCURRENCE_SUSPENDED, .row = UINT32_MAX, .job = entry->number};
    struct occurrence submitted = {.kind = OCCURRENCE_SUBMITTED, .job = entry->number};

    if (entry->standing != STANDING_HELD && steps_try(self, &suspended, error) < 0)
        return -1;
    submitted.submission = submit_again(self, entry, deadline);
    return steps_try(self, &submitted, error);
}

/* Most times that a change is asked about while each answer comes too late, on a busy machine. */
#define CHANGE_TRIES 8

/* What was asked, and of which job. */
struct changing {
    struct request *request;
    uint64_t row;
    struct new_deadline deadline;
    int tries; /* so far */
};

static bool says_promised(const json_t *answer)
{
    const char *verdict = json_string_value(json_object_get(answer, "verdict"));

    return verdict && !strcmp(verdict, "promised");
}

/* The deadline is promised at this moment, and refused at one at which the change may be made. */
static json_t *tell_too_late(void)
{
    return json_pack("{s:s, s:n, s:s, s:s}", "verdict", "best-effort", "promised_until", "reason",
                     "no-free-gpus", "sentence",
                     "best effort: a moment later no plan would end it by its deadline and keep "
                     "all promises");
}

/* In a copy: what the job would be told, and the earliest deadline if it would not be promised the
 * new one at each moment at which the change may be made. */
static json_t *ask_change(void *owner, const void *question, struct error *error)
{
    struct serving *self = owner;
    const struct changing *changing = *(const struct changing *const *)question;
    const struct entry *entry = ledger_find(self->ledger, changing->row);
    json_t *earliest = NULL;
    json_t *told;

    if (changing->deadline.count > 0 && self->inputs.setting.policy->admission->promises &&
        !(earliest =
              quoting_find_change(self, submit_again(self, entry, &changing->deadline), error)))
        return NULL;
    if (steering_resubmit(self, entry, &changing->deadline, error) < 0)
        return NULL;
    told = telling_verdict(self, entry);
    if (json_object_get(earliest, "earliest") && says_promised(told))
        json_object_update_new(told, tell_too_late());
    if (earliest)
        json_object_update(told, earliest);
    return told;
}

/* The first half is kept: the job comes again, with its new deadline. */
static void resubmit(struct serving *self, struct change *change)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);
    const struct submission *again = submit_again(self, entry, &change->deadline);

    steps_tell(self, &(struct occurrence){
                         .kind = OCCURRENCE_SUBMITTED, .job = again->number, .submission = again});
    steps_await(self, &change->request, change->row, false, submitting_answer_decided);
    self->changes->prev->is_kept = true;
    self->told_kept = self->told.count;
    free(change);
}

/* A held job has its deadline at once: it is promised, or not, when the job is released. */
static void change_held(struct serving *self, struct change *change)
{
    struct entry *entry = ledger_find(self->ledger, change->row);

    entry->submission = submit_again(self, entry, &change->deadline);
    submitting_answer_decided(self, change);
}

/* The deadline is kept before the job is taken from the engine: whatever ends the service, the job
 * comes back with it. */
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
        fail_unkept(self, &changing->request, &error);
    } else {
        write_order(cause, CAUSE_OF_CHANGE, changing->request->client, entry);
        noting_order(self, changing->request->client, (uint32_t)changing->row, "changed", cause);
        if (!held)
            tell_of(self, entry, OCCURRENCE_SUSPENDED, ledger_text(self->ledger, cause));
        steps_await(self, &changing->request, (uint32_t)changing->row, false,
                    held ? change_held : resubmit);
        self->changes->prev->deadline = changing->deadline;
        self->skips_orders = self->skips_orders || !held;
    }
}

/* Whether the job waits for others, and is decided on once they have ended. */
static bool is_left_open(const json_t *answer)
{
    const char *reason = json_string_value(json_object_get(answer, "reason"));

    return reason && !strcmp(reason, "parents") && json_is_null(json_object_get(answer, "verdict"));
}

static void ask_of_change(struct serving *self, struct changing *changing);

/* An answer is good up to a moment, after which the job might lose a promise that stands. */
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

/* A date alone is read where there are no steps. -1, with `error`, if there is no deadline, more
 * than one, or one that is past. */
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

void steering_change(struct serving *self, struct request *request)
{
    struct job_order order;
    const struct entry *entry = open_order(self, &request, change_fields, &order);
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
    if (entry->standing != STANDING_HELD) {
        ask_of_change(self, changing);
    } else {
        begin_change(self, changing);
        free(changing);
    }
}

/* ---- after a start ---- */

static int recall_cancelled(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    struct entry *entry = ledger_find(self->ledger, strtoull(key, NULL, 10));

    char *cause;
    const int64_t at_s = strtoll(body, &cause, 10);

    if (entry && entry->standing == STANDING_HELD && !entry->untold)
        ledger_cancel(self->ledger, entry, at_s, *cause == ' ' ? cause + 1 : NULL);
    return 0;
}

static int recall_holder(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    struct entry *entry = ledger_find(self->ledger, strtoull(key, NULL, 10));

    if (entry && entry->standing == STANDING_HELD && *body)
        ledger_hold(self->ledger, entry, body);
    return 0;
}

/* As 40fc821 kept that a held job was cancelled. */
static int recall_hold(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    struct entry *entry = ledger_find(self->ledger, strtoull(key, NULL, 10));

    if (entry && entry->standing == STANDING_HELD && !entry->untold && !strcmp(body, "cancelled"))
        ledger_cancel(self->ledger, entry, entry->submitted_s, NULL);
    return 0;
}

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
    entry->submission = submit_again(self, entry, &deadline);
    return 0;
}

int steering_recall(struct serving *self, struct error *error)
{
    struct recalling recalling = {self, error};

    return journal_each(self->journal, "deadline", recall_deadline, &recalling, error) < 0 ||
                   journal_each(self->journal, "hold", recall_hold, self, error) < 0 ||
                   journal_each(self->journal, "cancelled", recall_cancelled, self, error) < 0 ||
                   journal_each(self->journal, "holder", recall_holder, self, error) < 0
               ? -1
               : 0;
}

void steering_catch_up(struct serving *self)
{
    for (uint64_t row = 1; row < ledger_next(self->ledger); row++) {
        const struct entry *entry = ledger_find(self->ledger, row);

        if (entry->changes && entry->standing == STANDING_HELD)
            steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                                  .job = entry->number,
                                                  .submission = entry->submission});
    }
}

/* ---- nodes ---- */

struct node_order {
    const char *node;
};

static const struct form_field node_fields[] = {
    {"node", FORM_TEXT, offsetof(struct node_order, node), 0, 255, true}, {0}};

/* By its name, or its number; -1 if there is none. */
static int find_node(const struct serving *self, const char *text)
{
    int64_t number;

    for (int i = 0; i < self->driver->cluster_nodes; i++) {
        char name[256];

        if (!strcmp(telling_node_name(self, i, name, sizeof(name)), text))
            return i;
    }
    if (number_parse_whole(text, strlen(text), 0, self->driver->cluster_nodes - 1, &number) ==
        NUMBER_OK)
        return (int)number;
    return -1;
}

int steering_node(struct serving *self, struct request **request, const char *text)
{
    const int node = find_node(self, text);

    if (node < 0)
        clients_fail(self->clients, request, ANSWER_UNKNOWN, "there is no node \"%.100s\"", text);
    return node;
}

static int read_node(struct serving *self, struct request **request)
{
    arena_t *texts = arena_new();
    struct node_order order = {NULL};
    struct error error;
    int node = -1;

    if (form_read((*request)->document, node_fields, &order, texts, &error) < 0) {
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    } else {
        node = steering_node(self, request, order.node);
    }
    arena_destroy(&texts);
    return node;
}

static void answer_nodes(struct serving *self, struct change *change)
{
    clients_answer(self->clients, &change->request, ANSWER_DONE, telling_nodes(self));
    free(change);
}

static void steer_node(struct serving *self, struct request *request, bool drains)
{
    const int node = read_node(self, &request);
    char cause[ORDER_BYTES];
    struct error error;

    if (node < 0)
        return;
    write_order(cause, drains ? CAUSE_OF_DRAIN : "resumed by ", request->client, NULL);
    if (steps_open(self, &error) < 0 ||
        journal_put_number(self->journal, "node", (uint64_t)node, drains ? cause : "resumed",
                           &error) < 0) {
        fail_unkept(self, &request, &error);
        return;
    }
    if (drains || !self->driver->nodes[node].told_gone)
        steps_tell(self, &(struct occurrence){.kind = drains ? OCCURRENCE_NODE_DRAINING
                                                             : OCCURRENCE_NODE_UP,
                                              .node = node,
                                              .until_s = NEVER_S,
                                              .cause = ledger_text(self->ledger, cause)});
    self->drained[node] = drains ? ledger_text(self->ledger, cause) : NULL;
    steps_await(self, &request, 0, false, answer_nodes);
}

void steering_drain(struct serving *self, struct request *request)
{
    steer_node(self, request, true);
}

void steering_resume(struct serving *self, struct request *request)
{
    steer_node(self, request, false);
}
