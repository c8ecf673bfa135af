/* slice_sets.c - see slice_sets.h. */
#include "scheduler/reference/slice_sets.h"

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
    free(set->room);
    free(set->nodes);
    free(set);
}

static void destroy_class(struct slice_set_class *class)
{
    for (size_t k = 0; k < class->count; k++)
        destroy_set(class->sets[k]);
    while (class->closed) {
        struct slice_set *set = class->closed;

        class->closed = set->next_closed;
        destroy_set(set);
    }
    free(class->sets);
}

void slice_sets_destroy(slice_sets_t **self)
{
    if (!*self)
        return;
    for (int i = 0; i < SLICE_SET_CLASSES; i++)
        destroy_class(&(*self)->classes[i]);
    free((*self)->moved);
    free((*self)->free_nodes);
    free(*self);
    *self = NULL;
}

struct slice_set_class *slice_sets_class(slice_sets_t *self, int gpus)
{
    const int number = scaling_class(gpus);

    assert(self->classes[number - 1].gpus == gpus);
    if (number > self->class_count)
        self->class_count = number;
    return &self->classes[number - 1];
}

static struct slice_set *set_new(const slice_sets_t *self, struct slice_set_class *class)
{
    struct slice_set *set = class->closed;

    if (set) {
        class->closed = set->next_closed;
        return set;
    }
    set = xcalloc(1, sizeof(*set));
    set->gpus = class->gpus;
    set->capacity = class->nodes * self->gpus_per_node / class->gpus;
    set->node_count = class->nodes;
    set->nodes = xcalloc((size_t) class->nodes, sizeof(*set->nodes));
    return set;
}

/* A node's place in the ring. */
static int around(const slice_sets_t *self, int place)
{
    return place < self->node_count ? place : place - self->node_count;
}

struct slice_set *slice_sets_open(slice_sets_t *self, struct slice_set_class *class)
{
    struct slice_set *set;

    if (class->nodes > self->free_count)
        return NULL;
    set = set_new(self, class);
    set->load = 0;
    for (int i = 0; i < class->nodes; i++) {
        set->nodes[i] = self->free_nodes[self->free_first];
        self->free_first = around(self, self->free_first + 1);
    }
    self->free_count -= class->nodes;
    class->sets = grow_array(class->sets, class->count, &class->room, sizeof(struct slice_set *));
    class->sets[class->count++] = set;
    return set;
}

static void give_up(slice_sets_t *self, struct slice_set_class *class, struct slice_set *set)
{
    assert(set->job_count == 0);
    for (int i = 0; i < set->node_count; i++)
        self->free_nodes[around(self, self->free_first + self->free_count++)] = set->nodes[i];
    set->next_closed = class->closed;
    class->closed = set;
}

void slice_sets_close(slice_sets_t *self, struct slice_set_class *class, size_t first, size_t count)
{
    assert(first + count <= class->count);
    for (size_t i = first; i < first + count; i++)
        give_up(self, class, class->sets[i]);
    class->count -= count;
    for (size_t i = first; i < class->count; i++)
        class->sets[i] = class->sets[i + count];
}

void slice_sets_move_out(slice_sets_t *self, struct slice_set *set)
{
    const size_t count = self->moved_count + set->job_count;

    if (set->job_count == 0)
        return;
    if (count > self->moved_room) {
        self->moved_room = 2 * count;
        self->moved = xrealloc(self->moved, self->moved_room * sizeof(*self->moved));
    }
    memcpy(self->moved + self->moved_count, set->jobs, set->job_count * sizeof(*set->jobs));
    self->moved_count = count;
    set->job_count = 0;
}

static bool has_node(const struct slice_set *set, int node)
{
    for (int i = 0; i < set->node_count; i++)
        if (set->nodes[i] == node)
            return true;
    return false;
}

static void clear_node(slice_sets_t *self, int node)
{
    for (int c = 0; c < self->class_count; c++)
        for (size_t k = 0; k < self->classes[c].count; k++) {
            struct slice_set *set = self->classes[c].sets[k];

            if (!has_node(set, node))
                continue;
            slice_sets_move_out(self, set);
            slice_sets_close(self, &self->classes[c], k, 1);
            self->turns_changed = true;
            return;
        }
}

void slice_sets_lose_node(slice_sets_t *self, int node)
{
    int kept = 0;

    self->nodes_changed = true;
    clear_node(self, node);
    for (int i = 0; i < self->free_count; i++) {
        const int free_node = self->free_nodes[around(self, self->free_first + i)];

        if (free_node != node)
            self->free_nodes[around(self, self->free_first + kept++)] = free_node;
    }
    self->free_count = kept;
}

void slice_sets_gain_node(slice_sets_t *self, int node)
{
    assert(self->free_count < self->node_count);
    self->nodes_changed = true;
    self->free_nodes[around(self, self->free_first + self->free_count++)] = node;
}

