/* oracle_chronus_lease.c - which jobs get the lease that starts now (section 8), picked by the
 * greedy plan or by the closed form of the model (sections 12 and 13). */
#include "oracle_chronus_internal.h"

#include <assert.h>
#include <string.h>

/* Section 8.2. */
static void stop_everything(struct chronus *self)
{
    for (size_t i = 0; i < self->running.count; i++) {
        struct chronus_job *job = self->running.at[i];
        long left = chronus_leases_left(self, job);

        job->was_stopped = true;
        job->held = false;
        job->last = self->t;
        if (job->class == ORACLE_ACCEPTED && left < job->need) {
            chronus_plan_clear_first(job, job->need - left);
            job->need = left;
        }
        chronus_jobs_append(self, &self->pending, job);
    }
    self->running.count = 0;
}

/* Of all jobs that may get a lease, or of those without a plan. */
static struct chronus_entries entries_of_active(struct chronus *self, bool all)
{
    struct chronus_entries entries = {0};

    for (size_t i = 0; i < self->pending.count; i++)
        if (chronus_is_active(self->pending.at[i]) && (all || !self->pending.at[i]->plan))
            chronus_entries_add_admitted(self, &entries, self->pending.at[i]);
    return entries;
}

static int compare_for_plan(const struct chronus_entry *a, const struct chronus_entry *b)
{
    if (a->value != b->value)
        return chronus_sign(b->value, a->value);
    return chronus_compare_for_packing(a, b);
}

/* With CH-Q18 repaired a job has one entry, so that values choose nothing; plans made in the order
 * of the test that admitted their jobs find the places which that test found. */
static void make_plans(struct chronus *self)
{
    struct chronus_entries entries = entries_of_active(self, false);
    struct chronus_slots residual = chronus_residual(self);

    chronus_entries_sort(&entries, chronus_cleaned(self, ORACLE_CLEAN_CH_Q18)
                                       ? chronus_compare_for_packing
                                       : compare_for_plan);
    for (size_t i = 0; i < entries.count; i++) {
        struct chronus_job *job = entries.at[i].job;

        if (job->plan || entries.at[i].m <= 0)
            continue;
        chronus_plan_new(self, job, entries.at[i].m);
        job->lev = entries.at[i].level;
        if (!chronus_pack_entry(&residual, &entries.at[i], job->plan))
            chronus_plan_drop(self, job);
    }
    chronus_slots_drop(self, &residual);
    chronus_entries_drop(self, &entries);
}

/* Takes the first slot off the plan; returns whether the plan had it. */
static bool plan_shift(struct chronus_job *job)
{
    bool first;

    assert(job->plan_length > 0);
    first = job->plan[0] != 0;
    memmove(job->plan, job->plan + 1, (size_t)job->plan_length);
    job->plan_length--;
    return first;
}

/* CH-Q16: where the reference ends in its debugger, a job without a place is no longer accepted. */
static void select_by_plan(struct chronus *self, struct chronus_jobs *selected)
{
    make_plans(self);
    for (size_t i = 0; i < self->pending.count; i++) {
        struct chronus_job *job = self->pending.at[i];

        if (job->class != ORACLE_ACCEPTED)
            continue;
        if (!job->plan)
            job->class = ORACLE_UNACCEPTED;
        else if (plan_shift(job))
            chronus_jobs_append(self, selected, job);
    }
}

/* Whether the closed form settles the round. The entries of a job are adjacent. */
static void require_no_contest(struct chronus *self, const struct chronus_entries *entries)
{
    long gpus = 0;

    for (size_t i = 0; i < entries->count; i++) {
        if (i > 0 && entries->at[i].job == entries->at[i - 1].job)
            oracle_contested(&self->call, "at %ld: job %s has several levels", self->t,
                             entries->at[i].job->given->id);
        gpus += entries->at[i].gpus;
    }
    if (gpus > self->setting->gpu_count)
        oracle_contested(&self->call, "at %ld: %zu jobs want %ld of %d GPUs", self->t,
                         entries->count, gpus, self->setting->gpu_count);
}

/* The plan is what follows slot 0: its ones as late as they can be. */
static void plan_latest_first(struct chronus *self, const struct chronus_entry *entry, bool now)
{
    long later = entry->need - (now ? 1 : 0);

    chronus_plan_new(self, entry->job, entry->m - 1);
    entry->job->lev = entry->level;
    for (long s = entry->m - 2; later > 0; s--, later--)
        entry->job->plan[s] = 1;
}

