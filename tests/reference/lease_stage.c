/* lease_stage.c - see lease_stage.h. */
#include "tests/reference/lease_stage.h"

#include "common/memory.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>

struct lease_stage *lease_stage_new(int gpu_count, const char *rules)
{
    struct lease_stage *self = xcalloc(1, sizeof(*self));
    struct error error;

    if (policy_with_rules(policy_find("chronus"), rules, &self->variant, &error) < 0)
        fail_msg("%s", error.text);
    self->leasing = (struct leasing)LEASING_DEFAULT;
    self->leasing.check_s = 60;
    self->book = lease_book_new(gpu_count);
    self->look = (struct lease_look){.book = self->book,
                                     .leasing = &self->leasing,
                                     .rules = &self->variant.rules.sharing.chronus};
    lease_stage_behind_round(self, 0);
    return self;
}

void lease_stage_destroy(struct lease_stage **self)
{
    if (!*self)
        return;
    lease_book_destroy(&(*self)->book);
    free(*self);
    *self = NULL;
}

void lease_stage_before_round(struct lease_stage *self, int64_t now_s)
{
    assert_int_equal(now_s % self->leasing.lease_s, 0);
    self->look.now_s = now_s;
    self->look.slot = now_s / self->leasing.lease_s;
}

void lease_stage_behind_round(struct lease_stage *self, int64_t now_s)
{
    self->look.now_s = now_s;
    self->look.slot = now_s / self->leasing.lease_s + 1;
}

static struct job *add_job(struct lease_stage *self, const struct lease_job *stated)
{
    const size_t i = self->job_count++;

    assert_true(i < LEASE_STAGE_JOBS);
    self->stated[i] = *stated;
    self->submissions[i] = lease_job_make(&self->stated[i]);
    self->submissions[i].number = i;
    self->jobs[i] =
        (struct job){.submission = &self->submissions[i], .arrival = i, .row = (uint32_t)i};
    return &self->jobs[i];
}

void lease_stage_admit(struct lease_stage *self, const struct lease_job *jobs, size_t count)
{
    const struct job *arrivals[LEASE_STAGE_JOBS];
    struct view view = {.now_s = self->look.now_s, .jobs = arrivals};

    for (size_t i = 0; i < count; i++)
        arrivals[i] = add_job(self, &jobs[i]);
    view.job_count = view.arrival_count = count;
    lease_admit(&self->look, &view);
}

struct lease *lease_stage_add(struct lease_stage *self, const struct lease_job *job,
                              enum lease_class class)
{
    struct lease *lease;

    lease_stage_admit(self, job, 1);
    lease = lease_stage_lease(self, self->job_count - 1);
    if (lease->class == LEASE_UNACCEPTED)
        self->book->unaccepted--;
    lease->class = class;
    return lease;
}

struct lease *lease_stage_add_running(struct lease_stage *self, const struct lease_job *job,
                                      enum lease_class class)
{
    struct lease *lease = lease_stage_add(self, job, class);

    self->book->pending.count--;
    lease->running = true;
    lease_list_append(&self->book->running, lease);
    return lease;
}

struct lease *lease_stage_lease(const struct lease_stage *self, size_t index)
{
    return lease_of(self->book, &self->jobs[index]);
}

void lease_stage_plan(struct lease_stage *self, struct lease *lease, int64_t from, int64_t to)
{
    struct slot_runs plan = {.items = NULL};

    slot_runs_append(&plan, from, to);
    lease_book_plan(self->book, lease, &plan);
    slot_runs_free(&plan);
}

const char *lease_stage_names(const struct lease_list *list)
{
    static char text[400];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? " " : "",
                                 list->items[i]->job->submission->id);
    return text;
}
