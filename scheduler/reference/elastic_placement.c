/* elastic_placement.c - buddy-like placement. Node sets are filed by the size of their free block.
 * A job takes a block of its own size, else splits the largest block, else opens fresh nodes.
 *
 * Source: ElasticFlow, ASPLOS 2023 (section 4.3, buddy allocation), as the published artifact does
 * it. EF-Q21: only the head of each class is tried. EF-Q22: the largest free block is split first,
 * not the best fit. */
#include "scheduler/placement/placement.h"
#include "scheduler/reference/way_out.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stdlib.h>

static const int labels[] = {1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 72, 88, 128, 256};

#define LABEL_COUNT ((int)(sizeof(labels) / sizeof(labels[0])))

/* Node sets of one label, as a ring: sets are taken from the head and added at the tail. */
struct size_class {
    int *sets;
    int head;
    int count;
    bool sorted; /* by `used`, rising */
};

struct filing {
    const cluster_t *cluster;
    struct layout *layout;
    struct size_class classes[LABEL_COUNT];
    bool full_last;  /* in every class full sets come after all others, so they need no filing */
    unsigned filled; /* a bit for each class that has sets */
    int ring;        /* room of each class */
    int *memory;
    const int *free_nodes;
    int free_count;
};

static int label_index(int gpus)
{
    for (int i = 0; i < LABEL_COUNT; i++)
        if (labels[i] == gpus)
            return i;
    return -1;
}

/* The largest label that fits into a free block and divides it. */
static int fit_label(int free_gpus)
{
    if (free_gpus < labels[4]) /* smaller labels are the first powers of two */
        return __builtin_ctz((unsigned)free_gpus);
    for (int i = LABEL_COUNT - 1; i >= 0; i--)
        if (labels[i] <= free_gpus && free_gpus % labels[i] == 0)
            return i;
    return -1;
}

static int *at(const struct filing *filing, struct size_class *class, int i)
{
    const int place = class->head + i;

    return &class->sets[place < filing->ring ? place : place - filing->ring];
}

static int used_at(const struct filing *filing, struct size_class *class, int i)
{
    return filing->layout->sets[*at(filing, class, i)].used;
}

static void sort_class(struct filing *filing, struct size_class *class)
{
    for (int i = 1; i < class->count && !class->sorted; i++) {
        const int set = *at(filing, class, i);
        const int used = filing->layout->sets[set].used;
        int k = i;

        for (; k > 0 && used_at(filing, class, k - 1) > used; k--)
            *at(filing, class, k) = *at(filing, class, k - 1);
        *at(filing, class, k) = set;
    }
    class->sorted = true;
}

/* Moves the last set of a class, whose other sets are sorted, to its place. */
static void insert_last(struct filing *filing, struct size_class *class)
{
    const int set = *at(filing, class, class->count - 1);
    const int used = filing->layout->sets[set].used;
    int k = class->count - 1;

    for (; k > 0 && used_at(filing, class, k - 1) > used; k--)
        *at(filing, class, k) = *at(filing, class, k - 1);
    *at(filing, class, k) = set;
}

static void append(struct filing *filing, int label, int set)
{
    struct size_class *class = &filing->classes[label];

    *at(filing, class, class->count++) = set;
    filing->filled |= 1u << label;
    filing->layout->sets[set].class_label = labels[label];
    if (class->sorted)
        insert_last(filing, class);
    else
        sort_class(filing, class);
}

/* A full set goes to the class of the job that filled it. */
static void append_full(struct filing *filing, int own_label, int set)
{
    if (filing->full_last)
        filing->layout->sets[set].class_label = labels[own_label];
    else
        append(filing, own_label, set);
}

static int take_head(struct filing *filing, struct size_class *class)
{
    const int set = class->sets[class->head];

    class->head = class->head + 1 < filing->ring ? class->head + 1 : 0;
    class->count--;
    return set;
}

/* EF-Q21: a head that does not fit goes to the tail. */
static void rotate(struct filing *filing, struct size_class *class)
{
    const int set = take_head(filing, class);

    *at(filing, class, class->count++) = set;
    class->sorted = class->sorted && used_at(filing, class, 0) == filing->layout->sets[set].used;
}

