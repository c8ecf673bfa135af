/* cluster_archive.c - see cluster_archive.h. */
#include "scheduler/snapshot/cluster_archive.h"

#include "scheduler/snapshot/job_archive.h"

static void archive_stays(struct archive *archive, struct stays *stays)
{
    stays->count = (int)archive_count(archive, (size_t)stays->count, STAYS_MAX);
    for (int i = 0; i < stays->count; i++) {
        ARCHIVE(archive, &stays->items[i].from_s);
        ARCHIVE(archive, &stays->items[i].until_s);
    }
}

static void archive_node(cluster_t *self, struct archive *archive, int position)
{
    enum node_state state = cluster_node_state(self, position);
    int64_t until_s = cluster_node_until_s(self, position);
    struct stays again = *cluster_node_again(self, position);
    int gpus = cluster_node_gpus(self, position);
    const int most = pool_at(cluster_pools(self, NULL), position)->gpus_per_node;

    ARCHIVE(archive, &state);
    ARCHIVE(archive, &until_s);
    if (archive->version >= 3)
        gpus = 1 + (int)archive_count(archive, (size_t)gpus - 1, (size_t)most - 1);
    if (archive->version >= 11)
        archive_stays(archive, &again);
    if (!archive->reads || archive->broken)
        return;
    cluster_set_node_gpus(self, position, gpus);
    cluster_set_node(self, position, state, until_s);
    cluster_set_node_again(self, position, &again);
}

/* Archives a set. Its nodes are a part of the layout's chosen nodes. */
static void archive_set(struct layout *layout, struct archive *archive, struct node_set *set)
{
    size_t first = archive->reads ? 0 : (size_t)(set->nodes - layout->chosen);

    first = archive_count(archive, first, (size_t)layout->nodes_taken);
    ARCHIVE(archive, &set->node_count);
    ARCHIVE(archive, &set->capacity);
    ARCHIVE(archive, &set->used);
    ARCHIVE(archive, &set->label);
    ARCHIVE(archive, &set->class_label);
    ARCHIVE(archive, &set->first_held);
    ARCHIVE(archive, &set->last_held);
    set->nodes = layout->chosen + first;
}

static void archive_held(struct archive *archive, const job_table_t *jobs, struct held *held)
{
    if (archive->reads)
        *held = (struct held){.job = NULL};
    held->job = job_table_archive_one(jobs, archive, held->job);
    ARCHIVE(archive, &held->gpus);
    ARCHIVE(archive, &held->set);
    ARCHIVE(archive, &held->first);
    ARCHIVE(archive, &held->next);
    ARCHIVE(archive, &held->more);
    if (archive->version >= 10)
        ARCHIVE(archive, &held->of);
    else
        held->of = -1;
}

static int archive_up_to(struct archive *archive, int count, int max)
{
    return (int)archive_count(archive, (size_t)count, (size_t)max);
}

void cluster_archive(cluster_t *self, struct archive *archive, const job_table_t *jobs)
{
    const int nodes = cluster_node_count(self);
    struct layout *layout = cluster_reopen(self);

    for (int i = 0; i < nodes; i++)
        archive_node(self, archive, i);
    ARCHIVE(archive, &layout->number);
    layout->nodes_taken = archive_up_to(archive, layout->nodes_taken, nodes);
    for (int i = 0; i < layout->nodes_taken; i++)
        layout->chosen[i] = archive_up_to(archive, layout->chosen[i], nodes - 1);
    layout->held_count =
        archive_up_to(archive, layout->held_count, cluster_gpus(self) + (int)jobs->count);
    cluster_reserve(self, (size_t)layout->held_count);
    for (int i = 0; i < layout->held_count && !archive->broken; i++)
        archive_held(archive, jobs, &layout->held[i]);
    layout->set_count = archive_up_to(archive, layout->set_count, nodes);
    for (int i = 0; i < layout->set_count && !archive->broken; i++)
        archive_set(layout, archive, &layout->sets[i]);
    for (int i = 0; i < nodes; i++)
        ARCHIVE(archive, &layout->set_of_node[i]);
}
