/* memory.c - see memory.h. */
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)64 * 1024)

struct block {
    struct block *next;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *first;
    struct block *current;
    size_t used; /* bytes of `current` given away */
};

static bool is_silent;

void memory_leave_telling(void)
{
    is_silent = true;
}

void memory_out(void)
{
    struct iovec words[] = {
        {program_invocation_short_name, strlen(program_invocation_short_name)},
        {": out of memory\n", strlen(": out of memory\n")},
    };
    const ssize_t written = is_silent ? 0 : writev(STDERR_FILENO, words, 2);

    (void)written;
    _exit(MEMORY_OUT_STATUS);
}

static void *checked(void *memory)
{
    if (!memory)
        memory_out();
    return memory;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size > 0 ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *xrealloc(void *memory, size_t size)
{
    return checked(realloc(memory, size > 0 ? size : 1));
}

char *xstrdup(const char *text)
{
    return checked(strdup(text));
}

void *grow_full_array(void *items, size_t count, size_t *capacity, size_t size)
{
    assert(!items || count == *capacity);
    *capacity = *capacity < 16 ? 16 : *capacity * 2;
    assert(*capacity <= SIZE_MAX / size);
    return xrealloc(items, *capacity * size);
}

void *reserve_array(void *items, size_t room, size_t *capacity, size_t size)
{
    if (items && room <= *capacity)
        return items;
    *capacity = room + room / 4 + 16;
    assert(*capacity <= SIZE_MAX / size);
    return xrealloc(items, *capacity * size);
}

void *memory_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        memory_out();
    return memory;
}

static struct block *block_new(size_t size)
{
    struct block *block = xmalloc(sizeof(*block) + size);

    block->next = NULL;
    block->size = size;
    return block;
}

arena_t *arena_new(void)
{
    arena_t *self = xcalloc(1, sizeof(*self));

    self->first = block_new(BLOCK_BYTES);
    self->current = self->first;
    return self;
}

void arena_destroy(arena_t **self)
{
    if (!*self)
        return;
    for (struct block *block = (*self)->first; block;) {
        struct block *next = block->next;

        free(block);
        block = next;
    }
    free(*self);
    *self = NULL;
}

/* Moves on to the next block that holds `size` bytes, making a block if there is none. */
static void arena_advance(arena_t *self, size_t size)
{
    while (self->current->next && self->current->next->size < size) {
        struct block *small = self->current->next;

        self->current->next = small->next;
        free(small);
    }
    if (!self->current->next)
        self->current->next = block_new(size > BLOCK_BYTES ? size : BLOCK_BYTES);
    self->current = self->current->next;
    self->used = 0;
}

void *arena_alloc(arena_t *self, size_t size)
{
    const size_t step = alignof(max_align_t);
    void *memory;

    assert(size <= SIZE_MAX - step);
    size = (size + step - 1) / step * step;
    if (size > self->current->size - self->used)
        arena_advance(self, size);
    memory = self->current->bytes + self->used;
    self->used += size;
    return memory;
}

void *arena_grow(arena_t *self, void *items, size_t count, size_t *capacity, size_t size)
{
    void *more;

    if (count < *capacity)
        return items;
    *capacity = 2 * count + 64;
    more = arena_alloc(self, *capacity * size);
    if (count > 0)
        memcpy(more, items, count * size);
    return more;
}

char *arena_text(arena_t *self, const char *text, size_t length)
{
    char *copy = arena_alloc(self, length + 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void arena_reset(arena_t *self)
{
    self->current = self->first;
    self->used = 0;
}
