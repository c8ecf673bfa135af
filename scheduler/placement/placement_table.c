/* placement_table.c - the table of placement schemes. */
#include "scheduler/placement/placement.h"

#include <string.h>

extern const struct placement placement_elastic;
extern const struct placement placement_gandiva;
extern const struct placement placement_best_fit;

static const struct placement *const schemes[] = {
    &placement_elastic,
    &placement_gandiva,
    &placement_best_fit,
};

#define SCHEME_COUNT (sizeof(schemes) / sizeof(schemes[0]))

const struct placement *placement_find(const char *name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (!strcmp(schemes[i]->name, name) ||
            (schemes[i]->alias && !strcmp(schemes[i]->alias, name)))
            return schemes[i];
    return NULL;
}

const char *const *placement_names(void)
{
    static const char *names[2 * SCHEME_COUNT + 1];
    size_t count = 0;

    for (size_t i = 0; i < SCHEME_COUNT; i++) {
        names[count++] = schemes[i]->name;
        if (schemes[i]->alias)
            names[count++] = schemes[i]->alias;
    }
    names[count] = NULL;
    return names;
}
