/* trained_jobs.c - see trained_jobs.h. */
#include "scheduler/backend/trained_jobs.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No trainer is so much faster than its profile. */
#define PACE_MAX 100.0

struct trained_jobs {
    struct trained_job *jobs; /* by number: rows of a trace, so few numbers are left out */
    size_t count;
    uint64_t refused;
};

trained_jobs_t *trained_jobs_new(void)
{
    return xcalloc(1, sizeof(struct trained_jobs));
}

void trained_jobs_destroy(trained_jobs_t **self)
{
    if (!*self)
        return;
    free((*self)->jobs);
    free(*self);
    *self = NULL;
}

struct trained_job *trained_jobs_at(trained_jobs_t *self, uint64_t job)
{
    if (job >= self->count) {
        const size_t count = 2 * (size_t)job + 64;

        self->jobs = xrealloc(self->jobs, count * sizeof(*self->jobs));
        memset(self->jobs + self->count, 0, (count - self->count) * sizeof(*self->jobs));
        self->count = count;
    }
    if (!self->jobs[job].known)
        self->jobs[job] = (struct trained_job){.known = true, .step = -1};
    return &self->jobs[job];
}

void trained_jobs_begin(trained_jobs_t *self)
{
    for (size_t i = 0; i < self->count; i++) {
        self->jobs[i].planned = self->jobs[i].started = false;
        self->jobs[i].overhead_ms = 0;
    }
}

void trained_jobs_assign(trained_jobs_t *self, const struct assignment *assignment)
{
    struct trained_job *job = trained_jobs_at(self, assignment->job->submission->number);

    job->planned = true;
    job->planned_step = assignment->step;
    job->expected_rate = assignment->rate;
}

/* A checkpoint behind what was credited means that the rest is to be done again. */
static void lose(struct trained_job *job, const struct msg_job_report *report)
{
    const int64_t step = report->step > 0 ? report->step : 0;

    if (report->step >= 0 && step < job->planned_step) {
        job->lost += job->planned_step - step;
        job->planned_step = step;
    }
    job->training = false;
    job->step = report->step;
    (void)snprintf(job->cause, sizeof(job->cause), "%s", report->cause);
}

static void note_fault(const struct msg_job_report *report, const char *event)
{
    const struct log_subject about = {(int64_t)report->job, report->incarnation, LOG_NONE,
                                      LOG_NONE};

    log_event(&about, event, "step=%" PRId64 " cause=%s", report->step, log_text(report->cause));
}

static void hear_step(struct trained_job *job, int64_t step)
{
    if (step < 0)
        return;
    job->step = step;
    job->heard_s = clock_s();
}

void trained_jobs_report(trained_jobs_t *self, const struct msg_job_report *report)
{
    struct trained_job *job = trained_jobs_at(self, report->job);

    switch (report->state) {
    case JOB_REPORT_STABLE:
        job->training = job->started = true;
        job->emulated = report->emulated;
        job->rate = report->rate;
        hear_step(job, report->step);
        job->overhead_ms += report->overhead_ms > 0 ? report->overhead_ms : 0;
        break;
    case JOB_REPORT_DONE:
        job->done = true;
        break;
    case JOB_REPORT_STOPPED:
        job->training = false;
        hear_step(job, report->step);
        break;
    case JOB_REPORT_LOST:
        note_fault(report, "lost");
        lose(job, report);
        break;
    case JOB_REPORT_HELD:
        note_fault(report, "failed");
        lose(job, report);
        job->held = true;
        break;
    }
}

/* Steps only go back by a fault, and that is reported. */
void trained_jobs_progress(trained_jobs_t *self, const struct msg_progress *progress)
{
    struct trained_job *job = trained_jobs_at(self, progress->job);

    if (progress->step < job->step) {
        self->refused += progress->step >= 0;
        return;
    }
    hear_step(job, progress->step);
}

double trained_job_pace(struct trained_job *job)
{
    const double pace = job->rate / job->expected_rate;

    if (job->rate == job->expected_rate)
        return 1;
    if (isfinite(pace) && pace > 0 && pace <= PACE_MAX)
        return pace;
    (void)snprintf(job->cause, sizeof(job->cause),
                   "a trainer says that it does %g iterations/s, which is not believed", job->rate);
    return 1;
}

uint64_t trained_jobs_refused(const trained_jobs_t *self)
{
    return self->refused;
}
