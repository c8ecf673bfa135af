/* retelling.c - see retelling.h. */
#include "scheduler/record/retelling.h"

#include "common/memory.h"

#include <assert.h>
#include <stdlib.h>

static void tell(struct retelling *self, const struct occurrence *occurrence)
{
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    self->items[self->count++] = *occurrence;
}

static bool needs_expected(const struct recorded items[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].count > 0)
            return true;
    return false;
}

static int complain(const struct recorded *recorded, long expected, const struct error *why,
                    struct error *error)
{
    return error_set(error,
                     "recorded is progress as expected of %zu jobs from the one in place %zu on, "
                     "now %ld are expected to make any%s%s",
                     recorded->count, recorded->first, expected < 0 ? 0 : expected,
                     expected < 0 ? ": " : "", expected < 0 ? why->text : "");
}

int retelling_gather(struct retelling *self, engine_t *engine, int64_t now_s,
                     const struct recorded items[], size_t count, struct error *error)
{
    struct occurrence *expected = NULL;
    struct error why = {.text = ""};
    long expected_count = 0;

    self->count = 0;
    if (needs_expected(items, count))
        expected_count = engine_expect(engine, now_s, &expected, &why);
    for (size_t i = 0; i < count; i++) {
        const struct recorded *recorded = &items[i];

        if (recorded->count == 0)
            tell(self, &recorded->occurrence);
        else if ((long)(recorded->first + recorded->count) > expected_count)
            return complain(recorded, expected_count, &why, error);
        assert(expected || recorded->count == 0);
        for (size_t k = 0; k < recorded->count; k++)
            tell(self, expected + recorded->first + k);
    }
    return 0;
}

void retelling_free(struct retelling *self)
{
    free(self->items);
}
