/* trained_jobs.c - see trained_jobs.h. */
#include "scheduler/capacity/trained_jobs.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A trainer faster than its profile by this factor is not believed. */
#define PACE_MAX 100.0

struct trained_jobs {
    struct trained_job *by_number;
    uint64_t refused;
};

trained_jobs_t *trained_jobs_new(void)
{
    return xcalloc(1, sizeof(struct trained_jobs));
}

void trained_jobs_forget(trained_jobs_t *self, struct trained_job *job)
{
    /* The analyser believes that the macro reads a removed job. NOLINTNEXTLINE */
    HASH_DEL(self->by_number, job);
    free(job->ranks);
    free(job);
}

void trained_jobs_destroy(trained_jobs_t **self)
{
    struct trained_job *job;
    struct trained_job *next;

    if (!*self)
        return;
    HASH_ITER(hh, (*self)->by_number, job, next)
    {
        trained_jobs_forget(*self, job);
    }
    free(*self);
    *self = NULL;
}

struct trained_job *trained_jobs_find(const trained_jobs_t *self, uint64_t number)
{
    struct trained_job *found;

    HASH_FIND(hh, self->by_number, &number, sizeof(number), found);
    return found;
}

struct trained_job *trained_jobs_first(const trained_jobs_t *self)
{
    return self->by_number;
}

struct trained_job *trained_jobs_add(trained_jobs_t *self, uint64_t number)
{
    struct trained_job *job = trained_jobs_find(self, number);

    if (job)
        return job;
    job = xcalloc(1, sizeof(*job));
    job->number = number;
    job->step = -1;
    job->pace = 1;
    HASH_ADD(hh, self->by_number, number, sizeof(job->number), job);
    return job;
}

/* ---- plans ---- */

void trained_jobs_begin(trained_jobs_t *self)
{
    for (struct trained_job *job = self->by_number; job; job = job->hh.next) {
        job->late = job->planned && !job->training;
        job->planned = job->started = job->told_paid = false;
        job->overhead_ms = 0;
    }
}

static bool has_ranks(const struct trained_job *job, const int32_t *ranks, size_t count)
{
    return job->rank_count == count && !memcmp(job->ranks, ranks, count * sizeof(*ranks));
}

/* The trainers of the job begin anew on `ranks`. */
static void move(struct trained_job *job, const int32_t *ranks, size_t count, uint64_t round)
{
    job->ranks = xrealloc(job->ranks, count * sizeof(*ranks));
    memcpy(job->ranks, ranks, count * sizeof(*ranks));
    job->rank_count = count;
    job->moved_round = round;
    job->training = job->late = job->waits = false;
    job->done = job->told_end = job->dated = false; /* until the master reports an end again */
    job->cause[0] = '\0';
}

struct trained_job *trained_jobs_assign(trained_jobs_t *self, const struct holding *holding,
                                        const int32_t *ranks, uint64_t round, int64_t step,
                                        bool anew)
{
    struct trained_job *job = trained_jobs_add(self, holding->job->submission->number);
    const size_t count = (size_t)holding->grant.gpus;

    if (anew || job->moved_round == 0 || !has_ranks(job, ranks, count))
        move(job, ranks, count, round);
    job->planned = true;
    job->stops = false;
    job->planned_step = step;
    job->expected_rate = holding->grant.rate;
    job->overhead_s = holding->overhead_s;
    return job;
}

void trained_jobs_unname(trained_jobs_t *self)
{
    for (struct trained_job *job = self->by_number; job; job = job->hh.next)
        job->named = false;
}

void trained_jobs_stop(trained_jobs_t *self, const struct msg_planned_stop *stop)
{
    struct trained_job *job = trained_jobs_add(self, stop->job);

    job->stops = true;
    job->stop = *stop;
    job->rank_count = 0; /* if the job goes on, it starts anew */
}

/* ---- what the master says ---- */

/* Takes a loss in. If the checkpoint is older than the credited work, the difference is to be done
 * again. */
static void lose(struct trained_job *job, const struct msg_job_report *report)
{
    const int64_t step = report->step > 0 ? report->step : 0;

    if (report->step >= 0 && step < job->planned_step) {
        job->lost += job->planned_step - step;
        job->planned_step = step;
    }
    job->training = job->late = false;
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

/* Takes in that trainers are stable. A report from before the last move is outdated. A repeated
 * report is no new start. */
static void begin_training(struct trained_job *job, const struct msg_job_report *report)
{
    const bool again = job->training && job->incarnation == (int64_t)report->incarnation;

    if (report->round < job->moved_round)
        return;
    job->rate = report->rate;
    hear_step(job, report->step);
    if (again)
        return;
    job->training = job->started = true;
    job->waits = false;
    job->emulated = report->emulated;
    job->incarnation = report->incarnation;
    job->overhead_ms += report->overhead_ms > 0 ? report->overhead_ms : 0;
    job->told_paid = false;
}

/* Takes a stop in. A job that is over is forgotten. */
static void confirm_stop(trained_jobs_t *self, struct trained_job *job,
                         const struct msg_job_report *report)
{
    if (!job->stops)
        return;
    if (*report->cause)
        note_fault(report, "unsaved");
    job->stops = job->training = false;
    if (!job->done) /* the report of the end told the step */
        hear_step(job, report->step);
    if (job->stop.why != STOP_PAUSED)
        trained_jobs_forget(self, job);
}

/* Takes an end in. When it is reported again, the earlier date holds. */
static void end(struct trained_job *job, const struct msg_job_report *report, double ended_s)
{
    if (!job->dated || ended_s < job->ended_s)
        job->ended_s = ended_s;
    job->done = job->dated = true;
    job->told_end = report->step >= 0;
    hear_step(job, report->step);
}

void trained_jobs_report(trained_jobs_t *self, const struct msg_job_report *report, double ended_s)
{
    struct trained_job *job = trained_jobs_find(self, report->job);

    if (!job)
        return;
    switch (report->state) {
    case JOB_REPORT_STABLE:
        begin_training(job, report);
        break;
    case JOB_REPORT_DONE:
        end(job, report, ended_s);
        break;
    case JOB_REPORT_STOPPED:
        confirm_stop(self, job, report);
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
    case JOB_REPORT_WAITING:
        note_fault(report, "waits");
        job->training = false;
        job->waits = true;
        (void)snprintf(job->cause, sizeof(job->cause), "%s", report->cause);
        break;
    }
}

/* Steps go back only by a fault, which a report tells of. */
void trained_jobs_progress(trained_jobs_t *self, const struct msg_progress *progress)
{
    struct trained_job *job = trained_jobs_find(self, progress->job);

    if (!job)
        return;
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
