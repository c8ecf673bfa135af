/* retire.c - the first stages of a round: what running jobs did since the round before, and those
 * whose end is due. */
#include "scheduler/engine/round.h"

#include <inttypes.h>

/* In a disturbed run there are rounds that the reference never has: where it would abort, nothing is
 * credited, and a job with nothing left is done, whenever its end is due. */
static int measure_as_reference(const engine_t *self, const struct job *job,
                                struct progress *progress, struct error *error)
{
    const int64_t until_s = self->rules->credit == CREDIT_UNTIL_FINISH ? job->finish_s : job->end_s;
    const int result =
        backend_sim_progress(job, self->now_s, self->elapsed_s, until_s, progress, error);

    if (!self->troubled)
        return result;
    if (result < 0)
        *progress = (struct progress){.worked_s = 0};
    if (!progress->done && job->iterations_left - progress->iterations <= 0) {
        progress->done = true;
        progress->ended_s = job->end_s < self->now_s ? job->end_s : self->now_s;
    }
    return 0;
}

static int measure(const engine_t *self, const struct job *job, struct progress *progress,
                   struct error *error)
{
    switch (self->rules->work) {
    case WORK_ITERATIONS:
        if (self->rules->credit == CREDIT_UNTIL_DONE || job->disturbed) {
            backend_sim_work(job, self->now_s, self->elapsed_s, progress);
            return 0;
        }
        return measure_as_reference(self, job, progress, error);
    case WORK_DURATION:
        *progress = backend_sim_progress_of_duration(job, self->now_s, self->elapsed_s);
        break;
    case WORK_LEASED:
        *progress = backend_sim_progress_of_lease(lease_of(self->plan->leases, job), self->now_s);
        break;
    case WORK_EITHER:
        *progress = backend_sim_progress_of_either(job, self->now_s, self->elapsed_s);
        if (progress->iterations_done && self->rules->iterations_end == ENDS_WITH_INTERVAL)
            progress->ended_s = self->now_s;
        break;
    }
    progress->done = progress->done && self->rules->ends == ENDS_ARE_NOTICED;
    return 0;
}

static void credit(engine_t *self, struct job *job, const struct progress *progress)
{
    job->iterations_left -= progress->iterations;
    job->iterations_credited += progress->iterations;
    job->attained_s += progress->worked_s;
    job->gpu_seconds += self->elapsed_s * job_gpus(job);
    job->overhead_s = self->rules->rest == REST_IS_CARRIED && job->overhead_s > self->elapsed_s
                          ? job->overhead_s - (int)self->elapsed_s
                          : 0;
    self->held_gpu_s += self->elapsed_s * job_gpus(job);
}

int round_progress(engine_t *self, struct error *error)
{
    int64_t worked_s = 0;

    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        struct progress progress;

        if (job->level == 0) {
            if (job->was_turned_away) /* GA-Q10: such a job never pays for what it waited for */
                job->overhead_s = 0;
            continue;
        }
        if (measure(self, job, &progress, error) < 0)
            return -1;
        if (self->setting.backend)
            round_correct(self, job, &progress);
        if (self->rules->late == LATE_BY_WORK)
            job->done_s = backend_sim_done_s(job, self->now_s, self->elapsed_s);
        if (progress.done) { /* retired in this round, whatever the queue says */
            if (job->event && job->event->at_s > self->now_s && job->end_s == self->now_s)
                event_queue_drop_end(self->events, job); /* it was folded into the slot's end */
            if (job->event)
                event_queue_move_end(self->events, job, self->now_s);
            else
                event_queue_add_end(self->events, job, self->now_s);
            job->end_s = progress.ended_s;
            job->early_s = progress.early_s;
        }
        credit(self, job, &progress);
        worked_s += progress.worked_s;
    }
    self->idle_rounds = worked_s > 0 ? 0 : self->idle_rounds + 1;
    return 0;
}

int round_release(engine_t *self, struct job *job, struct error *error)
{
    if (job->held < 0 || !self->order_matters)
        return 0;
    if (self->rules->sets == SETS_ARE_LOST && cluster_check_set(self->cluster, job, error) < 0)
        return -1;
    cluster_release(self->cluster, job);
    return 0;
}

int round_release_all(engine_t *self, const struct jobs *jobs, struct error *error)
{
    for (size_t i = 0; i < jobs->count && self->order_matters; i++)
        if (round_release(self, jobs->items[i], error) < 0)
            return -1;
    return 0;
}

