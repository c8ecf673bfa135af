/* dispatch_news.c - see dispatch_news.h. */
#include "master/dispatch_news.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void dispatch_news_clear(struct dispatch_news *self)
{
    free(self->nodes);
    memset(self, 0, sizeof(*self));
}

void dispatch_news_add(struct dispatch_news *self, struct incarnation *incarnation)
{
    if (incarnation->changed)
        return;
    incarnation->changed = true;
    incarnation->next_changed = NULL;
    if (self->first)
        self->last->next_changed = incarnation;
    else
        self->first = incarnation;
    self->last = incarnation;
}

struct incarnation *dispatch_news_take(struct dispatch_news *self)
{
    struct incarnation *incarnation = self->first;

    if (!incarnation)
        return NULL;
    self->first = incarnation->next_changed;
    incarnation->changed = false;
    return incarnation;
}

void dispatch_news_add_node(struct dispatch_news *self, struct worker_node *node)
{
    self->nodes = grow_array(self->nodes, self->node_count, &self->node_capacity,
                             sizeof(struct worker_node *));
    self->nodes[self->node_count++] = node;
}

struct worker_node *dispatch_news_take_node(struct dispatch_news *self)
{
    if (self->node_next < self->node_count)
        return self->nodes[self->node_next++];
    self->node_next = self->node_count = 0;
    return NULL;
}

bool dispatch_news_any(const struct dispatch_news *self)
{
    return self->first || self->node_next < self->node_count;
}
