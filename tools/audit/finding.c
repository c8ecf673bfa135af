/* finding.c - see finding.h. */
#include "tools/audit/finding.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

bool finding_is_broken(const struct finding *finding)
{
    return !strcmp(finding->check, "promise-broken");
}

void findings_add(struct findings *self, const struct finding *finding)
{
    struct finding copy = *finding;

    copy.job = finding->job ? xstrdup(finding->job) : NULL;
    copy.text = xstrdup(finding->text);
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = copy;
    self->broken += finding_is_broken(finding);
    self->quirks += finding->tag != NULL;
    self->violations += !finding->tag && !finding_is_broken(finding);
}

/* A finding and its place before the sort, which keeps the order of equal findings. */
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
