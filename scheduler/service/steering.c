/* steering.c - verbs that cancel, hold and release jobs. */
#include "scheduler/service/ordering.h"

#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores the end of a held job, of which the engine knows nothing: when it was cancelled, and by
 * whom. */
static int keep_cancelled(struct serving *self, uint64_t row, const char *cause,
                          struct error *error)
{
    char body[ORDER_BYTES + 24];

    (void)snprintf(body, sizeof(body), "%" PRId64 " %s", serving_now_s(self), cause);
    return journal_put_number(self->journal, "cancelled", row, body, error);
}

static void answer_cancelled(struct serving *self, struct change *change)
{
    struct entry *entry = ledger_find(self->ledger, change->row);
    char cause[ORDER_BYTES];

    ordering_say(cause, CAUSE_OF_CANCEL, change->request->client, entry);
    ledger_cancel(self->ledger, entry, serving_now_s(self), cause);
    ordering_answer_state(self, change);
}

/* Cancels a held job. The engine does not know the job, so no step tells of its end unless other
 * jobs wait for it. */
static int cancel_held(struct serving *self, struct request **request, uint32_t row,
                       const char *cause)
{
    const struct entry *entry = ledger_find(self->ledger, row);
    struct error error;

    if (keep_cancelled(self, row, cause, &error) == 0) {
        if (engine_awaits(self->engine, entry->number))
            ordering_tell(self, entry, OCCURRENCE_CANCELLED, ledger_text(self->ledger, cause));
        steps_await(self, request, row, false, answer_cancelled);
        return 0;
    }
    ordering_fail(self, request, &error);
    return -1;
}

void steering_cancel(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = ordering_open(self, &request, ordering_job_fields, &order);
    const client_t *client = request ? request->client : NULL;
    const bool is_quote = entry && entry->standing == STANDING_QUOTED;
    char cause[ORDER_BYTES];

    if (!entry)
        return;
    ordering_say(cause, is_quote ? CAUSE_OF_RETURN : CAUSE_OF_CANCEL, client, entry);
    if (entry->standing != STANDING_HELD) {
        ordering_tell(self, entry, OCCURRENCE_CANCELLED, ledger_text(self->ledger, cause));
        steps_await(self, &request, (uint32_t)order.job, false, ordering_answer_state);
    } else if (cancel_held(self, &request, (uint32_t)order.job, cause) < 0) {
        return;
    }
    noting_order(self, client, (uint32_t)order.job, is_quote ? "given-back" : "cancelled", cause);
}

/* ---- holding ---- */

/* Stores which operator holds another user's job: no step tells who that is, and a later process
 * has to know. */
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
    ordering_answer_state(self, change);
}

void steering_hold(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = ordering_open(self, &request, ordering_job_fields, &order);
    const client_t *client = request ? request->client : NULL;
    char cause[ORDER_BYTES];
    bool foreign;
    struct error error;

    if (!entry)
        return;
    ordering_say(cause, "", client, entry);
    foreign = strcmp(client_user(client), entry->user) != 0;
    if ((foreign || entry->standing != STANDING_HELD) &&
        keep_holder(self, (uint64_t)order.job, foreign ? cause : "", &error) < 0) {
        ordering_fail(self, &request, &error);
        return;
    }
    ordering_say(cause, CAUSE_OF_HOLD, client, entry);
    noting_order(self, client, (uint32_t)order.job, "held", cause);
    if (entry->standing != STANDING_HELD)
        ordering_tell(self, entry, OCCURRENCE_SUSPENDED, ledger_text(self->ledger, cause));
    steps_await(self, &request, (uint32_t)order.job, false, answer_held);
}

/* Whether the client may release the job; if not, the request was answered. */
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

void steering_release(struct serving *self, struct request *request)
{
    struct job_order order;
    struct entry *entry = ordering_open(self, &request, ordering_job_fields, &order);
    const struct submission *again;
    char text[ORDER_BYTES];
    struct error error;

    if (!entry || !may_release(self, &request, entry))
        return;
    if (entry->standing == STANDING_HELD) {
        if (entry->holder && keep_holder(self, (uint64_t)order.job, "", &error) < 0) {
            ordering_fail(self, &request, &error);
            return;
        }
        again = ordering_submit_from(self, entry, 0);
        steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                              .job = again->number,
                                              .submission = again});
        ordering_say(text, "it is released by ", request->client, entry);
        noting_order(self, request->client, (uint32_t)order.job, "released", text);
    }
    steps_await(self, &request, (uint32_t)order.job, false, submitting_answer_decided);
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

/* An earlier version wrote the cancelling of a held job as a "hold" document. */
static int recall_hold(void *owner, const char *key, const char *body)
{
    struct serving *self = owner;
    struct entry *entry = ledger_find(self->ledger, strtoull(key, NULL, 10));

    if (entry && entry->standing == STANDING_HELD && !entry->untold && !strcmp(body, "cancelled"))
        ledger_cancel(self->ledger, entry, entry->submitted_s, NULL);
    return 0;
}

int steering_recall(struct serving *self, struct error *error)
{
    return changing_recall(self, error) < 0 ||
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
