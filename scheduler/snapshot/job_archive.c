/* job_archive.c - see job_archive.h. */
#include "scheduler/snapshot/job_archive.h"

#include "common/memory.h"

#include <stdlib.h>

/* ---- one record ---- */

static void archive_speed(struct archive *archive, struct job *job)
{
    struct speed as_profiled = {.oldest = 0};
    struct speed *speed = archive->reads ? job_table_speed(job) : job->speed;

    if (!speed)
        speed = &as_profiled;
    for (int i = 0; i < SPEED_WINDOWS; i++)
        ARCHIVE(archive, &speed->lags[i]);
    speed->oldest = (int)archive_count(archive, (size_t)speed->oldest, SPEED_WINDOWS - 1);
    if (archive->version >= 6)
        speed->heard = (int)archive_count(archive, (size_t)speed->heard, SPEED_WINDOWS);
    ARCHIVE(archive, &speed->lag);
    ARCHIVE(archive, &speed->lag_s);
    ARCHIVE(archive, &speed->worked_s);
}

static void archive_work(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->iterations_left);
    ARCHIVE(archive, &job->iterations_credited);
    ARCHIVE(archive, &job->attained_s);
    ARCHIVE(archive, &job->gpu_seconds);
    ARCHIVE(archive, &job->pace);
    archive_speed(archive, job);
}

/* Archives how exposed a job is. Earlier versions have no such fields: the next round fills
 * them. */
static void archive_exposure(struct archive *archive, struct job *job)
{
    if (archive->version < 8)
        return;
    ARCHIVE(archive, &job->node_seconds);
    ARCHIVE(archive, &job->exposure.node_s);
    ARCHIVE(archive, &job->exposure.losses);
}

static void archive_times(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->resumed_s);
    ARCHIVE(archive, &job->start_s);
    ARCHIVE(archive, &job->finish_s);
    ARCHIVE(archive, &job->end_s);
    ARCHIVE(archive, &job->early_s);
    ARCHIVE(archive, &job->overhead_s);
    if (archive->version >= 9)
        ARCHIVE(archive, &job->late_s);
}

/* Archives where a job is. The nodes of a seat belong to the policy, which names them in each
 * round. */
static void archive_place(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->grant.gpus); /* the level, up to version 9 */
    ARCHIVE(archive, &job->grant.pool);
    if (archive->version >= 10) {
        ARCHIVE(archive, &job->grant.nodes);
        ARCHIVE(archive, &job->grant.batch);
        ARCHIVE(archive, &job->grant.rate);
    }
    ARCHIVE(archive, &job->seat.chosen);
    ARCHIVE(archive, &job->seat.rank);
    ARCHIVE(archive, &job->held);
}

/* Archives deviations and the promise. The text of the trouble is left out, as it is of the step
 * before. */
static void archive_trouble(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->deviates);
    ARCHIVE(archive, &job->deviated_step);
    ARCHIVE(archive, &job->was_in_time);
    ARCHIVE(archive, &job->slips);
    ARCHIVE(archive, &job->promise.state);
    ARCHIVE(archive, &job->promise.deadline_s);
    ARCHIVE(archive, &job->promise.made_s);
    if (archive->version >= 8)
        ARCHIVE(archive, &job->promise.at_risk);
}

static void archive_parents(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->parents_ended);
    ARCHIVE(archive, &job->lost_state);
    job->lost_parent =
        (int)archive_count(archive, (size_t)job->lost_parent, job->submission->parent_count);
}

static void archive_job(struct archive *archive, struct job *job)
{
    ARCHIVE(archive, &job->arrival);
    ARCHIVE(archive, &job->state);
    archive_place(archive, job);
    archive_work(archive, job);
    archive_times(archive, job);
    archive_trouble(archive, job);
    archive_exposure(archive, job);
    if (job->submission->parent_count > 0)
        archive_parents(archive, job);
}

/* ---- all jobs ---- */

static void archive_free_rows(job_table_t *self, struct archive *archive, bool *is_free)
{
    const size_t count = archive_count(archive, self->free_count, self->row_count);

    for (size_t i = 0; i < count; i++) {
        uint32_t row = archive->reads ? 0 : self->free_rows[i];

        row = (uint32_t)archive_count(archive, row, self->row_count - 1);
        is_free[row] = true;
        if (!archive->reads)
            continue;
        self->free_rows = grow_array(self->free_rows, self->free_count, &self->free_room,
                                     sizeof(*self->free_rows));
        self->free_rows[self->free_count++] = row;
    }
}

/* The record in `row`, NULL if its submission is missing. */
static struct job *find_record(job_table_t *self, struct archive *archive, submission_find *find,
                               const void *owner, uint32_t row)
{
    uint64_t number = archive->reads ? 0 : job_table_at(self, row)->submission->number;
    const struct submission *submission;

    ARCHIVE(archive, &number);
    if (!archive->reads)
        return job_table_at(self, row);
    submission = archive->broken ? NULL : find(owner, number);
    return submission ? job_table_put(self, submission, row) : NULL;
}

void job_table_archive(job_table_t *self, struct archive *archive, submission_find *find,
                       const void *owner)
{
    const uint32_t rows = (uint32_t)archive_count(archive, self->row_count, UINT32_MAX / 2);
    bool *is_free;

    if (archive->reads)
        job_table_reserve(self, rows);
    is_free = xcalloc((size_t)rows + 1, sizeof(*is_free));
    archive_free_rows(self, archive, is_free);
    for (uint32_t row = 0; row < rows && !archive->broken; row++) {
        struct job *job = is_free[row] ? NULL : find_record(self, archive, find, owner, row);

        if (job)
            archive_job(archive, job);
        else if (!is_free[row])
            archive->broken = true;
    }
    free(is_free);
}

struct job *job_table_archive_one(const job_table_t *self, struct archive *archive,
                                  const struct job *job)
{
    const size_t row = archive_count(archive, job ? job->row : 0, self->row_count);

    if (archive->broken || row == self->row_count || !job_table_look(self, (uint32_t)row)) {
        archive->broken = true;
        return NULL;
    }
    return job_table_at(self, (uint32_t)row);
}
