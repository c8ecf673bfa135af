/* heap.h - a binary heap: the item with the smallest key first. */
#ifndef COMMON_HEAP_H
#define COMMON_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct heap heap_t;

heap_t *heap_new(void);
void heap_destroy(heap_t **self); /* the items are not freed */

size_t heap_count(const heap_t *self);
void heap_push(heap_t *self, int64_t key, void *item);

/* The item with the smallest key, NULL if the heap is empty; heap_pop takes it out. */
void *heap_first(const heap_t *self);
void *heap_pop(heap_t *self);

/* Replaces the item with the smallest key by `item`; the heap is not empty. */
void heap_replace_first(heap_t *self, int64_t key, void *item);

/* Takes out the item with the smallest key if that key is `key`; else NULL. */
void *heap_pop_if(heap_t *self, int64_t key);

/* The smallest key of a heap that is not empty. */
int64_t heap_first_key(const heap_t *self);

/* Keeps the items for which `keep` is true. */
void heap_filter(heap_t *self, bool (*keep)(void *context, void *item), void *context);

#endif
