/* oracle_dlas.c - the rounds of `dlas-gpu` (section 3): the less service a job has had, the sooner
 * it runs. */
#include "oracle_internal.h"

#include <math.h>

#define QUEUE_COUNT 3

static const double limits[QUEUE_COUNT - 1] = {3250, 7200}; /* GPU-seconds; TI-Q5 */

struct las {
    struct run *run;
    struct oracle_call *call;
    struct jobs queues[QUEUE_COUNT];
    struct jobs ending;   /* the end event; TI-Q4: there is only one */
    struct jobs attached; /* to the first entry of the arrival queue: TI-Q11 */
    double fire_s;
    double jump_s; /* the next demotion */
    bool restart;
};

static void las_end(struct las *self, const struct jobs *ending)
{
    struct run *run = self->run;

    for (size_t i = 0; i < ending->count; i++) {
        struct job *job = ending->at[i];

        if (!job->is_running)
            oracle_abort(self->call, ORACLE_NOT_RUNNING, "job %s ends, but does not run",
                         job->given->id);
        job->is_running = false;
        if (job->end_s > job->deadline_s)
            run->declined++;
        else if (!job->given->best_effort)
            run->accepted++;
        if (job->nodes)
            oracle_release(&run->placement, job);
        oracle_jobs_remove(&run->live, job);
        oracle_jobs_remove(&self->queues[job->queue], job);
        oracle_run_record_end(run, job, job->end_s);
    }
}

static void las_arrive(struct las *self)
{
    struct jobs arriving = oracle_arrivals_take(self->run);

    for (size_t i = 0; i < arriving.count; i++) {
        struct job *job = arriving.at[i];

        oracle_jobs_append(self->call, &self->run->live, job);
        oracle_jobs_append(self->call, &self->queues[0], job);
        job->seen_s = job->given->submit_s;
    }
    oracle_jobs_drop(self->call, &arriving);
}

/* TI-Q11: what ends at the time of the first entry belongs to it from now on. */
static void las_attach(struct las *self, double arrival_s, double end_s)
{
    if (arrival_s != end_s || oracle_cleaned(self->run, ORACLE_CLEAN_TI_Q11))
        return;
    oracle_jobs_drop(self->call, &self->attached);
    oracle_jobs_append_all(self->call, &self->attached, &self->ending);
}

/* Without the quirk there is nothing attached, and jobs end with those that arrive. */
static void las_end_with_arrivals(struct las *self, double end_s)
{
    las_end(self, &self->attached);
    oracle_jobs_drop(self->call, &self->attached);
    if (end_s == self->run->now_s && oracle_cleaned(self->run, ORACLE_CLEAN_TI_Q11))
        las_end(self, &self->ending);
}

/* The events of the round: a demotion, or else what ends and what arrives. */
static void las_happen(struct las *self)
{
    struct run *run = self->run;
    double arrival_s = run->events.count > 0 ? run->events.at[0].time_s : ORACLE_FOREVER_S;
    double end_s = self->ending.count > 0 ? self->fire_s : ORACLE_FOREVER_S;

    las_attach(self, arrival_s, end_s);
    run->now_s = fmin(arrival_s, end_s);
    if (run->now_s > self->jump_s) {
        run->now_s = self->jump_s;
        return;
    }
    if (end_s < arrival_s) {
        las_end(self, &self->ending);
        return;
    }
    las_end_with_arrivals(self, end_s);
    las_arrive(self);
}

static void job_attain(struct las *self, struct job *job)
{
    double now_s = self->run->now_s;

    /* TI-Q2: of a debt that is longer than this, the rest is forgiven. */
    if (job->is_running)
        job->ran_s = trunc(job->ran_s + fmax(now_s - job->seen_s - job->overhead_s, 0));
    job->seen_s = now_s;
    if (!job->is_running)
        return;
    job->overhead_s = 0;
    /* TI-Q8: one step at a time. */
    if (job->queue < QUEUE_COUNT - 1 && job->ran_s * job->gpus >= limits[job->queue]) {
        oracle_jobs_remove(&self->queues[job->queue], job);
        job->queue++;
        oracle_jobs_append(self->call, &self->queues[job->queue], job); /* TI-Q7 */
    }
}

