/* work.c - the scaling of jobs, and the iterations that they do in an interval. */
#include "scheduler/engine/stages.h"

#include <assert.h>
#include <math.h>

/* Scales the job in each pool. Until it begins in another one, the job is in the first pool in
 * which it can run. */
static int scale_by(engine_t *self, struct job *job, const struct uses *uses, struct error *error)
{
    job->scalings = scalings_find(self->scalings, uses, error);
    if (!job->scalings)
        return -1;
    for (job->grant.pool = 0; job->grant.pool < self->pool_count - 1; job->grant.pool++)
        if (job->scalings[job->grant.pool].top > 0)
            break;
    job->scaling = &job->scalings[job->grant.pool];
    return 0;
}

int round_scale(engine_t *self, struct job *job, const struct throughput_row *row, int gpus_max,
                struct error *error)
{
    struct uses uses;

    assert(self->pool_count == 1);
    uses.rows[0] = row;
    uses.gpus_max[0] = gpus_max;
    return scale_by(self, job, &uses, error);
}

const char *round_gpu_type(const engine_t *self, int pool)
{
    return self->pools[pool].gpu_type[0] ? self->pools[pool].gpu_type : self->setting.gpu_type;
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

/* Whether the row has a usable rate: for a job of fixed size, one for that size. */
static bool is_usable(const struct policy *policy, const struct throughput_row *row, int gpus_max)
{
    for (int i = 0; row && i < row->level_count; i++)
        if (row->iters_per_s[i] > 0 && (!policy->fixed_size || row->gpus[i] == gpus_max))
            return true;
    return false;
}

static int scale_in_pools(engine_t *self, struct job *job, struct error *error)
{
    const struct policy *policy = self->setting.policy;
    const struct pool_rows *rows = job->submission->pool_rows;
    struct uses uses;
    bool any = false;

    for (int pool = 0; pool < self->pool_count; pool++) {
        const struct throughput_row *row = rows ? rows->of[pool] : NULL;

        uses.gpus_max[pool] = policy->gpus_max(job, round_gpu_type(self, pool));
        uses.rows[pool] = is_usable(policy, row, uses.gpus_max[pool]) ? row : NULL;
        any = any || uses.rows[pool];
    }
    if (any)
        return scale_by(self, job, &uses, error);
    return error_set(error,
                     "job %s: model %s, batch size %d: no pool has a throughput table with a rate "
                     "for the %d GPUs that it asks for",
                     job->submission->id, job->submission->model, job->submission->batch_size,
                     uses.gpus_max[0]);
}

int plain_check(engine_t *self, struct job *job, struct error *error)
{
    const struct policy *policy = self->setting.policy;

    if (policy->fixed_size && round_check_asked(self, job, error) < 0)
        return -1;
    if (self->pool_count > 1)
        return scale_in_pools(self, job, error);
    if (round_scale(self, job, job->submission->throughput,
                    policy->gpus_max(job, round_gpu_type(self, 0)), error) < 0)
        return -1;
    return policy->fixed_size ? check_size(job, error) : 0;
}

int64_t plain_whole_s(const engine_t *self, const struct job *job)
{
    (void)self;
    return job->submission->duration_s;
}

/* The share of a job's iterations that rounding may leave of its work: far more than the errors of
 * thousands of subtractions, and far less than a second of work. */
#define ROUNDING 1e-9

/* The expected progress: all time after the overhead counts, until no work is left. */
int plain_expect(engine_t *self, const struct job *job, struct interval interval,
                 struct progress *progress, struct error *error)
{
    const double rate = job->grant.rate;
    const int64_t worked_s =
        interval.elapsed_s > job->overhead_s ? interval.elapsed_s - job->overhead_s : 0;

    (void)self;
    (void)error;
    *progress = (struct progress){.iterations = (double)worked_s * rate, .worked_s = worked_s};
    if (job->iterations_left - progress->iterations >
        ROUNDING * (double)job->submission->iterations)
        return 0;
    progress->done = progress->iterations_done = true;
    progress->ended_s = interval.now_s - worked_s + (int64_t)ceil(job->iterations_left / rate);
    progress->ended_s = progress->ended_s < interval.now_s ? progress->ended_s : interval.now_s;
    progress->iterations = job->iterations_left;
    return 0;
}

/* Credits progress. An overhead longer than the interval is paid on in the next one. A job that is
 * done has no work left, whatever its books say. */
void plain_credit(engine_t *self, struct job *job, const struct progress *progress)
{
    job->iterations_left -= progress->iterations;
    job->iterations_credited += progress->iterations;
    job->attained_s += progress->worked_s;
    job->overhead_s =
        job->overhead_s > self->elapsed_s ? job->overhead_s - (int)self->elapsed_s : 0;
    if (!progress->done)
        return;
    job->iterations_left = 0;
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
    return foreseen_s <= job_due_s(job);
}
