/* oracle_placement.c - which nodes a job gets (section 10), the layout that comes of it, and the
 * cache of rank intervals (section 9.1).
 *
 * Nodes that jobs share, or a job's whole nodes, form a node set; a set waits in the class of the
 * largest block of GPUs it still has to offer. */
#include "oracle_internal.h"

#include <string.h>

const int oracle_labels[ORACLE_LABEL_COUNT] = {1,  2,  4,  8,  12, 16, 24,  32,
                                               40, 48, 56, 64, 72, 88, 128, 256};

struct node_set {
    int *positions;
    int node_count;
    int capacity;
    int used;
    int label;
    int class_index; /* of the class that holds it; usually, not always, that of its label */
    struct jobs jobs;
};

static int label_index(int gpus)
{
    for (int i = 0; i < ORACLE_LABEL_COUNT; i++)
        if (oracle_labels[i] == gpus)
            return i;
    return -1;
}

/* The largest label that divides `gpus`; `gpus` is at least 1. */
static int fitting_index(int gpus)
{
    int best = 0;

    for (int i = 0; i < ORACLE_LABEL_COUNT; i++)
        if (oracle_labels[i] <= gpus && gpus % oracle_labels[i] == 0)
            best = i;
    return best;
}

static void class_append(struct placement *self, int index, struct node_set *set)
{
    struct node_sets *class = &self->classes[index];

    if (class->count == class->room) {
        class->room = 2 * class->room + 8;
        class->at = oracle_resize(self->call, class->at, class->room * sizeof(struct node_set *));
    }
    class->at[class->count++] = set;
    set->class_index = index;
}

static bool class_remove(struct placement *self, int index, const struct node_set *set)
{
    struct node_sets *class = &self->classes[index];

    for (size_t i = 0; i < class->count; i++) {
        if (class->at[i] != set)
            continue;
        memmove(&class->at[i], &class->at[i + 1],
                (class->count - i - 1) * sizeof(struct node_set *));
        class->count--;
        return true;
    }
    return false;
}

static void class_sort(struct placement *self, int index)
{
    struct node_sets *class = &self->classes[index];

    for (size_t i = 1; i < class->count; i++) {
        struct node_set *set = class->at[i];
        size_t to = i;

        for (; to > 0 && set->used < class->at[to - 1]->used; to--)
            class->at[to] = class->at[to - 1];
        class->at[to] = set;
    }
}

void oracle_placement_open(struct oracle_call *call, struct placement *self,
                           const struct oracle_cluster *cluster)
{
    int node_count = cluster->switches * cluster->nodes_per_switch;
    size_t nodes = (size_t)node_count;

    *self =
        (struct placement){.call = call,
                           .node_count = node_count,
                           .gpus_per_node = cluster->gpus_per_node,
                           .ids = oracle_resize(call, NULL, nodes * sizeof(int)),
                           .owner = oracle_resize(call, NULL, nodes * sizeof(struct node_set *)),
                           .idle = oracle_resize(call, NULL, nodes * sizeof(int)),
                           .idle_count = node_count};
    for (int i = 0; i < node_count; i++) {
        self->ids[i] = i % cluster->nodes_per_switch; /* EF-Q4: they start again in every switch */
        self->owner[i] = NULL;
        self->idle[i] = i;
    }
}

static void set_add(struct placement *self, struct node_set *set, struct job *job)
{
    set->used += job->gpus;
    oracle_jobs_append(self->call, &set->jobs, job);
    job->nodes = set;
}

/* Tries the first set of the class only. EF-Q21: one that does not fit goes to the back. */
static bool place_in_class(struct placement *self, int index, struct job *job)
{
    struct node_sets *class = &self->classes[index];
    struct node_set *set;
    int left;
    int to;

    if (class->count == 0)
        return false;
    set = class->at[0];
    class_remove(self, index, set);
    if (set->used + job->gpus > set->capacity) {
        class_append(self, index, set);
        return false;
    }
    set_add(self, set, job);
    left = set->capacity - set->used;
    to = left > 0 ? fitting_index(left) : label_index(job->gpus);
    if (left > 0)
        set->label = oracle_labels[to];
    class_append(self, to, set);
    class_sort(self, index);
    class_sort(self, to);
    return true;
}

static void place_on_idle(struct placement *self, struct job *job)
{
    int needed = (job->gpus + self->gpus_per_node - 1) / self->gpus_per_node;
    struct node_set *set;
    int left;
    int to;

    if (needed > self->idle_count)
        oracle_abort(self->call, ORACLE_NO_PLACE, "job %s: no place for %d GPUs", job->given->id,
                     job->gpus);
    set = oracle_resize(self->call, NULL, sizeof(*set));
    *set = (struct node_set){
        .positions = oracle_resize(self->call, NULL, (size_t)needed * sizeof(int)),
        .node_count = needed,
        .capacity = needed * self->gpus_per_node,
        .label = job->gpus}; /* EF-Q23: also if the set goes to another class */
    for (int i = 0; i < needed; i++) {
        set->positions[i] = self->idle[i];
        self->owner[self->idle[i]] = set;
    }
    self->idle_count -= needed;
    memmove(self->idle, self->idle + needed, (size_t)self->idle_count * sizeof(int));

    set_add(self, set, job);
    left = set->capacity - set->used;
    to = left > 0 ? fitting_index(left) : label_index(job->gpus);
    class_append(self, to, set);
    class_sort(self, to);
}

