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

struct incarnation *lineage_adopt(struct lineage *self, const struct launch *launch,
                                  uint32_t number)
{
    struct incarnation *incarnation = incarnation_new(launch, number);

    incarnation->lineage = self;
    DL_APPEND2(self->oldest, incarnation, older, newer);
    return incarnation;
}

struct incarnation *lineage_add(struct lineage *self, const struct launch *launch)
{
    return lineage_adopt(self, launch, ++self->last_number);
}

void lineage_remove(struct lineage *self, struct incarnation *incarnation)
{
    DL_DELETE2(self->oldest, incarnation, older, newer);
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

    HASH_CLEAR(hh, *all); /* the list goes on */
    while (lineage) {
        struct lineage *next = lineage->hh.next;

        free_incarnations(lineage);
        free(lineage);
        lineage = next;
    }
}
