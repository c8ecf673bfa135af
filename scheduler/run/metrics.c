/* metrics.c - see metrics.h.
 *
 * Source of finish-time fairness: Mahajan et al., Themis, NSDI 2020. Source of service by queue: Gu
 * et al., Tiresias, NSDI 2019. */
#include "scheduler/run/metrics.h"

#include "common/memory.h"
#include "common/sort.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A record of a job that was admitted. */
struct stay {
    int queue;
    int64_t admitted_s;
    int64_t live_before_s; /* `live_s` at its admission */
};

struct sample {
    double *values;
    size_t count;
    size_t room;
};

static void sample_add(struct sample *sample, double value)
{
    sample->values =
        grow_array(sample->values, sample->count, &sample->room, sizeof(*sample->values));
    sample->values[sample->count++] = value;
}

struct metrics {
    const struct policy *policy;
    int gpus;
    struct stay *stays; /* by order of arrival */
    size_t stay_count;
    int64_t now_s;
    int64_t live_s; /* sum over all jobs of the time that each was live */
    int64_t preemptions;
    int64_t migrations;
    int64_t resizes;
    int64_t demotions;
    int64_t queue_gpus[REPORT_QUEUES_MAX]; /* GPUs that the jobs of a queue hold now */
    int64_t queue_gpu_s[REPORT_QUEUES_MAX];
    struct sample delays_s;
    struct sample unfairness; /* rho of Themis: a job with more than 1 was treated unfairly */
};

metrics_t *metrics_new(const struct policy *policy, int gpus)
{
    metrics_t *self = xcalloc(1, sizeof(*self));

    assert(gpus > 0);
    assert(policy->queues >= 0 && policy->queues <= REPORT_QUEUES_MAX);
    self->policy = policy;
    self->gpus = gpus;
    return self;
}

void metrics_destroy(metrics_t **self)
{
    if (!*self)
        return;
    free((*self)->unfairness.values);
    free((*self)->delays_s.values);
    free((*self)->stays);
    free(*self);
    *self = NULL;
}

static struct stay *stay_of(const metrics_t *self, const struct job *job)
{
    return &self->stays[job->arrival];
}

static void start(metrics_t *self, int64_t now_s, int64_t elapsed_s, size_t live)
{
    self->now_s = now_s;
    self->live_s += elapsed_s * (int64_t)live;
    for (int i = 0; i < self->policy->queues; i++)
        self->queue_gpu_s[i] += elapsed_s * self->queue_gpus[i];
}

/* Makes room for a job. Jobs are admitted nearly in the order of their arrival. */
static void make_room(metrics_t *self, uint64_t arrival)
{
    const size_t count = 2 * (size_t)arrival + 64;

    if (arrival < self->stay_count)
        return;
    self->stays = xrealloc(self->stays, count * sizeof(*self->stays));
    memset(self->stays + self->stay_count, 0, (count - self->stay_count) * sizeof(*self->stays));
    self->stay_count = count;
}

static void admit(metrics_t *self, const struct job *job)
{
    make_room(self, job->arrival);
    stay_of(self, job)->admitted_s = self->now_s;
    stay_of(self, job)->live_before_s = self->live_s;
}

/* The rate on the GPUs that the job asked for; 0 if unknown. */
static double rate_requested(const struct job *job)
{
    const struct throughput_row *row = job->submission->throughput;

    for (int i = 0; row && i < row->level_count; i++)
        if (row->gpus[i] == job->submission->gpus_requested && row->iters_per_s[i] > 0)
            return row->iters_per_s[i];
    return 0;
}

/* How long the job runs alone on the GPUs that it asked for, by what the policy measures work by; 0
 * if unknown. */
static double run_time_s(const struct policy *policy, const struct job *job)
{
    const double rate = rate_requested(job);
    const double by_iterations_s = rate > 0 ? (double)job->submission->iterations / rate : 0;
    const double by_duration_s =
        job->submission->duration_s > 0 ? (double)job->submission->duration_s : 0;

    if (job->submission->gpus_requested < 1)
        return 0;
    switch (policy->stages.measure) {
    case MEASURE_SECONDS:
        return by_duration_s;
    case MEASURE_EITHER:
        return by_duration_s < by_iterations_s ? by_duration_s : by_iterations_s;
    case MEASURE_ITERATIONS:
        break;
    }
    return by_iterations_s;
}

/* How many times longer the job would run on its share of the cluster than on the GPUs that it
 * asked for. Its share is one part in N, where N is the average number of live jobs during its
 * life. */
