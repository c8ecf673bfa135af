/* summary.c - see summary.h. */
#include "tools/trace_tools/summary.h"

#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_S 3600.0

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static int compare_gpus(const void *a, const void *b)
{
    const struct gpu_share *x = a;
    const struct gpu_share *y = b;

    return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static int compare_models(const void *a, const void *b)
{
    const struct model_share *x = a;
    const struct model_share *y = b;
    const int by_name = strcmp(x->model, y->model);

    if (by_name != 0)
        return by_name;
    return (x->batch_size > y->batch_size) - (x->batch_size < y->batch_size);
}

/* The smallest of the sorted `values` that is not exceeded by a share `q` of all values. */
static double quantile(const double values[], size_t count, double q)
{
    const double rank = ceil(q * (double)count);

    return values[rank < 1 ? 0 : (size_t)rank - 1];
}

/* Sorts `values` and returns their spread. */
static struct spread spread_of(double values[], size_t count)
{
    struct spread spread = {.count = count};
    double sum = 0;

    if (count == 0)
        return spread;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    qsort(values, count, sizeof(*values), compare_numbers);
    spread.mean = sum / (double)count;
    spread.min = values[0];
    spread.p10 = quantile(values, count, 0.10);
    spread.p25 = quantile(values, count, 0.25);
    spread.p50 = quantile(values, count, 0.50);
    spread.p75 = quantile(values, count, 0.75);
    spread.p90 = quantile(values, count, 0.90);
    spread.p99 = quantile(values, count, 0.99);
    spread.max = values[count - 1];
    return spread;
}

static void spread_times(struct summary *self, submissions_t *jobs)
{
    double *durations = xcalloc(self->jobs, sizeof(*durations));
    double *tightness = xcalloc(self->jobs, sizeof(*tightness));
    size_t duration_count = 0;
    size_t tightness_count = 0;

    for (size_t i = 0; i < self->jobs; i++) {
        const struct submission *job = submissions_at(jobs, i);

        if (job->duration_s < 0)
            continue;
        durations[duration_count++] = (double)job->duration_s;
        if (!job->best_effort && job->duration_s > 0)
            tightness[tightness_count++] =
                (double)(job->deadline_s - job->submit_s) / (double)job->duration_s;
    }
    self->duration_s = spread_of(durations, duration_count);
    self->tightness = spread_of(tightness, tightness_count);
    free(durations);
    free(tightness);
}

static void add_up(struct summary *self, submissions_t *jobs)
{
    double span_h;

    self->first_submit_s = submissions_at(jobs, 0)->submit_s;
    self->last_submit_s = submissions_at(jobs, self->jobs - 1)->submit_s;
    span_h = (double)(self->last_submit_s - self->first_submit_s) / HOUR_S;
    if (span_h > 0)
        self->arrivals_per_hour = (double)(self->jobs - 1) / span_h;
    for (size_t i = 0; i < self->jobs; i++) {
        const struct submission *job = submissions_at(jobs, i);

        self->best_effort_jobs += job->best_effort;
        if (job->gpus_requested == 0 || job->duration_s < 0)
            continue;
        self->loading_jobs++;
        self->gpu_hours += (double)job->gpus_requested * (double)job->duration_s / HOUR_S;
    }
}

static void count_gpus(struct summary *self, submissions_t *jobs)
{
    self->gpus = xcalloc(self->jobs, sizeof(*self->gpus));
    for (size_t i = 0; i < self->jobs; i++)
        self->gpus[i] = (struct gpu_share){submissions_at(jobs, i)->gpus_requested, 1};
    qsort(self->gpus, self->jobs, sizeof(*self->gpus), compare_gpus);
    for (size_t i = 0; i < self->jobs; i++) {
        struct gpu_share *last = &self->gpus[self->gpus_count];

        if (self->gpus_count > 0 && compare_gpus(last - 1, &self->gpus[i]) == 0) {
            last[-1].jobs++;
        } else {
            *last = self->gpus[i];
            self->gpus_count++;
        }
    }
}

static void count_models(struct summary *self, submissions_t *jobs)
{
    self->models = xcalloc(self->jobs, sizeof(*self->models));
    for (size_t i = 0; i < self->jobs; i++) {
        const struct submission *job = submissions_at(jobs, i);

        self->models[i] = (struct model_share){job->model, job->batch_size, 1};
    }
    qsort(self->models, self->jobs, sizeof(*self->models), compare_models);
    for (size_t i = 0; i < self->jobs; i++) {
        struct model_share *last = &self->models[self->models_count];

        if (self->models_count > 0 && compare_models(last - 1, &self->models[i]) == 0) {
            last[-1].jobs++;
        } else {
            *last = self->models[i];
            self->models_count++;
        }
    }
}

struct summary summary_of(submissions_t *jobs)
{
    struct summary self = {.jobs = submissions_count(jobs)};

    assert(self.jobs > 0);
    add_up(&self, jobs);
    spread_times(&self, jobs);
    count_gpus(&self, jobs);
    count_models(&self, jobs);
    return self;
}

void summary_free(struct summary *self)
{
    free(self->gpus);
    free(self->models);
}

double summary_gpus_busy(const struct summary *self)
{
    const double span_s = (double)(self->last_submit_s - self->first_submit_s);

    return span_s > 0 ? self->gpu_hours * HOUR_S / span_s : 0;
}
