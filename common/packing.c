/* packing.c - see packing.h. */
#include "common/packing.h"

#include "common/memory.h"

#include <stdalign.h>
#include <string.h>

void packing_begin(struct packing *self)
{
    self->memory = xmalloc(self->used + 1);
    self->used = 0;
}

/* The next `size` bytes; NULL while the packing is only measured. */
static void *take(struct packing *self, size_t size)
{
    const size_t step = alignof(max_align_t);
    char *memory = self->memory ? self->memory + self->used : NULL;

    self->used += (size + step - 1) / step * step;
    return memory;
}

void *packing_bytes(struct packing *self, const void *bytes, size_t size)
{
    void *copy = take(self, size);

    if (copy && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

const char *packing_text(struct packing *self, const char *text)
{
    return text ? packing_bytes(self, text, strlen(text) + 1) : packing_bytes(self, "", 1);
}

const char **packing_texts(struct packing *self, const char *const texts[], size_t count)
{
    const char **copies = take(self, (count + 1) * sizeof(*copies));

    for (size_t i = 0; i < count; i++) {
        const char *copy = packing_text(self, texts[i]);

        if (copies)
            copies[i] = copy;
    }
    if (copies)
        copies[count] = NULL;
    return copies;
}
