/* observation.c - the progress of trainers against what is expected of them. Fast-forwarded
 * trainers are judged by the rate that they reported when stable, others by the step that they
 * reached. */
#include "scheduler/capacity/capacity_state.h"

#include "common/clock.h"
#include "common/log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A pace is told to the engine if it differs from the known one by this share. */
#define NOTABLE 0.1

static const char *say(capacity_t *self, const char *cause)
{
    (void)snprintf(self->cause, sizeof(self->cause), "%s", cause);
    return self->cause;
}

/* Observes work that a fault took back, which is told once. */
static struct observed observe_loss(capacity_t *self, struct trained_job *job)
{
    struct observed observed = {.pace = 1, .lost = (double)job->lost};

    job->lost = 0;
    if (observed.lost > 0 || (!job->training && *job->cause))
        observed.cause = say(self, *job->cause ? job->cause : "its trainers do not train");
    return observed;
}

/* The pace of the trainers. An impossible one is counted and logged, and the table is believed
 * instead. */
static double believed_pace(capacity_t *self, struct trained_job *job)
{
    const struct log_subject about = {(int64_t)job->number, LOG_NONE, LOG_NONE, LOG_NONE};
    const double pace = trained_job_pace(job);

    if (pace == 1 && job->rate != job->expected_rate) {
        self->distrusted++;
        log_event(&about, "distrusted", "rate=%g profiled=%g cause=%s", job->rate,
                  job->expected_rate, log_text(job->cause));
    }
    return pace;
}

static struct observed observe_fast(capacity_t *self, struct trained_job *job)
{
    struct observed observed = observe_loss(self, job);

    if (!job->training) {
        observed.cause = observed.cause ? observed.cause : say(self, "its trainers do not train");
        observed.pace = 0;
        observed.left = 1;
        return observed;
    }
    observed.pace = believed_pace(self, job);
    if (observed.pace == 1)
        return observed;
    (void)snprintf(self->cause, sizeof(self->cause),
                   "it runs at %.3g of its profiled %.6g iterations/s", observed.pace,
                   job->expected_rate);
    observed.cause = self->cause;
    return observed;
}

/* The present step of the trainers, if they went on since their last report. */
static double step_now(const capacity_t *self, const struct trained_job *job, double all)
{
    const double since_s = clock_s() - job->heard_s;
    const double step = job->step > 0 ? (double)job->step : 0;

    if (!job->training || !isfinite(job->rate) || job->rate <= 0)
        return step;
    return fmin(all, step + since_s * self->setting.time_scale * job->rate);
}

/* Reports of trainers pass three processes, each of which forwards once an interval: a shorter
 * delay is as expected. */
double capacity_tolerance_s(const capacity_t *self)
{
    return 1 + 3 * (double)self->heartbeat_ms / 1000 * self->setting.time_scale;
}

static double tolerated(const capacity_t *self, const struct trained_job *job)
{
    return capacity_tolerance_s(self) * job->expected_rate;
}

static const char *say_late(capacity_t *self, const struct trained_job *job, double behind)
{
    if (!job->training)
        return say(self, "its trainers have not begun yet");
    (void)snprintf(self->cause, sizeof(self->cause),
                   "its trainers are at step %" PRId64 ", %.0f behind what was expected", job->step,
                   behind);
    return self->cause;
}

/* Observes a program that ended before its time. Emulated trainers end as expected, and a job that
 * counts seconds ends only then. */
static struct observed observe_end(capacity_t *self, const struct trained_job *job,
                                   const struct books *books, bool due)
{
    struct observed observed = {.pace = 1};

    if (due || job->emulated || books->measure != MEASURE_ITERATIONS)
        return observed;
    observed.over = true;
    observed.cause = say(self, "it has ended before its time");
    return observed;
}

static struct observed observe_slow(capacity_t *self, struct trained_job *job,
                                    const struct books *books, double iterations, int64_t step,
                                    bool due)
{
    struct observed observed = observe_loss(self, job);
    const double at = step_now(self, job, books->iterations);
    const double behind = (double)step + iterations - at;

    if (job->done)
        return observe_end(self, job, books, due);
    if (!observed.cause && !due && behind <= tolerated(self, job))
        return observed;
    if (iterations > 0)
        observed.pace = behind < iterations ? (iterations - behind) / iterations : 0;
    if (due)
        observed.left = fmax(1, books->iterations - at);
    if (!observed.cause)
        observed.cause = say_late(self, job, behind);
    return observed;
}

struct observed observe(capacity_t *self, struct trained_job *job, const struct books *books,
                        double iterations, int64_t step, bool due)
{
    if (self->setting.fast_forward)
        return observe_fast(self, job);
    return observe_slow(self, job, books, iterations, step, due);
}

bool observe_slows(const capacity_t *self, const struct trained_job *job, const struct books *books,
                   double iterations, int64_t step, bool known)
{
    const double behind = (double)step + iterations - step_now(self, job, books->iterations);
    const double pace = behind < iterations ? (iterations - behind) / iterations : 0;

    return job->training && !job->done && iterations > 0 && behind > tolerated(self, job) &&
           (!known || fabs(pace - job->pace) > NOTABLE * job->pace);
}

bool observe_end_comes(const capacity_t *self, const struct trained_job *job,
                       const struct submission *submission)
{
    const double all = (double)submission->iterations;

    return job->training && !job->done && all - step_now(self, job, all) <= tolerated(self, job);
}
