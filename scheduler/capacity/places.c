/* places.c - which node has which place of the run's cluster. The engine knows places only: nodes
 * of any number come and go on them.
 *
 * A node keeps the place that it had under its name. A new one gets the place of its number if no
 * node ever had that, or another such place, or the place of the node that went first. */
#include "scheduler/capacity/capacity_state.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

static int place_of(const capacity_t *self, int32_t number)
{
    return (size_t)number < self->place_count ? self->places[number] : NONE;
}

static void set_place(capacity_t *self, int32_t number, int place)
{
    if (number < 0)
        return;
    while (self->place_count <= (size_t)number) {
        self->places =
            grow_array(self->places, self->place_count, &self->place_room, sizeof(*self->places));
        self->places[self->place_count++] = NONE;
    }
    self->places[number] = place;
}

struct capacity_node *places_find(capacity_t *self, int32_t number)
{
    const int place = place_of(self, number);

    assert(self->nodes);
    return place == NONE ? NULL : &self->nodes[place];
}

/* Takes the number from the node at a place. */
static void unnumber(capacity_t *self, struct capacity_node *node)
{
    set_place(self, node->number, NONE);
    node->number = NONE;
}

static struct capacity_node *assign(capacity_t *self, int place, int32_t number)
{
    struct capacity_node *node = &self->nodes[place];

    unnumber(self, node);
    set_place(self, number, place);
    node->number = number;
    return node;
}

const struct pool_spec *places_pool(const capacity_t *self, int place)
{
    const struct pool_spec *pool = self->setting.cluster->pools;

    for (; place >= pool_spec_nodes(pool); pool++)
        place -= pool_spec_nodes(pool);
    return pool;
}

/* Whether a node with GPUs of type `type` fits the place. Only in a cluster of one pool may a node
 * leave its type open, as "". */
static bool fits(const capacity_t *self, int place, const char *type)
{
    const char *of_pool = places_pool(self, place)->gpu_type;

    return *type ? !*of_pool || !strcmp(of_pool, type) : self->setting.cluster->pool_count == 1;
}

static int named(const capacity_t *self, const struct msg_node *from, const char *type)
{
    for (int i = 0; i < self->cluster_nodes; i++)
        if (self->nodes[i].known && !self->nodes[i].up &&
            !strcmp(self->nodes[i].name, from->name) && fits(self, i, type))
            return i;
    return NONE;
}

/* A place that no node ever had: that of the number, if it is one. */
static int unused(const capacity_t *self, int32_t number, const char *type)
{
    if (number < self->cluster_nodes && !self->nodes[number].known && fits(self, number, type))
        return number;
    for (int i = 0; i < self->cluster_nodes; i++)
        if (!self->nodes[i].known && fits(self, i, type))
            return i;
    return NONE;
}

/* The place whose node left first, among those whose nodes are gone. */
static int left(const capacity_t *self, const char *type)
{
    int found = NONE;

    for (int i = 0; i < self->cluster_nodes; i++)
        if (!self->nodes[i].up && fits(self, i, type) &&
            (found == NONE || self->nodes[i].left < self->nodes[found].left))
            found = i;
    return found;
}

static int add_waiting(capacity_t *self)
{
    int place = self->cluster_nodes;

    while (place < self->node_count && self->nodes[place].number != NONE)
        place++;
    if (place == self->node_count) {
        self->nodes = grow_array(self->nodes, (size_t)self->node_count, &self->node_room,
                                 sizeof(*self->nodes));
        self->node_count++;
    }
    self->nodes[place] = (struct capacity_node){.number = NONE, .until_s = NEVER_S};
    return place;
}

/* Another node gets the place of one that is gone: orders about the earlier node are void. */
static void replace(capacity_t *self, int place)
{
    if (self->setting.replaced)
        self->setting.replaced(self->setting.owner, place);
    self->nodes[place].until_s = NEVER_S;
}

/* The place of a node without one. NONE for a node that is down, if every place was used before. */
static int choose(capacity_t *self, const struct msg_node *from)
{
    const char *type = from->type ? from->type : "";
    int place = named(self, from, type);

    if (place == NONE)
        place = unused(self, from->node, type);
    if (place != NONE || !from->up)
        return place;
    place = left(self, type);
    if (place == NONE)
        return add_waiting(self);
    replace(self, place);
    return place;
}

bool places_suits(const capacity_t *self, const struct capacity_node *node,
                  const struct msg_node *from)
{
    const int place = (int)(node - self->nodes);

    return !strcmp(node->name, from->name) &&
           (place >= self->cluster_nodes || fits(self, place, from->type ? from->type : ""));
}

struct capacity_node *places_take(capacity_t *self, const struct msg_node *from)
{
    struct capacity_node *own = places_find(self, from->node);
    int place;

    if (own && places_suits(self, own, from))
        return own;
    if (own)
        unnumber(self, own); /* the number now belongs to another node */
    place = choose(self, from);
    return place == NONE ? NULL : assign(self, place, from->node);
}

static struct capacity_node *first_waiting(const capacity_t *self, int place)
{
    for (int i = self->cluster_nodes; i < self->node_count; i++)
        if (self->nodes[i].number != NONE && self->nodes[i].up &&
            fits(self, place, self->nodes[i].type))
            return &self->nodes[i];
    return NULL;
}

/* Gives the place of a lost node to a waiting one. What the engine was told of the place stays on
 * record. */
void places_give(capacity_t *self, struct capacity_node *place)
{
    const struct capacity_node before = *place;
    const int at = (int)(place - self->nodes);
    struct capacity_node *from = at < self->cluster_nodes ? first_waiting(self, at) : NULL;
    struct capacity_node after;

    if (!from)
        return;
    after = *from;
    unnumber(self, from);
    from->up = false;
    after.went = before.went;
    memcpy(after.why_went, before.why_went, sizeof(after.why_went));
    after.told_gone = before.told_gone;
    after.told_gpus = before.told_gpus;
    after.told_until_s = before.told_until_s;
    replace(self, at);
    (void)assign(self, at, after.number);
    *place = after;
}

void places_open(capacity_t *self)
{
    self->cluster_nodes = self->node_count = cluster_spec_nodes(self->setting.cluster);
    self->node_room = (size_t)self->cluster_nodes;
    self->nodes = xcalloc(self->node_room, sizeof(*self->nodes));
    for (int i = 0; i < self->cluster_nodes; i++)
        self->nodes[i] = (struct capacity_node){.number = NONE,
                                                .until_s = NEVER_S,
                                                .told_gpus = places_pool(self, i)->gpus_per_node,
                                                .told_until_s = NEVER_S};
}
