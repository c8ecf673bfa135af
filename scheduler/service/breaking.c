/* breaking.c - which promises an order would break: a copy of the process carries the order out,
 * and goes on as planned until all promised jobs are over. */
#include "scheduler/service/serving.h"

#include "common/list.h"
#include "common/plural.h"
#include "protocol/job_number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Jobs whose promises are watched, and those whose promises did not survive. */
struct watch {
    LIST(uint64_t) jobs;
    int64_t last_s; /* the last deadline of these jobs */
    json_t *broken;
};

static void watch_promises(const struct serving *self, struct watch *watch)
{
    for (size_t i = 0; i < self->decision.live_count; i++) {
        const struct job *job = self->decision.live[i];

        if (job->promise.state != PROMISE_STANDS || submission_is_quote(job->submission))
            continue;
        list_append(&watch->jobs, job->submission->number);
        if (job->promise.deadline_s > watch->last_s)
            watch->last_s = job->promise.deadline_s;
    }
}

static void note_broken(struct watch *watch, uint64_t number)
{
    json_array_append_new(watch->broken, json_integer(job_number_row(number)));
}

/* Whether the promise of a job still stands. A promise that was broken or withdrawn is noted. */
static bool stands(const struct serving *self, struct watch *watch, uint64_t number)
{
    const struct job *job = engine_job(self->engine, number);

    if (job && job->promise.state == PROMISE_STANDS)
        return true;
    if (job && job->promise.state != PROMISE_KEPT)
        note_broken(watch, number);
    return false;
}

/* Looks at each watched promise. Returns whether any still stands. */
static bool look(const struct serving *self, struct watch *watch)
{
    size_t left = 0;

    for (size_t i = 0; i < watch->jobs.count; i++)
        if (stands(self, watch, watch->jobs.items[i]))
            watch->jobs.items[left++] = watch->jobs.items[i];
    watch->jobs.count = left;
    return left > 0;
}

/* When the next step is due: by the plan, or because a reservation begins or ends. */
static int64_t find_next_s(const struct serving *self)
{
    const int64_t change_s = reserving_change_s(self, self->decision.now_s);

    return change_s < self->decision.next_s ? change_s : self->decision.next_s;
}

static int step(struct serving *self, int64_t at_s, struct error *error)
{
    self->at_s = at_s;
    steps_tell(self, &(struct occurrence){.kind = OCCURRENCE_EXPECTED});
    return steps_try_told(self, error);
}

static int go_on(struct serving *self, struct watch *watch, const struct occurrence *told,
                 struct error *error)
{
    watch_promises(self, watch);
    if (steps_try(self, told, error) < 0)
        return -1;
    while (look(self, watch) && self->decision.now_s <= watch->last_s &&
           find_next_s(self) < NEVER_S)
        if (step(self, find_next_s(self), error) < 0)
            return -1;
    for (size_t i = 0; i < watch->jobs.count; i++)
        note_broken(watch, watch->jobs.items[i]);
    return 0;
}

json_t *breaking_find(struct serving *self, const struct occurrence *told, struct error *error)
{
    struct watch watch = {.broken = json_array()};

    if (go_on(self, &watch, told, error) < 0) {
        json_decref(watch.broken);
        watch.broken = NULL;
    }
    free(watch.jobs.items);
    return watch.broken;
}

void breaking_say(const json_t *broken, char *text, size_t size)
{
    const size_t count = json_array_size(broken);
    size_t used = (size_t)snprintf(text, size, "%zu promise%s would be broken: of job%s", count,
                                   PLURAL(count), PLURAL(count));

    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %" JSON_INTEGER_FORMAT,
                                 json_integer_value(json_array_get(broken, i)));
}