static void select_by_closed_form(struct chronus *self, enum oracle_chronus_objective objective,
                                  const struct chronus_entries *entries,
                                  struct chronus_jobs *selected)
{
    require_no_contest(self, entries);
    for (size_t i = 0; i < entries->count; i++) {
        const struct chronus_entry *entry = &entries->at[i];
        bool now = objective == ORACLE_CHRONUS_MAXIMIZE || entry->need == entry->m;

        assert(entry->need <= entry->m);
        plan_latest_first(self, entry, now);
        if (now)
            chronus_jobs_append(self, selected, entry->job);
    }
}

/* Section 8.1. CH-Q5: the jobs that were not accepted count, whatever the reference calls them. */
static enum oracle_chronus_objective choose_objective(const struct chronus *self)
{
    if (self->setting->objective != ORACLE_CHRONUS_ADAPTIVE)
        return self->setting->objective;
    return self->unacc > 0 ? ORACLE_CHRONUS_MINIMIZE : ORACLE_CHRONUS_MAXIMIZE;
}

/* CH-Q1: the wait since the last pending pass is credited as if the job had run. Repaired, it is
 * not. */
static void job_start(struct chronus *self, struct chronus_job *job)
{
    job->held = true;
    job->need--;
    job->leases++;
    if (chronus_cleaned(self, ORACLE_CLEAN_CH_Q1))
        job->last = self->t;
    job->waited += self->t - job->last;
    if (!job->was_stopped)
        job->resume++;
    chronus_jobs_remove(&self->pending, job);
    chronus_jobs_append(self, &self->running, job);
}

static void count_unaccepted(struct chronus *self)
{
    self->unacc = 0;
    for (size_t i = 0; i < self->pending.count; i++)
        self->unacc += self->pending.at[i]->class == ORACLE_UNACCEPTED;
    for (size_t i = 0; i < self->running.count; i++)
        self->unacc += self->running.at[i]->class == ORACLE_UNACCEPTED;
}

/* A fill credits the wait before it (CH-Q1), which may be worth more than one lease; section 9.3
 * clears one slot all the same. */
static bool is_planned_too_often(const struct chronus *self)
{
    return chronus_leases_are_short(self) && self->setting->check_s % 2 == 1 &&
           !chronus_cleaned(self, ORACLE_CLEAN_CH_Q1) && !chronus_cleaned(self, ORACLE_CLEAN_CH_Q6);
}

/* What section 17 says of plans once a round is over: as many ones as leases are due, and a slot
 * for each until the deadline of the level. */
static void check_plans(const struct chronus *self, const struct chronus_jobs *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct chronus_job *job = list->at[i];
        long due = 0;

        if (!chronus_is_active(job))
            continue;
        assert(job->plan);
        assert(job->plan_length == chronus_slot_count(self, job, job->lev));
        for (long s = 0; s < job->plan_length; s++)
            due += job->plan[s];
        assert(due == job->need || (due > job->need && is_planned_too_often(self)));
    }
}

static void tell_round(struct chronus *self, size_t entry_count,
                       enum oracle_chronus_objective objective, const struct chronus_jobs *selected)
{
    struct oracle_chronus_round round = {
        .time_s = self->t, .entry_count = entry_count, .objective = objective};

    if (entry_count == 0)
        return;
    self->rounds++;
    for (size_t i = 0; i < selected->count; i++)
        round.granted_gpus += selected->at[i]->given->gpus;
    if (self->watch && self->watch->round)
        self->watch->round(self->watch->context, &round);
}

void chronus_lease_round(struct chronus *self)
{
    enum oracle_chronus_objective objective = choose_objective(self);
    struct chronus_jobs selected = {0};
    struct chronus_entries entries;

    assert(self->q == self->t / self->setting->lease_s);
    stop_everything(self);
    for (size_t i = 0; i < self->pending.count; i++)
        self->pending.at[i]->forced = false; /* section 9.3 */
    entries = entries_of_active(self, true);
    if (self->setting->mode == ORACLE_CHRONUS_MILP)
        select_by_closed_form(self, objective, &entries, &selected);
    else
        select_by_plan(self, &selected);
    tell_round(self, entries.count, objective, &selected);
    for (size_t i = 0; i < selected.count; i++)
        job_start(self, selected.at[i]);
    self->q++;
    check_plans(self, &self->pending);
    check_plans(self, &self->running);
    count_unaccepted(self);
    chronus_entries_drop(self, &entries);
    oracle_free(&self->call, selected.at);
}
