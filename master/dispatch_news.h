/* dispatch_news.h - what changed since the watch of the dispatch was last told: incarnations and
 * nodes, in the order in which they did. An incarnation stands there once, however much of it
 * changed; a node as often as it came up or went down.
 *
 * Lends what it is given: an incarnation must not be freed while its news is to come. */
#ifndef MASTER_DISPATCH_NEWS_H
#define MASTER_DISPATCH_NEWS_H

#include "master/incarnation.h"
#include "master/registry.h"

/* Nothing is new when it is zeroed. */
struct dispatch_news {
    struct incarnation *first;
    struct incarnation *last;
    struct worker_node **nodes;
    size_t node_count;
    size_t node_capacity;
    size_t node_next; /* the first that was not taken */
};

/* Frees what it holds. */
void dispatch_news_clear(struct dispatch_news *self);

void dispatch_news_add(struct dispatch_news *self, struct incarnation *incarnation);
void dispatch_news_add_node(struct dispatch_news *self, struct worker_node *node);

/* Whether some news is to come. */
bool dispatch_news_any(const struct dispatch_news *self);

/* Takes the oldest news out; NULL if there is none. */
struct incarnation *dispatch_news_take(struct dispatch_news *self);
struct worker_node *dispatch_news_take_node(struct dispatch_news *self);

#endif