static double slowdown_on_share(const metrics_t *self, const struct job *job)
{
    const struct stay *stay = stay_of(self, job);
    const int64_t life_s = self->now_s - stay->admitted_s;
    const int64_t live_s = self->live_s - stay->live_before_s;
    const double jobs = life_s > 0 ? (double)live_s / (double)life_s : 1;
    const double slowdown = jobs * job->submission->gpus_requested / self->gpus;

    return slowdown > 1 ? slowdown : 1;
}

static void retire(metrics_t *self, const struct job *job)
{
    const double alone_s = run_time_s(self->policy, job);

    if (alone_s > 0)
        sample_add(&self->unfairness, (job_ended_s(job) - (double)job->submission->submit_s) /
                                          (alone_s * slowdown_on_share(self, job)));
}

/* Counts a change of a job's GPUs. */
static void count_change(metrics_t *self, const struct allocation_change *change)
{
    if (change->gpus == 0)
        self->preemptions += change->reason != CHANGE_DONE;
    else if (change->reason == CHANGE_START)
        sample_add(&self->delays_s, (double)(self->now_s - change->submission->submit_s));
    else if (change->gpus_before == change->gpus)
        self->migrations++;
    else if (change->gpus_before > 0)
        self->resizes++;
}

static void queue(metrics_t *self, const struct decision *decision, void *memory)
{
    if (self->policy->queues == 0)
        return;
    for (int i = 0; i < self->policy->queues; i++)
        self->queue_gpus[i] = 0;
    for (size_t i = 0; i < decision->live_count; i++) {
        const int number = self->policy->queue_of(memory, decision->live[i]);
        struct stay *stay = stay_of(self, decision->live[i]);

        assert(number >= 0 && number < self->policy->queues);
        self->demotions += number > stay->queue;
        stay->queue = number;
        self->queue_gpus[number] += grant_own_gpus(&decision->live[i]->grant);
    }
}

static bool is_admitted(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_PROMISED || verdict->kind == VERDICT_BEST_EFFORT;
}

void metrics_step(metrics_t *self, const struct decision *decision,
                  const struct allocation_change changes[], size_t count, void *memory)
{
    start(self, decision->now_s, decision->elapsed_s, decision->live_before);
    for (size_t i = 0; i < decision->retired_count; i++)
        retire(self, decision->retired[i].job);
    for (size_t i = 0; i < decision->decided_count; i++)
        if (is_admitted(&decision->decided[i].verdict))
            admit(self, decision->decided[i].job);
    for (size_t i = 0; i < count; i++)
        count_change(self, &changes[i]);
    queue(self, decision, memory);
}

/* Mean and tail of a sample; NaN if the sample is empty. */
struct spread {
    double mean;
    double p99; /* by nearest rank */
    double max;
};

/* Sorts the sample. */
static struct spread sample_spread(struct sample *sample)
{
    const size_t count = sample->count;
    double sum = 0;

    if (count == 0)
        return (struct spread){NAN, NAN, NAN};
    sort_numbers(sample->values, count);
    for (size_t i = 0; i < count; i++)
        sum += sample->values[i];
    return (struct spread){.mean = sum / (double)count,
                           .p99 = sample->values[(count * 99 + 99) / 100 - 1],
                           .max = sample->values[count - 1]};
}

/* The part of a sorted sample that is at most `most`. */
static double sample_part(const struct sample *sample, double most)
{
    size_t count = 0;

    while (count < sample->count && sample->values[count] <= most)
        count++;
    return sample->count > 0 ? (double)count / (double)sample->count : NAN;
}

static void count_delays(metrics_t *self, struct figures *figures)
{
    const struct spread spread = sample_spread(&self->delays_s);

    if (self->delays_s.count == 0)
        return;
    figures->queueing_delay_mean_s = spread.mean;
    figures->queueing_delay_p99_s = spread.p99;
}

static void count_fairness(metrics_t *self, struct figures *figures)
{
    const struct spread spread = sample_spread(&self->unfairness);

    figures->finish_time_fairness_jobs = (int64_t)self->unfairness.count;
    figures->finish_time_fairness_mean = spread.mean;
    figures->finish_time_fairness_p99 = spread.p99;
    figures->finish_time_fairness_max = spread.max;
    figures->fair_share = sample_part(&self->unfairness, 1);
}

void metrics_count(metrics_t *self, struct figures *figures)
{
    figures->preemptions = self->preemptions;
    figures->migrations = self->migrations;
    figures->resizes = self->resizes;
    count_delays(self, figures);
    count_fairness(self, figures);
    figures->queues = self->policy->queues;
    figures->demotions = self->demotions;
    for (int i = 0; i < self->policy->queues; i++)
        figures->attained_service_gpu_s[i] = self->queue_gpu_s[i];
}
