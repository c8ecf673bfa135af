/* oracle_chronus_admission.c - which jobs are promised their deadline (section 6). */
#include "oracle_chronus_internal.h"

#include <assert.h>
#include <math.h>

/* What the tests of one batch look at. */
struct batch {
    struct chronus_slots residual;
    struct chronus_entries entries;
};

static void add_waiting(struct chronus *self, struct chronus_entries *entries,
                        const struct chronus_jobs *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (chronus_is_active(list->at[i]) && !list->at[i]->plan)
            chronus_entries_add_admitted(self, entries, list->at[i]);
}

static void job_estimate(const struct chronus *self, struct chronus_job *job)
{
    double lease_s = (double)self->setting->lease_s;

    job->est = (long)trunc((double)job->given->duration_s *
                           (1 + (1 + log2(job->given->gpus)) * CHRONUS_OVERHEAD_S / lease_s) * 1.1);
    job->need = (long)ceil((double)job->est / lease_s);
    job->last = self->t;
}

static void job_accept(const struct chronus *self, struct chronus_job *job, size_t level)
{
    long submit_s = job->given->submit_s;

    job->class = ORACLE_ACCEPTED;
    job->lev = level;
    job->stated = job->given->levels[level].deadline_s - submit_s;
    /* CH-Q7 */
    job->ddl = self->setting->lease_s * (chronus_slot_count(self, job, level) + self->q) - submit_s;
}

static struct chronus_entry *last_entry(const struct batch *batch)
{
    assert(batch->entries.at && batch->entries.count > 0);
    return &batch->entries.at[batch->entries.count - 1];
}

/* Step 4: the last entry gets the smallest `m` with which all pack, as far as bisection finds
 * it. */
static void relax_last(struct chronus *self, struct batch *batch)
{
    struct chronus_entry *last = last_entry(batch);
    long lo = last->m > last->need ? last->m : last->need;
    long hi = lo;

    for (size_t i = 0; i + 1 < batch->entries.count; i++)
        if (batch->entries.at[i].m > hi)
            hi = batch->entries.at[i].m;
    if (batch->residual.count > hi)
        hi = batch->residual.count;
    hi += last->need + 1;
    while (lo < hi) {
        long mid = lo + (hi - lo) / 2;

        last->m = mid;
        if (chronus_pack(self, &batch->residual, &batch->entries))
            hi = mid;
        else
            lo = mid + 1;
    }
    last->m = hi;
}

static bool job_fits(struct chronus *self, const struct batch *batch, const struct chronus_job *job)
{
    return job->need <= last_entry(batch)->m &&
           chronus_pack(self, &batch->residual, &batch->entries);
}

static void job_reject(struct chronus *self, struct batch *batch, struct chronus_job *job,
                       size_t kept)
{
    job->class = ORACLE_UNACCEPTED;
    self->unacc++;
    /* CH-Q2: it goes on occupying what it was not given. Repaired, it does not. */
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q2))
        batch->entries.count = kept;
    else
        relax_last(self, batch);
}

/* CH-Q18, repaired: the levels are tested one by one, the best first, and the job is promised the
 * one that passes. Until the batch is over that level alone is its entry; one that passes at no
 * level has the last. */
static void job_admit_by_level(struct chronus *self, struct batch *batch, struct chronus_job *job)
{
    size_t kept = batch->entries.count;

    for (size_t v = 0; v < job->given->level_count; v++) {
        batch->entries.count = kept;
        chronus_entry_add(self, &batch->entries, job, v);
        if (job_fits(self, batch, job)) {
            job_accept(self, job, v);
            return;
        }
    }
    job_reject(self, batch, job, kept);
}

static void job_admit(struct chronus *self, struct batch *batch, struct chronus_job *job)
{
    size_t kept = batch->entries.count;

    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q18)) {
        job_admit_by_level(self, batch, job);
        return;
    }
    for (size_t v = 0; v < job->given->level_count; v++)
        chronus_entry_add(self, &batch->entries, job, v);
    if (job_fits(self, batch, job))
        job_accept(self, job, job->given->level_count - 1); /* CH-Q18: the loosest */
    else
        job_reject(self, batch, job, kept);
}

void chronus_admission(struct chronus *self)
{
    struct batch batch = {.residual = {0}};

    if (self->arrived == self->job_count ||
        self->given[self->order[self->arrived]].submit_s > self->t)
        return;
    batch.residual = chronus_residual(self);
    add_waiting(self, &batch.entries, &self->pending);
    add_waiting(self, &batch.entries, &self->running);
    if (!chronus_pack(self, &batch.residual, &batch.entries))
        self->repairs++;
    for (; self->arrived < self->job_count &&
           self->given[self->order[self->arrived]].submit_s <= self->t;
         self->arrived++) {
        struct chronus_job *job = &self->jobs[self->order[self->arrived]];

        job_estimate(self, job);
        if (job->has_ddl)
            job_admit(self, &batch, job);
        else
            job->class = ORACLE_BEST_EFFORT;
        chronus_jobs_append(self, &self->pending, job);
    }
    chronus_entries_drop(self, &batch.entries);
    chronus_slots_drop(self, &batch.residual);
}
