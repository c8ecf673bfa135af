/* faults.c - what becomes of a job when an incarnation of it fails. */
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

static void try_again(plan_run_t *self, struct planned_job *job,
                      const struct incarnation *incarnation, int64_t now_us)
{
    const struct log_subject subject = about(incarnation);

    log_event(&subject, "retry", "count=%d cause=%s", job->failures, log_text(incarnation->cause));
    report_state(self, job, JOB_REPORT_LOST, job_step(job), incarnation->cause);
    job_start(self, job, now_us);
}

/* The one that was wanted cannot go on. */
static void on_fault(plan_run_t *self, struct planned_job *job,
                     const struct incarnation *incarnation, int64_t now_us)
{
    job_stop(self, job, &ending_fault, now_us);
    if (incarnation->fault == FAULT_NODE_DOWN) {
        job_lose(self, job, incarnation->cause);
        return;
    }
    if (incarnation->fault == FAULT_FAILED)
        job->failures++;
    if (!incarnation->retry || job->failures > RETRIES_MAX)
        hold(self, job, incarnation, now_us);
    else
        try_again(self, job, incarnation, now_us);
}

/* Of several parts that fail at once the last may be the one that knows that trying again is of no
 * use. */
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
