/* master_observation.c - what trainers did, beside what the model says that they did: fast-forwarded by the rate
 * that they reported when they were stable, in real time by the step that they are at. */
#include "scheduler/backend/backend_master_state.h"

#include "common/clock.h"
#include "common/log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LOOK_MS   100
#define DONE_WAIT 3 /* heartbeats for which the end of a job is awaited that should have come */

/* What a fault took back is asked for once. */
static struct observed observe_loss(backend_master_t *self, struct trained_job *trained)
{
    struct observed observed = {.pace = 1};

    observed.lost = (double)trained->lost;
    trained->lost = 0;
    if (observed.lost > 0 || !trained->training) {
        (void)snprintf(self->cause, sizeof(self->cause), "%s",
                       *trained->cause ? trained->cause : "its trainers do not train");
        observed.cause = self->cause;
    }
    return observed;
}

/* What cannot be true is counted, and the table is believed instead. */
static double believed_pace(backend_master_t *self, uint64_t number, struct trained_job *trained)
{
    const struct log_subject about = {(int64_t)number, LOG_NONE, LOG_NONE, LOG_NONE};
    const double pace = trained_job_pace(trained);

    if (pace == 1 && trained->rate != trained->expected_rate) {
        self->distrusted++;
        log_event(&about, "distrusted", "rate=%g profiled=%g cause=%s", trained->rate,
                  trained->expected_rate, log_text(trained->cause));
    }
    return pace;
}

static struct observed observe_fast(backend_master_t *self, uint64_t number)
{
    struct trained_job *trained = trained_jobs_at(self->jobs, number);
    struct observed observed = observe_loss(self, trained);

    if (!trained->training) {
        observed.pace = 0;
        observed.stuck = true;
        return observed;
    }
    observed.pace = believed_pace(self, number, trained);
    if (observed.pace == 1)
        return observed;
    (void)snprintf(self->cause, sizeof(self->cause),
                   "it runs at %.3g of its profiled %.6g iterations/s", observed.pace,
                   trained->expected_rate);
    observed.cause = self->cause;
    return observed;
}

static bool is_over(const backend_master_t *self, const struct trained_job *trained, double until_s)
{
    return trained->done || !trained->training || clock_s() > until_s || (session_stop_asked(self));
}

/* The clock says that a job is done: its trainers may be a moment behind. */
static void await_end(backend_master_t *self, uint64_t job)
{
    const double until_s = clock_s() + (double)(DONE_WAIT * self->setting.heartbeat_ms) / 1000;

    while (!is_over(self, trained_jobs_at(self->jobs, job), until_s))
        session_turn(self, LOOK_MS);
}

/* Where the trainers are now, if they went on since they last said where they were. */
static double step_now(const backend_master_t *self, const struct trained_job *trained)
{
    const double since_s = clock_s() - trained->heard_s;
    const double step = trained->step > 0 ? (double)trained->step : 0;

    if (!trained->training || !isfinite(trained->rate) || trained->rate <= 0)
        return step;
    return step + since_s * self->setting.time_scale * trained->rate;
}

/* In real time trainers say which step they are at. What they say has come through three processes, each of
 * which passes it on once an interval; less than that behind is as modelled. */
static struct observed observe_slow(backend_master_t *self, uint64_t job, double iterations,
                                    bool done, int64_t step)
{
    struct trained_job *trained = trained_jobs_at(self->jobs, job);
    struct observed observed = observe_loss(self, trained);
    const double late_s =
        1 + 3 * (double)self->setting.heartbeat_ms / 1000 * self->setting.time_scale;
    double behind;

    if (done && trained->training && !trained->done) {
        await_end(self, job);
        trained = trained_jobs_at(self->jobs, job);
    }
    if (trained->done)
        return (struct observed){.pace = 1};
    observed.stuck = done;
    behind = (double)step + iterations - step_now(self, trained);
    if (!observed.cause && !done && behind <= late_s * trained->expected_rate)
        return observed;
    if (iterations > 0)
        observed.pace = behind < iterations ? (iterations - behind) / iterations : 0;
    if (!observed.cause) {
        (void)snprintf(self->cause, sizeof(self->cause),
                       "its trainers are at step %" PRId64 ", %.0f behind what was expected",
                       trained->step, behind);
        observed.cause = self->cause;
    }
    return observed;
}

struct observed observation_of(backend_master_t *self, uint64_t job, double iterations, bool done,
                               int64_t step)
{
    if (self->setting.fast_forward)
        return observe_fast(self, job);
    return observe_slow(self, job, iterations, done, step);
}

int64_t observation_left(backend_master_t *self, const struct job *job)
{
    const struct trained_job *trained = trained_jobs_at(self->jobs, job->submission->number);
    int64_t left;

    if (self->setting.fast_forward || !trained->planned)
        return 0;
    if (trained->training && !trained->done)
        await_end(self, job->submission->number);
    trained = trained_jobs_at(self->jobs, job->submission->number);
    if (trained->done)
        return 0;
    left = job->submission->iterations - (trained->step > 0 ? trained->step : 0);
    return left > 1 ? left : 1;
}
