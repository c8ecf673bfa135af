/* work.c - what jobs need and do: their scaling, and the iterations of an interval. */
#include "scheduler/engine/stages.h"

#include <math.h>
#include <stdlib.h>

int round_usable_gpus(const engine_t *self, int gpus_max)
{
    int power = 1;

    if (!self->lost_nodes)
        return self->usable_gpus;
    while (2 * power <= self->usable_gpus)
        power *= 2;
    return power < gpus_max ? power : self->usable_gpus;
}

static const struct scaling *find_scaling(engine_t *self, const struct throughput_row *row,
                                          int gpus_max, struct error *error)
{
    struct scalings *scalings = &self->scalings;
    struct scaling *scaling;

    for (size_t i = 0; i < scalings->count; i++)
        if (scalings->items[i]->row == row && scalings->items[i]->gpus_max == gpus_max)
            return scalings->items[i];
    scaling = xmalloc(sizeof(*scaling));
    if (!row) {
        scaling_init_fixed(scaling, gpus_max);
    } else if (scaling_init(scaling, row, gpus_max, round_usable_gpus(self, gpus_max), error) < 0) {
        free(scaling);
        return NULL;
    }
    scalings->items =
        grow_array(scalings->items, scalings->count, &scalings->capacity, sizeof(struct scaling *));
    scalings->items[scalings->count++] = scaling;
    return scaling;
}

int round_scale(engine_t *self, struct job *job, const struct throughput_row *row, int gpus_max,
                struct error *error)
{
    job->scaling = find_scaling(self, row, gpus_max, error);
    return job->scaling ? 0 : -1;
}

int round_check_asked(const engine_t *self, const struct job *job, struct error *error)
{
    if (job->submission->gpus_requested >= 1)
        return 0;
    return error_set(error, "job %s: %s needs the num_gpu that the trace does not state",
                     job->submission->id, self->setting.policy->name);
}

int round_check_column(const struct job *job, struct error *error)
{
    const struct scaling *scaling = job->scaling;

    if (scaling->gpus[scaling->top] == job->submission->gpus_requested)
        return 0;
    return error_set(error,
                     "job %s: model %s, batch size %d: the throughput table has no column for "
                     "the %d GPUs that it asks for",
                     job->submission->id, scaling->row->model, scaling->row->batch_size,
                     job->submission->gpus_requested);
}

static int check_size(const struct job *job, struct error *error)
{
    if (round_check_column(job, error) < 0)
        return -1;
    if (job->scaling->rate[job->scaling->top] > 0)
        return 0;
    return scaling_complain(job->scaling, job->scaling->top, error);
}

int plain_check(engine_t *self, struct job *job, struct error *error)
{
    const struct policy *policy = self->setting.policy;

    if (policy->fixed_size && round_check_asked(self, job, error) < 0)
        return -1;
    if (round_scale(self, job, job->submission->throughput,
                    policy->gpus_max(job, self->setting.gpu_type), error) < 0)
        return -1;
    return policy->fixed_size ? check_size(job, error) : 0;
}

int64_t plain_whole_s(const engine_t *self, const struct job *job)
{
    (void)self;
    return job->submission->duration_s;
}

/* What rounding can leave of the iterations of a job that did them all: many times the errors of
 * some thousand subtractions, far less than a second of work. */
#define ROUNDING 1e-9

/* All work after the overhead counts, until nothing is left. */
int plain_expect(engine_t *self, const struct job *job, struct interval interval, struct progress *progress,
                 struct error *error)
{
    const double rate = job->scaling->rate[job->level];
    const int64_t worked_s =
        interval.elapsed_s > job->overhead_s ? interval.elapsed_s - job->overhead_s : 0;

    (void)self;
    (void)error;
    *progress =
        (struct progress){.iterations = (double)worked_s * rate, .worked_s = worked_s};
    if (job->iterations_left - progress->iterations >
        ROUNDING * (double)job->submission->iterations)
        return 0;
    progress->done = progress->iterations_done = true;
    progress->ended_s = interval.now_s - worked_s + (int64_t)ceil(job->iterations_left / rate);
    progress->ended_s = progress->ended_s < interval.now_s ? progress->ended_s : interval.now_s;
    progress->iterations = job->iterations_left;
    return 0;
}

/* An overhead that is longer than the interval is paid on in the next one. */
void plain_credit(engine_t *self, struct job *job, const struct progress *progress)
{
    job->iterations_left -= progress->iterations;
    job->iterations_credited += progress->iterations;
    job->attained_s += progress->worked_s;
    job->overhead_s =
        job->overhead_s > self->elapsed_s ? job->overhead_s - (int)self->elapsed_s : 0;
    if (!progress->done)
        return;
    job->end_s = progress->ended_s;
    job->early_s = progress->early_s;
}

void plain_pay(engine_t *self, struct job *job, int overhead_s)
{
    (void)self;
    job->end_s += overhead_s - job->overhead_s;
    job->overhead_s = overhead_s;
}

int64_t plain_foresee(const engine_t *self, const struct job *job)
{
    const double pace = job->pace > 0 ? job->pace : 1;
    double left_s;

    if (job->finish_s == NEVER_S || job->finish_s == 0)
        return NEVER_S;
    left_s = (double)(job->finish_s - self->now_s) / pace + job->overhead_s;
    return left_s < 1e15 ? self->now_s + (int64_t)ceil(left_s) : NEVER_S;
}

bool plain_in_time(const engine_t *self, const struct job *job, int64_t foreseen_s)
{
    (void)self;
    return foreseen_s <= job->submission->deadline_s;
}