/* When the job ended, as far as its deadline is concerned. */
static int64_t judged_end_s(const engine_t *self, const struct job *job)
{
    switch (self->rules->late) {
    case LATE_BY_FINISH:
        return job->disturbed ? job->end_s : job->finish_s;
    case LATE_BY_WORK:
        return job->done_s;
    case LATE_BY_END:
    case LATE_BY_LEASE:
        break;
    }
    return job->end_s;
}

/* A job that is done with either is done by what ran out first; TH-Q6: by its iterations if they ran
 * out in the same interval, however many of its seconds did. */
static bool is_done_by_seconds(const engine_t *self, const struct job *job)
{
    const int64_t beyond_s = job->attained_s - job->submission->duration_s;

    return job->iterations_left > 0 ||
           (self->rules->iterations_end == ENDS_WITH_WORK && self->now_s - beyond_s <= job->end_s);
}

static enum work_measure measure_of(const engine_t *self, const struct job *job)
{
    switch (self->rules->work) {
    case WORK_DURATION:
    case WORK_LEASED:
        return MEASURE_SECONDS;
    case WORK_EITHER:
        return is_done_by_seconds(self, job) ? MEASURE_SECONDS : MEASURE_ITERATIONS;
    case WORK_ITERATIONS:
        break;
    }
    return MEASURE_ITERATIONS;
}

static bool is_late(const engine_t *self, const struct job *job, int64_t ended_s)
{
    if (self->rules->late == LATE_BY_LEASE)
        return job_ended_s(job) > (double)lease_of(self->plan->leases, job)->judged_s;
    return ended_s > job->submission->deadline_s; /* EF-Q33, EF-Q47 */
}

static void retire_job(engine_t *self, struct job *job)
{
    const int64_t ended_s = judged_end_s(self, job);
    bool late;

    if (self->rules->late == LATE_BY_WORK)
        job->end_s = ended_s;
    late = !job->submission->best_effort && is_late(self, job, ended_s);
    job->state = JOB_DONE;
    self->layout_is_old = true;
    job->done_by = measure_of(self, job);
    self->last_retired_s = self->now_s;
    self->settled++;
    metrics_retire(self->metrics, job);
    report_retired(self->report, job, self->rules->record == RECORD_END ? job->end_s : self->now_s);
    if (self->plan->leases)
        report_promise(self->report, lease_of(self->plan->leases, job), late);
    if (late) {
        self->declined++;
        self->accepted--;
    }
}

/* The planned end of a job that lost its GPUs means nothing any more. */
static bool is_lost_end(const engine_t *self, const struct job *job)
{
    return self->rules->ends == ENDS_ARE_PLANNED && job->level == 0 && job->iterations_left > 0;
}

int round_retire(engine_t *self, struct error *error)
{
    if (self->rules->release == RELEASE_IN_ORDER_OF_SERVICE &&
        round_release_all(self, &self->live, error) < 0)
        return -1;
    for (size_t i = 0; i < self->due.count; i++) {
        struct job *job = self->due.items[i];
        const bool idle = job->level == 0;

        if (self->setting.backend)
            round_check_end(self, job);
        if (self->rules->credit == CREDIT_UNTIL_DONE && job->iterations_left > 0)
            continue; /* it was believed to be done, but is planned anew */
        if (self->troubled && (round_is_unfinished(self, job) || is_lost_end(self, job))) {
            if (self->rules->ends == ENDS_ARE_PLANNED) {
                event_queue_drop_end(self->events, job);
                job->end_s = 0;
            }
            continue;
        }
        if (idle && self->rules->idle_end == IDLE_END_IS_DROPPED)
            continue; /* EF-Q32 */
        if (idle && self->rules->idle_end == IDLE_END_ABORTS)
            return error_set(error,
                             "job %s: its end is due at %" PRId64 " s while it holds no GPU "
                             "(EF-Q13); the artifact aborts here",
                             job->submission->id, self->now_s);
        if (round_release(self, job, error) < 0)
            return -1;
        retire_job(self, job);
    }
    if (self->due.count > 0) {
        jobs_keep(&self->live, JOB_PENDING, JOB_RUNNING);
        jobs_keep(&self->running, JOB_RUNNING, JOB_RUNNING);
    }
    return 0;
}
