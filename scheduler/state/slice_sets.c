/* slice_sets.c - see slice_sets.h. */
#include "scheduler/state/slice_sets.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

slice_sets_t *slice_sets_new(int node_count, int gpus_per_node)
{
    slice_sets_t *self = xcalloc(1, sizeof(*self));

    assert(node_count > 0);
    assert(gpus_per_node > 0);
    self->gpus_per_node = gpus_per_node;
    self->node_count = node_count;
    self->free_count = node_count;
    self->free_nodes = xcalloc((size_t)node_count, sizeof(*self->free_nodes));
    for (int i = 0; i < node_count; i++)
        self->free_nodes[i] = i;
    for (int i = 0; i < SLICE_SET_CLASSES; i++) {
        self->classes[i].gpus = 1 << i;
        self->classes[i].nodes = (self->classes[i].gpus + gpus_per_node - 1) / gpus_per_node;
    }
    return self;
}

static void destroy_set(struct slice_set *set)
{
    free(set->jobs);
    free(set->nodes);
    free(set);
}

void slice_sets_destroy(slice_sets_t **self)
{
    if (!*self)
        return;
    for (int i = 0; i < SLICE_SET_CLASSES; i++) {
        struct slice_set_class *class = &(*self)->classes[i];

        for (size_t k = 0; k < class->count; k++)
            destroy_set(class->sets[k]);
        free(class->sets);
    }
    free((*self)->free_nodes);
    free(*self);
    *self = NULL;
}

struct slice_set_class *slice_sets_class(slice_sets_t *self, int gpus)
{
    struct slice_set_class *class = &self->classes[scaling_class(gpus) - 1];

    assert(class->gpus == gpus);
    return class;
}

struct slice_set *slice_sets_open(slice_sets_t *self, struct slice_set_class *class)
{
    struct slice_set *set;

    if (class->nodes > self->free_count)
        return NULL;
    set = xcalloc(1, sizeof(*set));
    set->gpus = class->gpus;
    set->capacity = class->nodes * self->gpus_per_node / class->gpus;
    set->node_count = class->nodes;
    set->nodes = xcalloc((size_t) class->nodes, sizeof(*set->nodes));
    for (int i = 0; i < class->nodes; i++)
        set->nodes[i] = self->free_nodes[(self->free_first + i) % self->node_count];
    self->free_first = (self->free_first + class->nodes) % self->node_count;
    self->free_count -= class->nodes;
    class->sets = grow_array(class->sets, class->count, &class->room, sizeof(struct slice_set *));
    class->sets[class->count++] = set;
    return set;
}

static struct slice_set *take(struct slice_set_class *class, size_t index)
{
    struct slice_set *set = class->sets[index];

    assert(index < class->count);
    memmove(&class->sets[index], &class->sets[index + 1],
            (class->count - index - 1) * sizeof(struct slice_set *));
    class->count--;
    return set;
}

void slice_sets_close(slice_sets_t *self, struct slice_set_class *class, size_t index)
{
    struct slice_set *set = take(class, index);

    for (int i = 0; i < set->node_count; i++)
        self->free_nodes[(self->free_first + self->free_count++) % self->node_count] =
            set->nodes[i];
    destroy_set(set);
}

void slice_set_class_rotate(struct slice_set_class *class)
{
    struct slice_set *set = take(class, 0);

    class->sets[class->count++] = set;
}

void slice_set_class_sort(struct slice_set_class *class)
{
    for (size_t i = 1; i < class->count; i++) {
        struct slice_set *set = class->sets[i];
        size_t k = i;

        for (; k > 0 && class->sets[k - 1]->load > set->load; k--)
            class->sets[k] = class->sets[k - 1];
        class->sets[k] = set;
    }
}

void slice_set_append(struct slice_set *set, const struct job *job)
{
    set->jobs = grow_array(set->jobs, set->job_count, &set->job_room, sizeof(*set->jobs));
    set->jobs[set->job_count++] = job;
}

void slice_set_rotate(struct slice_set *set, size_t count)
{
    const struct job **front = xmalloc((count + 1) * sizeof(*front));

    assert(count <= set->job_count);
    memcpy(front, set->jobs, count * sizeof(*front));
    memmove(set->jobs, set->jobs + count, (set->job_count - count) * sizeof(*front));
    memcpy(set->jobs + set->job_count - count, front, count * sizeof(*front));
    free(front);
}