/* Makes room for `count` more jobs at the end. Turns move the jobs through the room, so half of the
 * room is free each time the jobs are moved back. */
static void make_room(struct slice_set *set, size_t count)
{
    const size_t first = (size_t)(set->jobs - set->room);
    const size_t needed = set->job_count + count;

    if (first + needed <= set->job_room)
        return;
    if (2 * needed > set->job_room) {
        set->job_room = 4 * needed;
        set->room = xrealloc(set->room, set->job_room * sizeof(*set->room));
    }
    memmove(set->room, set->room + first, set->job_count * sizeof(*set->room));
    set->jobs = set->room;
}

static void rotate_sets(struct slice_set **sets, size_t count, size_t times)
{
    for (; times > 0; times--) {
        struct slice_set *set = sets[0];

        for (size_t i = 1; i < count; i++)
            sets[i - 1] = sets[i];
        sets[count - 1] = set;
    }
}

static void reverse_sets(struct slice_set **sets, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct slice_set *set = sets[i];

        sets[i] = sets[count - 1 - i];
        sets[count - 1 - i] = set;
    }
}

/* Gives `set` a job from each row of `width` jobs: in even rows the job in `column`, in odd rows
 * the job in the same column from the right. */
static void deal_column(struct slice_set *set, const struct job *const jobs[], size_t count,
                        size_t width, size_t column)
{
    const size_t mirrored = 2 * width - 1 - column;
    const struct job **to;
    size_t first = 0;

    make_room(set, count / width + 1);
    to = set->jobs + set->job_count;
    for (; first + mirrored < count; first += 2 * width) {
        *to++ = jobs[first + column];
        *to++ = jobs[first + mirrored];
    }
    if (first + column < count)
        *to++ = jobs[first + column];
    set->load += (int)(to - set->jobs) - (int)set->job_count;
    set->job_count = (size_t)(to - set->jobs);
}

static void deal_to_one(struct slice_set *set, const struct job *const jobs[], size_t count)
{
    if (count == 0)
        return;
    make_room(set, count);
    memcpy(set->jobs + set->job_count, jobs, count * sizeof(*set->jobs));
    set->job_count += count;
    set->load += (int)count;
}

/* Deals to `width` sets of equal load. A set that got a job stands after the sets that got none,
 * but before the sets that got a job earlier. So the order is reversed after each round of
 * dealing. */
static void deal_round(struct slice_set **sets, size_t width, const struct job *const jobs[],
                       size_t count)
{
    assert(width > 0);
    if (width == 1) {
        deal_to_one(sets[0], jobs, count);
        return;
    }
    for (size_t i = 0; i < width; i++)
        deal_column(sets[i], jobs, count, width, i);
    if (count / width % 2 == 1)
        reverse_sets(sets, width);
    reverse_sets(sets, count % width);
    rotate_sets(sets, width, count % width);
}

/* The number of sets at the front with the least load. `*room` is the number of jobs that lift them
 * to the load of the next set. */
static size_t find_least_loaded(const struct slice_set_class *class, size_t *room)
{
    size_t count = 1;

    while (count < class->count && class->sets[count]->load == class->sets[0]->load)
        count++;
    assert(count == class->count || class->sets[count]->load > class->sets[0]->load);
    *room = count < class->count ? count * (size_t)(class->sets[count]->load - class->sets[0]->load)
                                 : SIZE_MAX;
    return count;
}

void slice_sets_deal(slice_sets_t *self, struct slice_set_class *class)
{
    const struct job *const *jobs = self->moved;
    size_t left = self->moved_count;

    self->turns_changed = self->turns_changed || left > 0;
    self->moved_count = 0;
    while (left > 0) {
        size_t room;
        const size_t width = find_least_loaded(class, &room);
        const size_t count = left < room ? left : room;

        deal_round(class->sets, width, jobs, count);
        jobs += count;
        left -= count;
    }
}

void slice_set_class_rotate(struct slice_set_class *class)
{
    rotate_sets(class->sets, class->count, 1);
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

void slice_sets_append(slice_sets_t *self, struct slice_set *set, const struct job *job)
{
    self->turns_changed = true;
    make_room(set, 1);
    set->jobs[set->job_count++] = job;
}

size_t slice_sets_drop_done(slice_sets_t *self, struct slice_set *set, size_t count)
{
    size_t first = count;

    for (size_t i = count; i-- > 0;)
        if (job_is_live(set->jobs[i]))
            set->jobs[--first] = set->jobs[i];
    if (first == 0)
        return count;
    self->turns_changed = true;
    set->jobs += first;
    set->job_count -= first;
    return count - first;
}

void slice_sets_rotate(slice_sets_t *self, struct slice_set *set, size_t count)
{
    self->turns_changed = true;
    assert(count <= set->job_count);
    if (count == 0)
        return;
    make_room(set, count);
    memcpy(set->jobs + set->job_count, set->jobs, count * sizeof(*set->jobs));
    set->jobs += count;
}
