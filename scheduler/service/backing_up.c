/* backing_up.c - a copy of the state, made after each start and when a client asks. Some pages are
 * copied between two requests. */
#include "scheduler/service/serving.h"

#include "common/log.h"

void backing_up_begin(struct serving *self)
{
    self->copies_state = self->copies_state || self->copy_is_due;
    self->copy_is_due = false;
}

static void backing_up_end(struct serving *self, int status, const struct error *error)
{
    self->copies_state = false;
    if (status > 0)
        log_event(&LOG_ABOUT_NOTHING, "backup", "state=%s", log_text(self->setting.state));
    else
        log_event(&LOG_ABOUT_NOTHING, "no-backup", "cause=%s", log_text(error->text));
    if (!self->backs_up)
        return;
    if (status > 0)
        clients_answer(self->clients, &self->backs_up, ANSWER_DONE, json_object());
    else
        clients_fail(self->clients, &self->backs_up, ANSWER_FAILED, "%s", error->text);
}

/* A commit that is made during the copying is in the copy, too. */
void backing_up_take(struct serving *self, struct request *request)
{
    if (self->backs_up) {
        clients_fail_busy(self->clients, &request, 1, "a copy of the state is being made");
        return;
    }
    self->backs_up = request;
    self->copies_state = true;
}

bool backing_up_goes_on(struct serving *self)
{
    struct error error;
    int status;

    if (!self->copies_state || self->stuck || self->in_transaction)
        return false;
    status = journal_copy(self->journal, &error);
    if (status != 0)
        backing_up_end(self, status, &error);
    return status == 0;
}
