/* news.h - what changed since the watch of the dispatch was last told: incarnations and nodes, in
 * the order in which they did. An incarnation stands there once, however much of it changed; a node
 * as often as it came up or went down.
 *
 * Lends what it is given: an incarnation must not be freed while its news is to come. */
#ifndef MASTER_NEWS_H
#define MASTER_NEWS_H

#include "master/incarnation.h"
#include "master/registry.h"

/* Nothing is new when it is zeroed. */
struct news {
    struct incarnation *first;
    struct incarnation *last;
    struct worker_node **nodes;
    size_t node_count;
    size_t node_capacity;
    size_t node_next; /* the first that was not taken */
};

/* Frees what it holds. */
void news_clear(struct news *self);

void news_add(struct news *self, struct incarnation *incarnation);
void news_add_node(struct news *self, struct worker_node *node);

/* The oldest news, which is news no more; NULL if there is none. */
struct incarnation *news_take(struct news *self);
struct worker_node *news_take_node(struct news *self);

#endif
