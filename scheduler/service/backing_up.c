/* backing_up.c - a copy of the state beside its use, some pages between two requests. */
#include "scheduler/service/serving.h"

static void backing_up_end(struct serving *self, int status, const struct error *error)
{
    if (status > 0)
        clients_answer(self->clients, &self->backs_up, ANSWER_DONE, json_object());
    else
        clients_fail(self->clients, &self->backs_up, ANSWER_FAILED, "%s", error->text);
}

void backing_up_take(struct serving *self, struct request *request)
{
    if (self->backs_up)
        clients_fail_busy(self->clients, &request, 1, "a copy of the state is being made");
    else
        self->backs_up = request;
}

bool backing_up_goes_on(struct serving *self)
{
    struct error error;
    int status;

    if (!self->backs_up || self->stuck || self->in_transaction)
        return false;
    status = journal_copy(self->journal, &error);
    if (status != 0)
        backing_up_end(self, status, &error);
    return status == 0;
}
