/* heap.c - see heap.h. */
#include "common/heap.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

struct entry {
    int64_t key;
    void *item;
};

struct heap {
    struct entry *entries; /* the children of i are 2i+1 and 2i+2, neither smaller */
    size_t count;
    size_t capacity;
};

heap_t *heap_new(void)
{
    return xcalloc(1, sizeof(heap_t));
}

void heap_destroy(heap_t **self)
{
    if (!*self)
        return;
    free((*self)->entries);
    free(*self);
    *self = NULL;
}

size_t heap_count(const heap_t *self)
{
    return self->count;
}

static void sift_up(heap_t *self, size_t at)
{
    const struct entry entry = self->entries[at];

    for (; at > 0 && self->entries[(at - 1) / 2].key > entry.key; at = (at - 1) / 2)
        self->entries[at] = self->entries[(at - 1) / 2];
    self->entries[at] = entry;
}

/* Moves an entry down. The smaller child is counted rather than branched for, as no processor
 * could foresee the branch. */
static void sift_down(heap_t *self, size_t at)
{
    struct entry *entries = self->entries;
    const struct entry entry = entries[at];
    const size_t last = self->count - 1;
    size_t child;

    for (; (child = 2 * at + 1) < last; at = child) {
        child += entries[child + 1].key < entries[child].key;
        if (entries[child].key >= entry.key)
            break;
        entries[at] = entries[child];
    }
    if (child == last && entries[child].key < entry.key) {
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = entry;
}

void heap_push(heap_t *self, int64_t key, void *item)
{
    self->entries = grow_array(self->entries, self->count, &self->capacity, sizeof(*self->entries));
    self->entries[self->count++] = (struct entry){key, item};
    sift_up(self, self->count - 1);
}

void *heap_first(const heap_t *self)
{
    return self->count > 0 ? self->entries[0].item : NULL;
}

int64_t heap_first_key(const heap_t *self)
{
    assert(self->count > 0);
    return self->entries[0].key;
}

void *heap_pop(heap_t *self)
{
    void *item = heap_first(self);

    assert(item);
    self->entries[0] = self->entries[--self->count];
    if (self->count > 0)
        sift_down(self, 0);
    return item;
}

void heap_replace_first(heap_t *self, int64_t key, void *item)
{
    assert(self->count > 0);
    self->entries[0] = (struct entry){key, item};
    sift_down(self, 0);
}

void *heap_pop_if(heap_t *self, int64_t key)
{
    return self->count > 0 && self->entries[0].key == key ? heap_pop(self) : NULL;
}

void heap_filter(heap_t *self, bool (*keep)(void *context, void *item), void *context)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        if (keep(context, self->entries[i].item))
            self->entries[count++] = self->entries[i];
    self->count = count;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(self, i);
}
