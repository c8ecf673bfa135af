/* requested_rounds.c - the rounds of policies that give a job the GPUs that it asks for, or no
 * GPUs. */
#include "scheduler/reference/artifact.h"

#include <math.h>

static bool by_seconds(const engine_t *self)
{
    return self->stages.measure == MEASURE_SECONDS;
}

/* ---- which jobs can run ---- */

static int check_stated(const engine_t *self, const struct job *job, struct error *error)
{
    if (round_check_asked(self, job, error) < 0)
        return -1;
    if (job->submission->duration_s < 0)
        return error_set(error, "job %s: %s needs the duration that the trace does not state",
                         job->submission->id, self->setting.policy->name);
    return 0;
}

/* The table must have the GPU count, even if the policy asks for no rate: the artifact does. */
static int check_scaling(const engine_t *self, const struct job *job, struct error *error)
{
    const struct scaling *scaling = job->scaling;
    const double rate = scaling->rate[scaling->top];

    if (round_check_column(job, error) < 0)
        return -1;
    if (by_seconds(self) ? scaling->row->marked_nan[scaling->top - 1] || !isnan(rate) : rate > 0)
        return 0;
    return scaling_complain(scaling, scaling->top, error);
}

int requested_check(engine_t *self, struct job *job, struct error *error)
{
    if (check_stated(self, job, error) < 0 || plain_check(self, job, error) < 0)
        return -1;
    return check_scaling(self, job, error);
}

int requested_check_size(engine_t *self, struct job *job, struct error *error)
{
    const int gpus = cluster_gpus(self->cluster);

    if (check_stated(self, job, error) < 0)
        return -1;
    if (job->submission->gpus_requested > gpus)
        return error_set(error,
                         "job %s asks for %d GPUs of a cluster of %d; the artifact's %s waits for "
                         "them for ever (TI-Q9); --rules clean declines it",
                         job->submission->id, job->submission->gpus_requested, gpus,
                         self->setting.policy->name);
    return requested_check(self, job, error);
}

/* ---- the GPUs that jobs hold ---- */

/* Adopts a plan without ends: a job that gets GPUs has started. */
void requested_adopt(engine_t *self)
{
    const plan_t *plan = self->plan;
    const struct share *shares = plan->shares;
    struct job *const *live = self->live.items;

    for (size_t i = 0, count = plan->count; i < count; i++) {
        struct job *job = live[plan->order[i]];

        round_hold(self, job, &shares[job->place].grant);
        if (job->state == JOB_PENDING && job_holds(job))
            round_start(self, job);
    }
    round_drop_started(self);
    round_serve_in_order(self);
}

void requested_charge_nothing(engine_t *self)
{
    (void)self; /* TH-Q4, EF-Q38 */
}

/* Charges jobs that start, move or restart. Jobs that go on pay the rest of their overhead. */
void requested_charge_changes(engine_t *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        struct job *job = self->running.items[i];

        if (job_holds(job) && pays_for_changes(self, job))
            job->overhead_s = prices_of(self->prices, job);
    }
}

int64_t requested_foresee(const engine_t *self, const struct job *job)
{
    const double pace = job->pace > 0 ? job->pace : 1;
    const double left_s = (double)(job->submission->duration_s - job->attained_s) / pace;

    return left_s < 1e15 ? self->now_s + (int64_t)ceil(left_s + job->overhead_s) : NEVER_S;
}
