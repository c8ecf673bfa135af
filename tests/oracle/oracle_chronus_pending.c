/* oracle_chronus_pending.c - what gets the GPUs that no lease holds (section 7). */
#include "oracle_chronus_internal.h"

static bool is_hopeless(const struct chronus *self, const struct chronus_job *job)
{
    const struct oracle_chronus_job *given = job->given;

    return job->has_ddl && given->submit_s + job->ddl < self->t + given->duration_s - job->prog;
}

/* Step 3. CH-Q17: a boost outlives all hope. Repaired, it does not. */
void chronus_reclass(const struct chronus *self, struct chronus_job *job)
{
    if ((job->class == ORACLE_ACCEPTED || job->class == ORACLE_UNACCEPTED) &&
        is_hopeless(self, job))
        job->class = ORACLE_LOWEST;
    if (job->class == ORACLE_LOWEST && chronus_cleaned(self, ORACLE_CLEAN_CH_Q17))
        job->boost = false;
    if (job->class == ORACLE_UNACCEPTED || job->class == ORACLE_BEST_EFFORT)
        job->u = -(job->est - job->prog) * job->given->gpus;
    else
        job->u =
            -(job->given->submit_s + job->ddl - self->t - job->est + job->prog) * job->given->gpus;
}

static int compare_pending(const struct chronus_job *a, const struct chronus_job *b)
{
    if (a->class != b->class)
        return chronus_sign(a->class, b->class);
    if (a->u != b->u)
        return chronus_sign(a->u, b->u);
    return chronus_sign(a->given->submit_s, b->given->submit_s);
}

static int class_at_most_one(const struct chronus_job *job)
{
    return job->class < ORACLE_UNACCEPTED ? (int)job->class : 1;
}

/* The key of step 6. */
int chronus_compare_for_spare(const struct chronus_job *a, const struct chronus_job *b)
{
    if (a->boost != b->boost)
        return chronus_sign(a->boost, b->boost);
    if (class_at_most_one(a) != class_at_most_one(b))
        return chronus_sign(class_at_most_one(a), class_at_most_one(b));
    if (a->u != b->u)
        return chronus_sign(a->u, b->u);
    return chronus_sign(b->given->submit_s, a->given->submit_s);
}

static void hand_out_spare(struct chronus *self)
{
    int free_gpus = chronus_free_gpus(self);
    size_t kept = 0;

    if (free_gpus == 0)
        return;
    chronus_jobs_sort_descending(&self->pending, chronus_compare_for_spare);
    for (size_t i = 0; i < self->pending.count; i++) {
        struct chronus_job *job = self->pending.at[i];
        bool may_start = job->class != ORACLE_ACCEPTED || chronus_leases_are_short(self);

        if (may_start && job->given->gpus <= free_gpus) {
            free_gpus -= job->given->gpus;
            job->last = self->t;
            chronus_jobs_append(self, &self->running, job);
        } else {
            self->pending.at[kept++] = job;
        }
    }
    self->pending.count = kept;
}

/* CH-Q8: a job that the lease round of this very tick has stopped pays for a start. Repaired, it
 * does not if it held GPUs right before that round. */
static void charge_starts(struct chronus *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        struct chronus_job *job = self->running.at[i];
        bool went_on = job->was_stopped && chronus_cleaned(self, ORACLE_CLEAN_CH_Q8);

        if (!job->was_running && !went_on)
            job->resume++;
    }
}

void chronus_pending_pass(struct chronus *self)
{
    for (size_t i = 0; i < self->job_count; i++)
        self->jobs[i].was_running = false;
    for (size_t i = 0; i < self->running.count; i++)
        self->running.at[i]->was_running = true;
    if (chronus_leases_are_short(self))
        chronus_force(self);
    for (size_t i = 0; i < self->pending.count; i++) {
        self->pending.at[i]->last = self->t;
        chronus_reclass(self, self->pending.at[i]);
    }
    if (chronus_leases_are_short(self))
        chronus_start_forced(self);
    chronus_jobs_sort_descending(&self->pending, compare_pending);
    hand_out_spare(self);
    charge_starts(self);
}
