/* rubato_archive.c - see rubato.h. */
#include "scheduler/policies/rubato.h"

#include "common/memory.h"

static void archive_demand(struct demand *demand, struct archive *archive)
{
    size_t known;

    ARCHIVE(archive, &demand->count);
    known = demand->count < DEMAND_ARRIVALS ? demand->count : DEMAND_ARRIVALS;
    for (size_t i = 0; i < known; i++) {
        struct arrival *arrival = &demand->arrivals[i];

        ARCHIVE(archive, &arrival->job);
        ARCHIVE(archive, &arrival->at_s);
        ARCHIVE(archive, &arrival->price);
        ARCHIVE(archive, &arrival->unit_price);
        ARCHIVE(archive, &arrival->window_s);
    }
}

/* Where the nodes were before the last renewal is asked in a round only. */
static void archive_order(struct node_order *order, struct archive *archive)
{
    for (int i = 0; i < order->count; i++)
        order->nodes[i] =
            (int)archive_count(archive, (size_t)order->nodes[i], (size_t)order->count - 1);
}

static void archive_course(struct rubato *self, struct archive *archive, struct course *course)
{
    const size_t count = archive_count(archive, (size_t)course->count, UINT16_MAX);

    if (archive->reads) {
        course->count = (int)count;
        course->pieces = arena_alloc(self->courses, (count + 1) * sizeof(*course->pieces));
    }
    for (size_t i = 0; i < count; i++) {
        if (archive->reads)
            course->pieces[i] = (struct piece){0, 0, 0};
        ARCHIVE(archive, &course->pieces[i].at_s);
        ARCHIVE(archive, &course->pieces[i].level);
        ARCHIVE(archive, &course->pieces[i].rank);
    }
    ARCHIVE(archive, &course->end_s);
    ARCHIVE(archive, &course->gpu_s);
}

static void archive_reserve(struct reserve *reserve, struct archive *archive)
{
    ARCHIVE(archive, &reserve->losses);
    ARCHIVE(archive, &reserve->owed_s);
    ARCHIVE(archive, &reserve->level);
    ARCHIVE(archive, &reserve->charge_s);
    ARCHIVE(archive, &reserve->left);
}

/* The course of a job without a promise is nothing that stands. */
static void archive_stand(struct rubato *self, struct archive *archive, const struct job *job)
{
    struct stand *stand = side_table_at(self->stands, job);

    ARCHIVE(archive, &stand->known);
    ARCHIVE(archive, &stand->runs);
    ARCHIVE(archive, &stand->promised);
    ARCHIVE(archive, &stand->rank);
    archive_reserve(&stand->reserve, archive);
    stand->best_effort = job->submission->best_effort;
    if (stand->promised)
        archive_course(self, archive, &stand->course);
    stand->best_effort = stand->known && job->submission->best_effort;
}

void rubato_archive(void *memory, struct archive *archive, struct job *const live[], size_t count)
{
    struct rubato *self = memory;

    ARCHIVE(archive, &self->last_s);
    ARCHIVE(archive, &self->tests);
    archive_order(&self->order, archive);
    archive_demand(&self->demand, archive);
    for (size_t i = 0; i < count; i++)
        archive_stand(self, archive, live[i]);
}
