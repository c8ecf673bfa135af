/* memory.h - allocation that ends the process when memory does, and an arena for what lives as long
 * as one run or one round. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>

/* Like malloc, calloc, realloc and strdup, but never NULL: out of memory ends the process. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *memory, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

/* Makes room for one more element of `size` bytes: `*items` holds `count` of `*capacity`. */
void *grow_full_array(void *items, size_t count, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

static inline void *grow_array(void *items, size_t count, size_t *capacity, size_t size)
{
    return items && count < *capacity ? items : grow_full_array(items, count, capacity, size);
}

/* Makes room for `room` elements of `size` bytes, and for more where there is too little. */
void *reserve_array(void *items, size_t room, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

/* An arena gives memory piece by piece and takes it back all at once. */
typedef struct arena arena_t;

arena_t *arena_new(void);
void arena_destroy(arena_t **self);

/* `size` bytes, aligned for any type and not cleared; they last until the next reset. */
void *arena_alloc(arena_t *self, size_t size) __attribute__((malloc, returns_nonnull));

/* The same array if it has room for one more after `count` elements of `size` bytes, otherwise a
 * copy with twice the room; `capacity` follows. */
void *arena_grow(arena_t *self, void *items, size_t count, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

/* A copy of the first `length` characters of `text`, ended with a NUL. */
char *arena_text(arena_t *self, const char *text, size_t length) __attribute__((returns_nonnull));

/* Gives up everything at once; the memory is kept for what comes next. */
void arena_reset(arena_t *self);

#endif