void oracle_place(struct placement *self, struct job *job)
{
    int index = label_index(job->gpus);

    if (index < 0)
        oracle_abort(self->call, ORACLE_NO_PLACE, "job %s: %d GPUs have no class", job->given->id,
                     job->gpus);
    if (place_in_class(self, index, job))
        return;
    /* EF-Q22: the largest blocks are broken up first. */
    for (int i = ORACLE_LABEL_COUNT - 1; i > index; i--)
        if (place_in_class(self, i, job))
            return;
    place_on_idle(self, job);
}

static void idle_sort_by_id(struct placement *self)
{
    for (int i = 1; i < self->idle_count; i++) {
        int position = self->idle[i];
        int to = i;

        for (; to > 0 && self->ids[position] < self->ids[self->idle[to - 1]]; to--)
            self->idle[to] = self->idle[to - 1];
        self->idle[to] = position;
    }
}

void oracle_release(struct placement *self, struct job *job)
{
    struct node_set *set = job->nodes;
    int left;

    if (!set)
        oracle_abort(self->call, ORACLE_NOT_PLACED, "job %s holds no nodes", job->given->id);
    set->used -= job->gpus;
    oracle_jobs_remove(&set->jobs, job);
    job->nodes = NULL;
    left = set->capacity - set->used;
    if (set->used > 0 && left == set->label)
        return;
    /* EF-Q23: an emptied set is searched for in all classes, any other in that of its label. */
    if (!class_remove(self, set->used > 0 ? label_index(set->label) : set->class_index, set))
        oracle_abort(self->call, ORACLE_NOT_PLACED, "job %s: its nodes are not in class %d",
                     job->given->id, set->label);
    if (set->used > 0) {
        int to = fitting_index(left);

        set->label = oracle_labels[to];
        class_append(self, to, set);
        class_sort(self, to);
        return;
    }
    for (int i = 0; i < set->node_count; i++) {
        self->idle[self->idle_count++] = set->positions[i];
        self->owner[set->positions[i]] = NULL;
    }
    idle_sort_by_id(self); /* EF-Q4: mixes the switches, those released now after their equals */
    oracle_jobs_drop(self->call, &set->jobs);
    oracle_free(self->call, set->positions);
    oracle_free(self->call, set);
}

static void cache_look(struct placement *self, struct job *job, int start)
{
    job->cached = false;
    /* EF-Q18: it does not matter which job had the interval. */
    for (size_t i = 0; i < self->cache_count && !job->cached; i++)
        job->cached = self->cache[i].start == start && self->cache[i].length == job->gpus;
    if (job->cached)
        return;
    if (self->cache_count == self->cache_room) {
        self->cache_room = 2 * self->cache_room + 16;
        self->cache =
            oracle_resize(self->call, self->cache, self->cache_room * sizeof(self->cache[0]));
    }
    self->cache[self->cache_count++] = (struct interval){.start = start, .length = job->gpus};
}

static bool set_is_whole_nodes(const struct placement *self, const struct node_set *set)
{
    return oracle_labels[set->class_index] >= self->gpus_per_node;
}

static bool set_starts_at(const struct node_set *set, int position)
{
    for (int i = 0; i < set->node_count; i++)
        if (set->positions[i] < position)
            return false;
    return true;
}

void oracle_cache_look(struct placement *self)
{
    for (int position = 0; position < self->node_count; position++) {
        const struct node_set *set = self->owner[position];
        int rank = position * self->gpus_per_node;

        if (!set)
            continue;
        /* EF-Q17: whole nodes count as neighbours of the first of them. */
        if (set_is_whole_nodes(self, set)) {
            if (set_starts_at(set, position))
                for (size_t i = 0; i < set->jobs.count; i++)
                    cache_look(self, set->jobs.at[i], rank);
            continue;
        }
        for (size_t i = 0; i < set->jobs.count; i++) {
            cache_look(self, set->jobs.at[i], rank);
            rank += set->jobs.at[i]->gpus;
        }
    }
}

/* Which job holds the GPU at `index` of a node of `set`; NULL if none does. */
static const struct job *set_holder(const struct placement *self, const struct node_set *set,
                                    int index)
{
    for (size_t i = 0; set && i < set->jobs.count; i++) {
        const struct job *job = set->jobs.at[i];

        if (job->gpus >= self->gpus_per_node || index < job->gpus)
            return job;
        index -= job->gpus;
    }
    return NULL;
}

void oracle_layout_write_holders(struct oracle_call *call, const struct job *const *holders,
                                 int gpu_count, struct text *text)
{
    const char *separator = "";

    for (int rank = 0; rank < gpu_count;) {
        const struct job *job = holders[rank];
        int until = rank + 1;

        while (until < gpu_count && holders[until] == job)
            until++;
        if (job) {
            oracle_text_add(call, text, "%s%d@%dx%d", separator, job->given->row, rank,
                            until - rank);
            separator = " ";
        }
        rank = until;
    }
}

void oracle_layout_write(const struct placement *self, struct text *text)
{
    int gpu_count = self->node_count * self->gpus_per_node;
    const struct job **holders =
        oracle_resize(self->call, NULL, (size_t)gpu_count * sizeof(holders[0]));

    for (int rank = 0; rank < gpu_count; rank++)
        holders[rank] =
            set_holder(self, self->owner[rank / self->gpus_per_node], rank % self->gpus_per_node);
    oracle_layout_write_holders(self->call, holders, gpu_count, text);
    oracle_free(self->call, holders);
}

struct oracle_place_step oracle_place_state(const struct job *job)
{
    return (struct oracle_place_step){.class_label = oracle_labels[job->nodes->class_index],
                                      .used_gpus = job->nodes->used};
}
