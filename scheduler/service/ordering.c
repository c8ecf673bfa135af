/* ordering.c - what orders of clients about jobs have in common: the request, who gives the order,
 * and the submission of a job that comes to the engine once more. */
#include "scheduler/service/ordering.h"

#include "common/memory.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct form_field ordering_job_fields[] = {
    {"job", FORM_WHOLE, offsetof(struct job_order, job), 1, UINT32_MAX, true}, {0}};
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

/* The job of the request, in a transaction; NULL if the request was answered or put back. */
struct entry *ordering_open(struct serving *self, struct request **request,
                            const struct form_field fields[], struct job_order *order)
{
    struct entry *entry = NULL;
    struct error error;

    if (read_order(self, (*request)->document, fields, order, &error) < 0)
        clients_fail(self->clients, request, ANSWER_BAD, "%s", error.text);
    else
        entry = verbs_entry(self, request, order->job, true);
    /* Only one order at a time changes a job. A step that waits for room on the disk delays no
     * order. */
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

void ordering_answer_state(struct serving *self, struct change *change)
{
    const struct entry *entry = ledger_find(self->ledger, change->row);

    clients_answer(self->clients, &change->request, ANSWER_DONE,
                   json_pack("{s:I, s:s}", "job", (json_int_t)change->row, "state",
                             standing_names[entry->standing]));
    free(change);
}

void ordering_tell(struct serving *self, const struct entry *entry, enum occurrence_kind kind,
                   const char *cause)
{
    steps_tell(self, &(struct occurrence){
                         .kind = kind, .row = UINT32_MAX, .job = entry->number, .cause = cause});
}

/* Writes `before`, and who gives the order. */
void ordering_say(char text[ORDER_BYTES], const char *before, const client_t *client,
                  const struct entry *entry)
{
    char who[WHO_BYTES];

    verbs_say_who(client, entry, who);
    (void)snprintf(text, ORDER_BYTES, "%s%s", before, who);
}

void ordering_fail(struct serving *self, struct request **request, const struct error *error)
{
    clients_fail(self->clients, request, ANSWER_FAILED, "%s; nothing was done", error->text);
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

/* The submission of a known job once more, with the work that it did. */
struct submission *ordering_submit_again(struct serving *self, const struct entry *entry,
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

const struct submission *ordering_submit_from(struct serving *self, const struct entry *entry,
                                              int64_t from_s)
{
    struct new_deadline deadline = deadline_of(entry->submission);

    while (deadline.count > 1 && deadline.steps->deadline_s < from_s)
        memmove(deadline.steps, deadline.steps + 1, --deadline.count * sizeof(*deadline.steps));
    return ordering_submit_again(self, entry, &deadline);
}
