/* memory.h - allocation that ends the process when memory does, and an arena for what lives as long
 * as one run or one round.
 *
 * malloc, calloc and realloc end the process, too (allocator.c), so that libraries need no looking
 * after. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>

/* The exit status of every program that is out of memory: EX_OSERR of sysexits.h, which no verb
 * uses otherwise. */
#define MEMORY_OUT_STATUS 71

/* Ends the process with MEMORY_OUT_STATUS, after "NAME: out of memory" on stderr. It allocates
 * nothing, writes nothing that is still on its way and calls no handler, so that whatever is half
 * done stays under its provisional name. No signal: a core of a full memory helps no user. */
_Noreturn void memory_out(void);

/* From now on memory_out() prints nothing: for a copy of a process whose parent prints the message
 * when it sees the status. */
void memory_leave_telling(void);

/* Zeroed memory shared by this process and its copies; to be released with munmap of `bytes`. */
void *memory_share(size_t bytes) __attribute__((returns_nonnull));

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

/* Grows the array to at least `room` elements of `size` bytes, with spare room, if it is
 * smaller. */
void *reserve_array(void *items, size_t room, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

/* An arena gives memory piece by piece and takes it back all at once. */
typedef struct arena arena_t;

arena_t *arena_new(void);
void arena_destroy(arena_t **self);

/* `size` bytes, aligned for any type and not cleared; they last until the next reset. */
void *arena_alloc(arena_t *self, size_t size) __attribute__((malloc, returns_nonnull));

/* `items` if the array has room for one more after `count` elements of `size` bytes, otherwise a
 * copy with twice the room; `capacity` is updated. */
void *arena_grow(arena_t *self, void *items, size_t count, size_t *capacity, size_t size)
    __attribute__((returns_nonnull));

/* A copy of the first `length` characters of `text`, ended with a NUL. */
char *arena_text(arena_t *self, const char *text, size_t length) __attribute__((returns_nonnull));

/* Releases all pieces at once; the arena reuses their memory. */
void arena_reset(arena_t *self);

#endif