static void las_choose(struct las *self)
{
    struct run *run = self->run;
    int free_gpus = self->call->gpu_count;

    for (int q = 0; q < QUEUE_COUNT; q++) {
        for (size_t i = 0; i < self->queues[q].count; i++) {
            struct job *job = self->queues[q].at[i];

            if (job->gpus > free_gpus) {
                job->is_running = false;
                continue;
            }
            free_gpus -= job->gpus;
            if (job->is_running)
                continue;
            job->is_running = true;
            job->overhead_s = oracle_baseline_overhead(run, job, self->restart);
            if (job->start_s == ORACLE_FOREVER_S)
                job->start_s = run->now_s;
        }
    }
}

static bool runs_before(const struct job *a, const struct job *b)
{
    return a->is_running && !b->is_running;
}

/* The next end event. TI-Q4: it fires a slot from now at the earliest. */
static void las_foresee_ends(struct las *self)
{
    struct run *run = self->run;

    oracle_jobs_drop(self->call, &self->ending);
    self->fire_s = ORACLE_FOREVER_S;
    for (size_t i = 0; i < run->live.count; i++) {
        struct job *job = run->live.at[i];
        double rest_s = job->given->duration_s - job->ran_s;
        double end_s;
        double fire_s;

        if (!job->is_running)
            continue;
        if (self->restart) /* TI-Q6 */
            job->overhead_s = oracle_baseline_overhead(run, job, true);
        /* TI-Q1: no other overhead is foreseen. Repaired, each is. */
        if (self->restart || oracle_cleaned(run, ORACLE_CLEAN_TI_Q1))
            rest_s += job->overhead_s;
        end_s = trunc(run->now_s + rest_s);
        fire_s = fmax(run->now_s + self->call->slot_s, end_s);
        if (fire_s > self->fire_s)
            continue;
        if (fire_s < self->fire_s)
            oracle_jobs_drop(self->call, &self->ending);
        self->fire_s = fire_s;
        oracle_jobs_append(self->call, &self->ending, job);
        job->end_s = end_s;
    }
}

/* TI-Q3: seconds are subtracted from GPU-seconds. Repaired, from the seconds that these last. */
static double job_seconds_to_limit(const struct las *self, const struct job *job)
{
    double limit = limits[job->queue];

    if (oracle_cleaned(self->run, ORACLE_CLEAN_TI_Q3))
        return ceil(limit / job->gpus - job->ran_s);
    return ceil((limit - job->ran_s) / job->gpus);
}

static void las_foresee_demotion(struct las *self)
{
    struct run *run = self->run;

    self->jump_s = ORACLE_FOREVER_S;
    for (size_t i = 0; i < run->live.count; i++) {
        const struct job *job = run->live.at[i];

        if (job->is_running && job->queue < QUEUE_COUNT - 1)
            self->jump_s = fmin(self->jump_s, job_seconds_to_limit(self, job) + run->now_s);
    }
    if (self->jump_s - run->now_s < self->call->slot_s)
        self->jump_s = run->now_s + self->call->slot_s;
}

static void las_place(struct las *self)
{
    struct run *run = self->run;
    struct jobs running = {0};

    for (size_t i = 0; i < run->live.count; i++)
        if (run->live.at[i]->is_running)
            oracle_jobs_append(self->call, &running, run->live.at[i]);
    oracle_baseline_place(run, &running);
    oracle_jobs_drop(self->call, &running);
}

/* Section 3.2. */
static void las_round(struct las *self)
{
    struct run *run = self->run;

    las_happen(self);
    for (size_t i = 0; i < run->live.count; i++)
        job_attain(self, run->live.at[i]);
    self->restart = oracle_baseline_count_round(run);
    las_choose(self);
    oracle_baseline_release(run); /* in the order that the round before left; ends came first */
    oracle_jobs_sort(&run->live, oracle_job_is_larger);
    for (int q = 0; q < QUEUE_COUNT; q++)
        oracle_jobs_sort(&self->queues[q], runs_before);
    las_foresee_ends(self);
    las_place(self);
    las_foresee_demotion(self);
    oracle_arrivals_merge(run);
}

void oracle_run_dlas_gpu(struct run *run)
{
    struct las self = {.run = run, .call = &run->call, .jump_s = ORACLE_FOREVER_S};

    oracle_baseline_open(run);
    /* TI-Q9: what waits while nothing runs, and nothing will arrive, waits for ever. */
    while (run->events.count > 0 || self.ending.count > 0) {
        oracle_run_pass(run);
        las_round(&self);
    }
}
