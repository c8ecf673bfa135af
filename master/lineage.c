/* lineage.c - see lineage.h. */
#include "master/lineage.h"

#include "common/memory.h"

#include <stdlib.h>
#include <utlist.h>

struct lineage *lineage_of(struct lineage **all, uint64_t job)
{
    struct lineage *found;

    HASH_FIND(hh, *all, &job, sizeof(job), found);
    if (found)
        return found;
    found = xcalloc(1, sizeof(*found));
    found->job = job;
    found->checkpoint = -1;
    HASH_ADD(hh, *all, job, sizeof(job), found);
    return found;
}

struct incarnation *lineage_adopt(struct lineage *self, const struct job_launch *launch,
                                  uint32_t number)
{
    struct incarnation *incarnation = incarnation_new(launch, number);

    incarnation->lineage = self;
    DL_APPEND2(self->oldest, incarnation, older, newer);
    return incarnation;
}

struct incarnation *lineage_add(struct lineage *self, const struct job_launch *launch)
{
    return lineage_adopt(self, launch, ++self->last_number);
}

void lineage_remove(struct lineage *self, struct incarnation *incarnation)
{
    DL_DELETE2(self->oldest, incarnation, older, newer);
}

/* ---- ends that are heard of late ---- */

void lineage_forget_late(struct lineage *self)
{
    free(self->late_nodes);
    self->late_nodes = NULL;
    self->late_count = 0;
    self->late_number = 0;
}

void lineage_note_late(struct lineage *self, const struct incarnation *incarnation)
{
    if (incarnation->leased == 0 ||
        incarnation->leased + incarnation->done < incarnation->part_count)
        return;
    lineage_forget_late(self);
    self->late_number = incarnation->number;
    self->late_done_us = incarnation->done_us;
    self->late_nodes = xcalloc(incarnation->leased, sizeof(*self->late_nodes));
    for (size_t i = 0; i < incarnation->part_count; i++)
        if (incarnation->parts[i].leased)
            self->late_nodes[self->late_count++] = incarnation->parts[i].node->number;
}

bool lineage_done_late(struct lineage *self, uint32_t number, int32_t node, int64_t done_us)
{
    size_t place = 0;

    if (self->late_number != number)
        return false;
    while (place < self->late_count && self->late_nodes[place] != node)
        place++;
    if (place == self->late_count)
        return false;
    self->late_nodes[place] = self->late_nodes[--self->late_count];
    if (done_us > self->late_done_us)
        self->late_done_us = done_us;
    return self->late_count == 0;
}

static const struct worker_node *fenced_node(const struct incarnation *incarnation)
{
    for (size_t i = 0; i < incarnation->part_count; i++)
        if (!incarnation->parts[i].ended)
            return incarnation->parts[i].node;
    return NULL;
}

const struct worker_node *lineage_awaited_node(const struct incarnation *incarnation)
{
    const struct worker_node *node = NULL;

    if (incarnation->phase != INCARNATION_PREPARING)
        return NULL;
    for (const struct incarnation *at = incarnation->lineage->oldest; at != incarnation;
         at = at->newer) {
        if (!incarnation_is_fenced(at))
            return NULL;
        node = fenced_node(at);
    }
    return node;
}

static void free_incarnations(struct lineage *lineage)
{
    struct incarnation *incarnation;
    struct incarnation *next;

    DL_FOREACH_SAFE2(lineage->oldest, incarnation, next, newer)
    {
        incarnation_destroy(&incarnation);
    }
}

void lineages_destroy(struct lineage **all)
{
    struct lineage *lineage = *all;

    HASH_CLEAR(hh, *all); /* empties the table; the list of items stays linked */
    while (lineage) {
        struct lineage *next = lineage->hh.next;

        free_incarnations(lineage);
        lineage_forget_late(lineage);
        free(lineage);
        lineage = next;
    }
}
