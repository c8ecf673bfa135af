/* faults.c - what happens to a job when an incarnation of the job fails. */
#include "common/log.h"
#include "master/plan_run_state.h"
#include "protocol/timing.h"

#include <stdio.h>

static const struct ending ending_fault = {STOP_PAUSED, -1, -1, "fault"};

static struct log_subject about(const struct incarnation *incarnation)
{
    return (struct log_subject){(int64_t)incarnation->job, incarnation->number, LOG_NONE, LOG_NONE};
}

static void hold(plan_run_t *self, struct planned_job *job, const struct incarnation *incarnation,
                 int64_t now_us)
{
    const struct log_subject subject = about(incarnation);

    job->held = true;
    log_event(&subject, "held", "cause=%s", log_text(incarnation->cause));
    job_stop(self, job, &ending_fault, now_us);
    report_state(self, job, JOB_REPORT_HELD, job_step(job), incarnation->cause);
}

static void give_up(plan_run_t *self, struct planned_job *job,
                    const struct incarnation *incarnation, int64_t now_us)
{
    hold(self, job, incarnation, now_us);
    health_given_up(self, job);
}

/* The first restart comes at once: most faults do not come twice. */
static int64_t patience_us(const plan_run_t *self, const struct planned_job *job)
{
    return job->failures > 1 ? self->retry_after_us << (job->failures - 2) : 0;
}

static void try_again(plan_run_t *self, struct planned_job *job,
                      const struct incarnation *incarnation, int64_t now_us)
{
    const struct log_subject subject = about(incarnation);

    log_event(&subject, "retry", "count=%d cause=%s", job->failures, log_text(incarnation->cause));
    report_state(self, job, JOB_REPORT_LOST, job_step(job), incarnation->cause);
    if (patience_us(self, job) == 0) {
        job_start(self, job, now_us);
        return;
    }
    self->retries++;
    job->retry_us = now_us + patience_us(self, job);
}

/* Whether the job still waits for its next try. Meanwhile a plan may have started the job, or
 * dropped it. */
static bool waits_for_retry(const struct planned_job *job)
{
    return job->planned && !job->current && !job->held && !job->done && !job->lost;
}

void faults_tick(plan_run_t *self, int64_t now_us)
{
    size_t waiting = 0;

    for (struct planned_job *job = self->jobs.all; job; job = job->next) {
        waiting += now_us < job->retry_us;
        if (job->retry_us == 0 || now_us < job->retry_us)
            continue;
        job->retry_us = 0;
        if (!waits_for_retry(job))
            continue;
        job_start(self, job, now_us);
        planned_jobs_settle(&self->jobs, job);
        report_if_settled(self);
    }
    self->retries = waiting;
}

/* Handles the failure of an incarnation that was wanted. */
static void on_fault(plan_run_t *self, struct planned_job *job,
                     const struct incarnation *incarnation, int64_t now_us)
{
    char why[NODE_CAUSE_MAX];
    bool excluded = false;

    job_stop(self, job, &ending_fault, now_us);
    if (incarnation->fault == FAULT_NODE_DOWN || incarnation->fault == FAULT_GPU_GONE) {
        job_lose(self, job, incarnation->cause);
        return;
    }
    if (incarnation->fault == FAULT_FAILED) {
        job->failures++;
        excluded = health_failed(self, job, incarnation, why);
    }
    if (!incarnation->retry || job->failures > RETRIES_MAX)
        give_up(self, job, incarnation, now_us);
    else if (excluded)
        job_lose(self, job, why);
    else
        try_again(self, job, incarnation, now_us);
}

/* Whether a job that is being tried again is known to fail. Several parts may fail at once, and the
 * last report may be the one that says that another try is useless. */
static bool is_hopeless(const struct planned_job *job, const struct incarnation *incarnation)
{
    return !incarnation->retry && incarnation->fault == FAULT_FAILED && job->current &&
           incarnation->number + 1 == job->current->number;
}

void job_look_for_faults(plan_run_t *self, struct planned_job *job, struct incarnation *incarnation,
                         int64_t now_us)
{
    if (job->held)
        return;
    if (job->current == incarnation && incarnation->fault != FAULT_NONE)
        on_fault(self, job, incarnation, now_us);
    else if (is_hopeless(job, incarnation))
        hold(self, job, incarnation, now_us);
}
