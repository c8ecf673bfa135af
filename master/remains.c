/* remains.c - parts that an earlier master left on workers. If together they are an incarnation,
 * the incarnation is taken over. Other parts are stopped. */
#include "common/memory.h"
#include "master/dispatch_state.h"

#include <stdlib.h>
#include <string.h>

/* A part that a master before this one left. */
struct remain {
    struct worker_node *node;
    struct stray *stray;
};

struct remains {
    struct remain
        *items; /* ordered by job, then from the latest incarnation down, then by node rank */
    size_t count;
};

static int compare(const void *a, const void *b)
{
    const struct msg_run *x = &((const struct remain *)a)->stray->run;
    const struct msg_run *y = &((const struct remain *)b)->stray->run;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->incarnation != y->incarnation)
        return x->incarnation > y->incarnation ? -1 : 1;
    return x->node_rank - y->node_rank;
}

static struct remains collect(const dispatch_t *self)
{
    struct remains all = {NULL, 0};
    size_t capacity = 0;

    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        for (size_t k = 0; k < node->stray_count; k++) {
            if (!node->strays[k].remains)
                continue;
            all.items = grow_array(all.items, all.count, &capacity, sizeof(*all.items));
            all.items[all.count++] = (struct remain){node, &node->strays[k]};
        }
    }
    if (all.count > 0)
        qsort(all.items, all.count, sizeof(*all.items), compare);
    return all;
}

/* The number of remains from `first` on that are of one incarnation. */
static size_t group_size(const struct remains *all, size_t first)
{
    const struct msg_run *run = &all->items[first].stray->run;
    size_t size = 1;

    while (first + size < all->count && all->items[first + size].stray->run.job == run->job &&
           all->items[first + size].stray->run.incarnation == run->incarnation)
        size++;
    return size;
}

static bool same_work(const struct msg_run *a, const struct msg_run *b)
{
    return a->nodes == b->nodes && a->world == b->world && a->batch_size == b->batch_size &&
           a->iterations == b->iterations && a->fast_forward == b->fast_forward &&
           a->time_scale == b->time_scale && !strcmp(a->name, b->name) &&
           !strcmp(a->model, b->model);
}

static bool goes_on(const struct msg_part *said)
{
    return said->state < PART_STOPPING || said->state == PART_DONE;
}

/* Whether the remains are all parts of one incarnation, and none is to stop or has failed. */
static bool is_whole(const dispatch_t *self, const struct remain *items, size_t count)
{
    const struct msg_run *first = &items[0].stray->run;
    size_t world = 0;

    for (size_t i = 0; i < count; i++) {
        const struct msg_run *run = &items[i].stray->run;

        if (run->node_rank != (int32_t)i || !same_work(run, first) ||
            !goes_on(&items[i].stray->said) || items[i].node->state != WORKER_UP ||
            !gpus_are_free(self, items[i].node, run->gpus, run->gpu_count))
            return false;
        world += run->gpu_count;
    }
    return count == (size_t)first->nodes && world == (size_t)first->world;
}

static bool has_begun(const struct remain *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].stray->said.state >= PART_RUNNING)
            return true;
    return false;
}

static struct launch_part *parts_of(const struct remain *items, size_t count)
{
    struct launch_part *parts = xcalloc(count, sizeof(*parts));

    for (size_t i = 0; i < count; i++) {
        const struct msg_run *run = &items[i].stray->run;

        parts[i] =
            (struct launch_part){items[i].node, (int32_t)i, run->gpu_count, run->gpus, run->ranks};
    }
    return parts;
}

static struct incarnation *adopt(dispatch_t *self, const struct remain *items, size_t count,
                                 int64_t now_us)
{
    const struct msg_run *run = &items[0].stray->run;
    struct launch_part *parts = parts_of(items, count);
    const struct job_launch launch = {
        .run = *run, .may_begin = true, .part_count = count, .parts = parts};
    struct incarnation *incarnation =
        lineage_adopt(lineage_of(&self->lineages, run->job), &launch, run->incarnation);

    free(parts);
    incarnation->started_us = now_us;
    if (has_begun(items, count)) {
        incarnation->phase = INCARNATION_BEGUN;
        incarnation->begun_us = now_us;
    }
    for (size_t i = 0; i < count; i++)
        part_adopt(self, &incarnation->parts[i]);
    for (size_t i = 0; i < count; i++) {
        part_observe(self, &incarnation->parts[i], &items[i].stray->said, now_us);
        items[i].stray->adopted = true;
    }
    dispatch_news_add(&self->news, incarnation);
    return incarnation;
}

static void forget(dispatch_t *self, bool (*which)(const struct stray *))
{
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        for (size_t k = node->stray_count; k-- > 0;)
            if (which(&node->strays[k]))
                stray_forget(self, node, k);
    }
}

static bool was_adopted(const struct stray *stray)
{
    return stray->adopted;
}

static bool is_over(const struct stray *stray)
{
    return stray->over;
}

void dispatch_adopt(dispatch_t *self, adopted_fn *adopted, void *owner, int64_t now_us)
{
    struct remains all = collect(self);
    size_t size;

    for (size_t i = 0; i < all.count; i += size) {
        const struct lineage *lineage = lineage_of(&self->lineages, all.items[i].stray->run.job);
        struct incarnation *incarnation;

        size = group_size(&all, i);
        if (lineage->oldest || !is_whole(self, &all.items[i], size))
            continue;
        incarnation = adopt(self, &all.items[i], size, now_us);
        incarnation->item = adopted(owner, incarnation);
    }
    free(all.items);
    forget(self, was_adopted);
}

void dispatch_let_go(dispatch_t *self)
{
    if (!self->keeps)
        return;
    self->keeps = false;
    forget(self, is_over);
    for (size_t i = 0; i < registry_count(self->registry); i++) {
        struct worker_node *node = registry_at(self->registry, i);

        for (size_t k = 0; k < node->stray_count; k++)
            if (node_in_session(node))
                stray_stop(self, node, &node->strays[k]);
    }
}
