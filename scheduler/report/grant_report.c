/* grant_report.c - see grant_report.h. */
#include "scheduler/report/grant_report.h"

#include "common/list.h"
#include "common/memory.h"
#include "common/number.h"

#include <stdlib.h>
#include <string.h>

/* The last grant of a job that was written. */
struct told {
    struct grant grant;
    uint64_t partner; /* number of the job that shares the GPUs */
    int overhead_s;
};

struct grant_report {
    output_t *out;
    LIST(struct told) told; /* by arrival */
};

grant_report_t *grant_report_new(output_t *out)
{
    grant_report_t *self = xcalloc(1, sizeof(*self));

    self->out = out;
    output_text(out, "time,job_id,gpus,batch_size,iterations_per_s,partner,overhead_s\n");
    return self;
}

void grant_report_destroy(grant_report_t **self)
{
    if (!*self)
        return;
    free((*self)->told.items);
    free(*self);
    *self = NULL;
}

static struct told *told_of(grant_report_t *self, const struct job *job)
{
    const size_t room = self->told.count;

    if (job->arrival >= room) {
        list_reserve(&self->told, (size_t)job->arrival + 1);
        self->told.count = self->told.capacity;
        memset(self->told.items + room, 0, (self->told.count - room) * sizeof(*self->told.items));
    }
    return &self->told.items[job->arrival];
}

static bool is_told(const struct told *a, const struct told *b)
{
    return a->grant.gpus == b->grant.gpus && grant_is_alike(&a->grant, &b->grant) &&
           a->partner == b->partner && a->grant.rate == b->grant.rate &&
           a->overhead_s == b->overhead_s;
}

static void write_grant(output_t *out, int64_t now_s, const struct job *job)
{
    const struct grant *grant = &job->grant;
    char rate[NUMBER_TEXT_BYTES];

    output_whole(out, now_s);
    output_char(out, ',');
    output_text(out, job->submission->id);
    output_char(out, ',');
    output_whole(out, grant->gpus);
    output_char(out, ',');
    if (grant->batch > 0)
        output_whole(out, grant->batch);
    output_char(out, ',');
    output_text(out, number_print_real(grant->rate, rate));
    output_char(out, ',');
    if (grant->partner)
        output_text(out, grant->partner->submission->id);
    output_char(out, ',');
    output_whole(out, job->overhead_s);
    output_char(out, '\n');
}

void grant_report_round(grant_report_t *self, int64_t now_s, const struct job *const live[],
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct job *job = live[i];
        const struct told now = {.grant = job->grant,
                                 .partner = job->grant.partner ? job->grant.partner->number : 0,
                                 .overhead_s = job->overhead_s};
        struct told *told = told_of(self, job);

        if (job_holds(job) && !is_told(told, &now))
            write_grant(self->out, now_s, job);
        *told = now;
    }
}
