/* finding.c - see finding.h. */
#include "tools/audit/finding.h"

#include "common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void findings_add(struct findings *self, const struct finding_place *place, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = (struct finding){.check = place->check,
                                                  .tag = place->tag,
                                                  .at_s = place->at_s,
                                                  .job = place->job ? xstrdup(place->job) : NULL,
                                                  .text = xstrdup(text)};
    self->violations += !place->tag;
}

/* A finding on its way through the sort. */
struct placed {
    struct finding finding;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    const struct placed *x = a;
    const struct placed *y = b;
    const int64_t x_s = x->finding.at_s == AUDIT_NO_TIME ? INT64_MAX : x->finding.at_s;
    const int64_t y_s = y->finding.at_s == AUDIT_NO_TIME ? INT64_MAX : y->finding.at_s;

    if (x_s != y_s)
        return x_s < y_s ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void findings_sort(struct findings *self)
{
    struct placed *placed = xcalloc(self->count + 1, sizeof(*placed));

    for (size_t i = 0; i < self->count; i++)
        placed[i] = (struct placed){self->items[i], i};
    qsort(placed, self->count, sizeof(*placed), compare);
    for (size_t i = 0; i < self->count; i++)
        self->items[i] = placed[i].finding;
    free(placed);
}

void findings_clear(struct findings *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free(self->items[i].job);
        free(self->items[i].text);
    }
    free(self->items);
    *self = (struct findings){.items = NULL};
}
