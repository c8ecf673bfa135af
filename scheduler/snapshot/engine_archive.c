/* engine_archive.c - see engine_archive.h. */
#include "scheduler/snapshot/engine_archive.h"

#include "scheduler/engine/stages.h"
#include "scheduler/plan/level.h"
#include "scheduler/snapshot/cluster_archive.h"

#include <stdlib.h>

/* A policy with stages of its own has no archive: their memory is not written. */
bool engine_has_archive(const engine_t *self)
{
    const struct policy *policy = self->setting.policy;

    return self->stages.open == plain_open && self->stages.place == plain_place &&
           (!policy->open || policy->archive);
}

static void archive_times(engine_t *self, struct archive *archive)
{
    ARCHIVE(archive, &self->now_s);
    ARCHIVE(archive, &self->next_s);
    ARCHIVE(archive, &self->slot_end_s);
    ARCHIVE(archive, &self->is_early);
    ARCHIVE(archive, &self->event_s);
    ARCHIVE(archive, &self->idle_rounds);
    ARCHIVE(archive, &self->steps);
    archive_text(archive, self->late_start, sizeof(self->late_start));
}

static void archive_status(struct archive *archive, struct engine_status *status)
{
    ARCHIVE(archive, &status->rounds);
    ARCHIVE(archive, &status->jobs);
    ARCHIVE(archive, &status->deadline_jobs);
    ARCHIVE(archive, &status->settled);
    ARCHIVE(archive, &status->accepted);
    ARCHIVE(archive, &status->declined);
    ARCHIVE(archive, &status->first_submit_s);
    ARCHIVE(archive, &status->last_retired_s);
    ARCHIVE(archive, &status->held_gpu_s);
    ARCHIVE(archive, &status->disturbed);
}

static void archive_jobs(engine_t *self, struct archive *archive, struct jobs *jobs)
{
    const size_t count = archive_count(archive, jobs->count, self->jobs->count);

    for (size_t i = 0; i < count && !archive->broken; i++) {
        struct job *job =
            job_table_archive_one(self->jobs, archive, archive->reads ? NULL : jobs->items[i]);

        if (archive->reads && job)
            jobs_append(jobs, job);
    }
}

static void archive_lists(engine_t *self, struct archive *archive)
{
    archive_jobs(self, archive, &self->live);
    archive_jobs(self, archive, &self->running);
    archive_jobs(self, archive, &self->pending);
    archive_jobs(self, archive, &self->waiting);
    ARCHIVE(archive, &self->held_gpus);
    ARCHIVE(archive, &self->to_come);
    ARCHIVE(archive, &self->layout_is_old);
    ARCHIVE(archive, &self->nodes_changed);
}

static void archive_partners(engine_t *self, struct archive *archive)
{
    for (uint32_t row = 0; row < self->jobs->row_count && !archive->broken; row++) {
        struct job *job = job_table_look(self->jobs, row);
        bool shares = job && !archive->reads && job->grant.partner;

        if (!job)
            continue;
        ARCHIVE(archive, &shares);
        if (shares)
            job->grant.partner = job_table_archive_one(self->jobs, archive, job->grant.partner);
    }
}

static void archive_holdings(engine_t *self, struct archive *archive)
{
    const size_t count = archive_count(archive, self->holdings.count, self->jobs->count);

    for (size_t i = 0; i < count && !archive->broken; i++) {
        struct holding holding = {.job = NULL};

        if (!archive->reads)
            holding = self->holdings.items[i];
        holding.job = job_table_archive_one(self->jobs, archive, holding.job);
        ARCHIVE(archive, &holding.grant.gpus);
        ARCHIVE(archive, &holding.overhead_s);
        ARCHIVE(archive, &holding.grant.rate);
        if (archive->reads && holding.job) {
            holding.grant.pool = holding.job->grant.pool;
            holding.grant.nodes = holding.job->grant.nodes;
            holding.grant.batch = holding.job->grant.batch;
            holding.grant.partner = holding.job->grant.partner;
        }
        if (archive->reads)
            list_append(&self->holdings, holding);
    }
}

/* ---- what is derived again ---- */

/* Archives up to version 9 have the level of a job instead of its grant. */
static bool grant_again(struct job *job, int level)
{
    if (level < 0 || level > job->scaling->top)
        return false;
    job->grant = level_grant(job, job->grant.pool, level);
    return true;
}

static bool scale_again(engine_t *self, struct job *job, int64_t version)
{
    const int pool = job->grant.pool;
    struct error ignored;

    if (self->stages.check(self, job, &ignored) < 0 || pool < 0 || pool >= self->pool_count)
        return false;
    job->scaling = job_scaling(job, pool);
    job->grant.pool = pool;
    return version >= 10 || grant_again(job, job->grant.gpus);
}

static void scale_all_again(engine_t *self, struct archive *archive)
{
    for (uint32_t row = 0; row < self->jobs->row_count && !archive->broken; row++) {
        struct job *job = job_table_look(self->jobs, row);

        if (job && !scale_again(self, job, archive->version))
            archive->broken = true;
    }
}

/* Whether a job waits for its parents and is not announced. */
static bool is_hidden(engine_t *self, struct job *job)
{
    return (job->state == JOB_SUBMITTED || job->state == JOB_PENDING) && chains_hold(self, job);
}

/* Announces the jobs that are still to arrive. Jobs that arrived and wait for a node are left
 * out. */
static void announce_again(engine_t *self)
{
    const uint32_t rows = self->jobs->row_count;
    bool *waits = xcalloc((size_t)rows + 1, sizeof(*waits));

    for (size_t i = 0; i < self->waiting.count; i++)
        waits[self->waiting.items[i]->row] = true;
    for (uint32_t row = 0; row < rows; row++) {
        struct job *job = job_table_look(self->jobs, row);

        if (job)
            kept_quotes_enter(self, job);
        if (job && !is_hidden(self, job) && job->state == JOB_SUBMITTED && !waits[row])
            self->stages.announce(self, job, job->submission->submit_s);
    }
    free(waits);
}

void engine_archive(engine_t *self, struct archive *archive, submission_find *find,
                    const void *owner)
{
    round_free_rows(self);
    archive_times(self, archive);
    archive_status(archive, &self->status);
    job_table_archive(self->jobs, archive, find, owner);
    cluster_archive(self->cluster, archive, self->jobs);
    self->nodes_up = round_nodes_up(self);
    if (archive->version >= 8) {
        ARCHIVE(archive, &self->failures.count);
        ARCHIVE(archive, &self->failures.node_s);
    }
    scalings_archive(self->scalings, archive);
    archive_lists(self, archive);
    if (archive->reads)
        scale_all_again(self, archive);
    if (archive->version >= 10)
        archive_partners(self, archive);
    archive_holdings(self, archive);
    prices_archive(self->prices, archive);
    plan_archive(self->plan, archive);
    if (self->setting.policy->archive && !archive->broken)
        self->setting.policy->archive(self->memory, archive, self->live.items, self->live.count);
    if (archive->reads && !archive->broken)
        announce_again(self);
}