/* Adds the job to the head of class `label`. False if the job does not fit there. */
static bool place_in_class(struct filing *filing, int label, int own_label,
                           const struct placement_request *request)
{
    struct size_class *class = &filing->classes[label];
    struct node_set *set;
    int set_index;
    int free_gpus;

    if (class->count == 0)
        return false;
    set_index = class->sets[class->head];
    set = &filing->layout->sets[set_index];
    if (set->used + request->gpus > set->capacity) {
        rotate(filing, class);
        return false;
    }
    take_head(filing, class);
    if (class->count == 0)
        filing->filled &= ~(1u << label);
    layout_hold(filing->layout, set_index, request->job, request->gpus);
    free_gpus = set->capacity - set->used;
    if (free_gpus > 0) {
        set->label = labels[fit_label(free_gpus)];
        append(filing, fit_label(free_gpus), set_index);
    } else {
        append_full(filing, own_label, set_index);
    }
    sort_class(filing, class);
    return true;
}

/* Opens fresh nodes for a job. EF-Q23: the label of the fresh set is the size of its job, whatever
 * block is left. */
static int open_nodes(struct filing *filing, int own_label, const struct placement_request *request,
                      struct error *error)
{
    const int gpus_per_node = cluster_gpus_per_node(filing->cluster);
    const int nodes = (request->gpus + gpus_per_node - 1) / gpus_per_node;
    struct layout *layout = filing->layout;
    const int set_index = layout->set_count;
    struct node_set *set = &layout->sets[set_index];
    int free_gpus;

    if (nodes > filing->free_count - layout->nodes_taken)
        return error_set(error,
                         "job %s: no place for its %d GPUs, because the free ones are scattered "
                         "(EF-Q40); the artifact aborts here; " WAY_OUT_OF_PLACES,
                         request->job->submission->id, request->gpus);
    *set = (struct node_set){.nodes = filing->free_nodes + layout->nodes_taken,
                             .node_count = nodes,
                             .capacity = nodes * gpus_per_node,
                             .label = request->gpus,
                             .first_held = -1,
                             .last_held = -1};
    layout->set_count++;
    layout->nodes_taken += nodes;
    for (int i = 0; i < nodes; i++)
        layout->set_of_node[set->nodes[i]] = set_index;
    layout_hold(layout, set_index, request->job, request->gpus);
    free_gpus = set->capacity - set->used;
    if (free_gpus > 0)
        append(filing, fit_label(free_gpus), set_index);
    else
        append_full(filing, own_label, set_index);
    return 0;
}

static int place_job(struct filing *filing, const struct placement_request *request,
                     struct error *error)
{
    const int own_label = label_index(request->gpus);

    if (own_label < 0)
        return error_set(error, "job %s: elastic placement has no size class for %d GPUs",
                         request->job->submission->id, request->gpus);
    if (place_in_class(filing, own_label, own_label, request))
        return 0;
    /* Larger blocks come first. */
    for (unsigned left = filing->filled >> (own_label + 1) << (own_label + 1); left != 0;) {
        const int label = 31 - __builtin_clz(left);

        if (place_in_class(filing, label, own_label, request))
            return 0;
        left &= ~(1u << label);
    }
    return open_nodes(filing, own_label, request, error);
}

static int place(const cluster_t *cluster, const struct placement_request *requests, size_t count,
                 struct layout *layout, struct error *error)
{
    struct filing filing = {.cluster = cluster, .layout = layout};
    int result = 0;

    if (count == 0)
        return 0;
    /* Sizes are powers of two: then only a full set spans several nodes. */
    filing.full_last = (cluster_gpus_per_node(cluster) & (cluster_gpus_per_node(cluster) - 1)) == 0;
    filing.free_nodes = cluster_free_nodes(cluster, &filing.free_count);
    /* No class ever holds more sets than there are jobs. */
    filing.ring = (int)count + 1;
    filing.memory = xmalloc((size_t)filing.ring * LABEL_COUNT * sizeof(*filing.memory));
    for (int i = 0; i < LABEL_COUNT; i++)
        filing.classes[i] = (struct size_class){
            .sets = filing.memory + (size_t)i * (size_t)filing.ring, .sorted = true};
    for (size_t i = 0; i < count && result == 0; i++)
        result = place_job(&filing, &requests[i], error);
    free(filing.memory);
    return result;
}

const struct placement placement_elastic = {
    .name = "elastic",
    .summary = "buddy-like: a block of the job's size, else the largest split, else fresh nodes",
    .place = place,
    .revise = placement_revise_buddies,
};
