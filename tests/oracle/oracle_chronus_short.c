/* oracle_chronus_short.c - leases of at most 30 seconds: jobs that are nearly done are forced to
 * the end, and the fill of odd ticks (section 9). */
#include "oracle_chronus_internal.h"

#include <assert.h>

static int compare_urgency(const struct chronus_job *a, const struct chronus_job *b)
{
    return chronus_sign(a->u, b->u);
}

static int gpus_for_forced(const struct chronus *self)
{
    int gpus = self->setting->gpu_count;

    for (size_t i = 0; i < self->running.count; i++)
        if (self->running.at[i]->held || self->running.at[i]->forced)
            gpus -= self->running.at[i]->given->gpus;
    for (size_t i = 0; i < self->pending.count; i++)
        if (self->pending.at[i]->forced && self->pending.at[i]->class == ORACLE_ACCEPTED)
            gpus -= self->pending.at[i]->given->gpus;
    return gpus;
}

/* Section 9.1. */
void chronus_force(struct chronus *self)
{
    long lease_s = self->setting->lease_s;
    long left = self->q * lease_s - self->t;
    int budget = gpus_for_forced(self);
    struct chronus_jobs nearly_done = {0};

    for (size_t i = 0; i < self->pending.count; i++) {
        struct chronus_job *job = self->pending.at[i];
        long rest = job->given->duration_s - job->prog;

        if (job->class == ORACLE_UNACCEPTED && rest <= left) {
            job->u = -rest * job->given->gpus;
            chronus_jobs_append(self, &nearly_done, job);
        }
    }
    chronus_jobs_sort_descending(&nearly_done, compare_urgency);
    for (size_t i = 0; i < nearly_done.count; i++) {
        struct chronus_job *job = nearly_done.at[i];

        if (job->given->gpus > budget)
            continue;
        budget -= job->given->gpus;
        job->forced = true;
        job->eligible = false;
        if (job->given->submit_s >= (self->q - 1) * lease_s)
            job->class = ORACLE_ACCEPTED;
    }
    oracle_free(&self->call, nearly_done.at);
}

static long ones(const struct chronus_job *job)
{
    long count = 0;

    for (long i = 0; job->plan && i < job->plan_length; i++)
        count += job->plan[i];
    return count;
}

static void job_stop(struct chronus *self, struct chronus_job *job)
{
    long left = chronus_leases_left(self, job);

    chronus_jobs_remove(&self->running, job);
    job->held = false;
    job->last = self->t;
    if (left != job->need) {
        chronus_plan_clear_first(job, ones(job) - left);
        job->need = left;
    }
    chronus_jobs_append(self, &self->pending, job);
}

/* Stops jobs until `needed` GPUs are free. A best-effort job keeps the urgency it started with: the
 * text excepts it from both test and urgency. */
static void make_room(struct chronus *self, int needed)
{
    struct chronus_jobs victims = {0};

    for (size_t i = 0; i < self->running.count; i++) {
        struct chronus_job *job = self->running.at[i];

        if (job->held || job->forced)
            continue;
        if (job->class != ORACLE_BEST_EFFORT)
            chronus_reclass(self, job);
        chronus_jobs_append(self, &victims, job);
    }
    chronus_jobs_sort(&victims, chronus_compare_for_spare);
    for (size_t i = 0; i < victims.count && chronus_free_gpus(self) < needed; i++)
        job_stop(self, victims.at[i]);
    oracle_free(&self->call, victims.at);
}

/* Section 9.2. */
void chronus_start_forced(struct chronus *self)
{
    int needed = 0;
    size_t kept = 0;

    for (size_t i = 0; i < self->pending.count; i++)
        if (self->pending.at[i]->forced)
            needed += self->pending.at[i]->given->gpus;
    if (needed > chronus_free_gpus(self))
        make_room(self, needed);
    for (size_t i = 0; i < self->pending.count; i++) {
        struct chronus_job *job = self->pending.at[i];

        if (job->forced) {
            job->last = self->t;
            chronus_jobs_append(self, &self->running, job);
        } else {
            self->pending.at[kept++] = job;
        }
    }
    self->pending.count = kept;
    assert(chronus_free_gpus(self) >= 0);
}

static int compare_for_fill(const struct chronus_job *a, const struct chronus_job *b)
{
    if (a->class != b->class)
        return chronus_sign(a->class, b->class);
    return chronus_sign(a->u, b->u);
}

/* CH-Q1 here too: a job that starts is credited with the wait since the last pending pass. */
static void job_start_by_fill(struct chronus *self, struct chronus_job *job)
{
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q1))
        job->last = self->t;
    job->waited += self->t - job->last;
    chronus_jobs_append(self, &self->running, job);
}

/* Section 9.4. It takes leases of any length. */
void chronus_fill(struct chronus *self)
{
    int free_gpus = chronus_free_gpus(self);
    size_t kept = 0;

    if (free_gpus == 0)
        return;
    chronus_jobs_sort(&self->pending, compare_for_fill);
    for (size_t i = 0; i < self->pending.count; i++) {
        struct chronus_job *job = self->pending.at[i];

        if (job->given->gpus <= free_gpus) {
            free_gpus -= job->given->gpus;
            job_start_by_fill(self, job);
        } else {
            self->pending.at[kept++] = job;
        }
    }
    self->pending.count = kept;
}
