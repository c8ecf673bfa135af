/* artifact_work.c - the work that the artifact credits to jobs, and the ends of jobs by this
 * work. */
#include "scheduler/reference/artifact.h"

#include <inttypes.h>
#include <math.h>

int64_t credited_until_finish(const struct job *job)
{
    return job->finish_s;
}

int64_t credited_until_end(const struct job *job)
{
    return job->end_s;
}

int64_t artifact_worked_s(const struct job *job, int64_t elapsed_s)
{
    return elapsed_s > job->overhead_s ? elapsed_s - job->overhead_s : 0;
}

int64_t artifact_work_end_s(const struct job *job, int64_t elapsed_s, int64_t now_s)
{
    const double needed_s = ceil(job->iterations_left / job->grant.rate);
    const int64_t worked_s = elapsed_s - job->overhead_s;

    return needed_s < (double)worked_s ? now_s - worked_s + (int64_t)needed_s : now_s;
}

/* The progress of a job as planned. No work is credited after the planned finish (EF-Q14), nor for
 * the overhead, which never exceeds its interval (EF-Q15). */
static int expect_as_planned(const engine_t *self, const struct job *job, struct interval interval,
                             struct progress *progress, struct error *error)
{
    const double rate = job->grant.rate;
    const int64_t start_s = interval.now_s - interval.elapsed_s;
    const int64_t until_s = loop_rules_of(self)->credited_until_s(job);
    int64_t worked_s = interval.elapsed_s;

    if (interval.now_s > until_s)
        worked_s -= interval.now_s - until_s;
    if (worked_s <= 0)
        return error_set(
            error, "job %s: no time passed on its GPUs at %" PRId64 " s; the artifact aborts here",
            job->submission->id, interval.now_s);
    worked_s = worked_s < job->overhead_s ? 0 : worked_s - job->overhead_s;
    *progress = (struct progress){.iterations = (double)worked_s * rate, .worked_s = worked_s};
    if (job->iterations_left <= progress->iterations && job->end_s > interval.now_s) {
        progress->done = true;
        progress->ended_s = start_s + (int64_t)ceil(job->iterations_left / rate);
        progress->iterations = (double)(job->end_s - start_s) * rate;
    }
    return 0;
}

/* The progress of a job with a planned end. A disturbed run has rounds that the artifact never has:
 * no work is credited where the artifact would abort. The books of a job that deviates follow its
 * real work. */
int planned_expect(engine_t *self, const struct job *job, struct interval interval,
                   struct progress *progress, struct error *error)
{
    int result;

    *progress = (struct progress){.worked_s = 0};
    if (interval.elapsed_s == 0)
        return 0;
    if (job->deviates)
        return plain_expect(self, job, interval, progress, error);
    result = expect_as_planned(self, job, interval, progress, error);
    if (!self->status.disturbed)
        return result;
    if (result < 0)
        *progress = (struct progress){.worked_s = 0};
    return 0;
}

struct progress artifact_progress_by_duration(const struct job *job, struct interval interval)
{
    const int64_t worked_s = artifact_worked_s(job, interval.elapsed_s);
    const int64_t beyond_s = job->attained_s + worked_s - job->submission->duration_s;

    return (struct progress){
        .worked_s = worked_s, .done = beyond_s >= 0, .ended_s = interval.now_s - beyond_s};
}

int requested_expect_duration(engine_t *self, const struct job *job, struct interval interval,
                              struct progress *progress, struct error *error)
{
    (void)self;
    (void)error;
    *progress = artifact_progress_by_duration(job, interval);
    return 0;
}

/* Ends are forecast, never found. */
int tiresias_expect(engine_t *self, const struct job *job, struct interval interval,
                    struct progress *progress, struct error *error)
{
    (void)self;
    (void)error;
    *progress = artifact_progress_by_duration(job, interval);
    progress->done = false;
    return 0;
}

int requested_expect_either(engine_t *self, const struct job *job, struct interval interval,
                            struct progress *progress, struct error *error)
{
    int64_t by_work_s;

    (void)error;
    *progress = artifact_progress_by_duration(job, interval);
    progress->iterations = (double)progress->worked_s * job->grant.rate;
    if (job->iterations_left - progress->iterations > 0)
        return 0;
    by_work_s = artifact_work_end_s(job, interval.elapsed_s, interval.now_s);
    if (!progress->done || by_work_s <= progress->ended_s)
        progress->ended_s = by_work_s;
    if (loop_rules_of(self)->ends_with_interval)
        progress->ended_s = interval.now_s;
    progress->done = progress->iterations_done = true;
    return 0;
}

/* Retires the job in this round, whatever the queue says. */
static void end_now(engine_t *self, struct job *job, const struct progress *progress)
{
    event_queue_t *events = artifact_of(self)->events;
    const struct event *event = event_queue_end_of(events, job);

    if (event && event->at_s > self->now_s && job->end_s == self->now_s)
        event_queue_drop_end(events, job); /* the end was folded into the end of the slot */
    if (event_queue_end_of(events, job))
        event_queue_move_end(events, job, self->now_s);
    else
        event_queue_add_end(events, job, self->now_s);
    job->end_s = progress->ended_s;
    job->early_s = progress->early_s;
}

/* Whether a job of a disturbed run has no work left, whenever its end is due. */
static bool is_done_early(const engine_t *self, const struct job *job,
                          const struct progress *progress)
{
    return self->status.disturbed && self->stages.measure == MEASURE_ITERATIONS &&
           job->iterations_left - progress->iterations <= 0;
}

/* Notes the end of the job if it is in the interval, which is rare. */
static void note_end(engine_t *self, struct job *job, const struct progress *progress)
{
    struct artifact *memory = artifact_of(self);
    struct progress early;

    if (!progress->done && is_done_early(self, job, progress)) {
        early = *progress;
        early.done = true;
        early.ended_s = job->end_s < self->now_s ? job->end_s : self->now_s;
        progress = &early;
    }
    if (loop_rules_of(self)->judged_end_s == judged_by_work)
        *(int64_t *)side_table_at(memory->work_ends, job) =
            artifact_work_end_s(job, self->elapsed_s, self->now_s);
    if (progress->done)
        end_now(self, job, progress);
}

static inline void credit(const engine_t *self, struct job *job, const struct progress *progress)
{
    const bool carries = loop_rules_of(self)->carries_overhead;

    job->iterations_left -= progress->iterations;
    job->iterations_credited += progress->iterations;
    job->attained_s += progress->worked_s;
    job->overhead_s =
        carries && job->overhead_s > self->elapsed_s ? job->overhead_s - (int)self->elapsed_s : 0;
}

/* A function of its own, so that most jobs are credited without a call. */
static __attribute__((noinline)) void credit_with_end(engine_t *self, struct job *job,
                                                      const struct progress *progress)
{
    note_end(self, job, progress);
    credit(self, job, progress);
}

void artifact_credit(engine_t *self, struct job *job, const struct progress *progress)
{
    if (progress->done || self->status.disturbed ||
        loop_rules_of(self)->judged_end_s == judged_by_work)
        credit_with_end(self, job, progress);
    else
        credit(self, job, progress);
}

/* Charges the job `overhead_s`. Its end, if in the queue, moves. */
void artifact_pay(engine_t *self, struct job *job, int overhead_s)
{
    const int64_t end_s = job->end_s + overhead_s - job->overhead_s;

    job->overhead_s = overhead_s;
    if (event_queue_end_of(artifact_of(self)->events, job) &&
        self->stages.measure == MEASURE_ITERATIONS && end_s > self->now_s)
        event_queue_move_end(artifact_of(self)->events, job, end_s);
}
