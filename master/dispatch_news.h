/* dispatch_news.h - incarnations and nodes that changed since the watch of the dispatch was last
 * told, in the order of their changes. An incarnation is listed once, however often it changed; a
 * node is listed each time that it came up or went down.
 *
 * Incarnations are lent: they must not be freed while listed. */
#ifndef MASTER_DISPATCH_NEWS_H
#define MASTER_DISPATCH_NEWS_H

#include "master/incarnation.h"
#include "master/registry.h"

/* Zeroed: no news. */
struct dispatch_news {
    struct incarnation *first;
    struct incarnation *last;
    struct worker_node **nodes;
    size_t node_count;
    size_t node_capacity;
    size_t node_next; /* index of the first node that was not taken */
};

/* Frees the list of nodes. */
void dispatch_news_clear(struct dispatch_news *self);

void dispatch_news_add(struct dispatch_news *self, struct incarnation *incarnation);
void dispatch_news_add_node(struct dispatch_news *self, struct worker_node *node);

/* Whether some news is to come. */
bool dispatch_news_any(const struct dispatch_news *self);

/* Takes out the incarnation with the oldest news; NULL if there is none. */
struct incarnation *dispatch_news_take(struct dispatch_news *self);
struct worker_node *dispatch_news_take_node(struct dispatch_news *self);

#endif
