/* placement.c - the table of placement schemes. */
#include "scheduler/placement/placement.h"

#include <string.h>

extern const struct placement placement_elastic;
extern const struct placement placement_gandiva;

static const struct placement *const schemes[] = {
    &placement_elastic,
    &placement_gandiva,
};

#define SCHEME_COUNT (sizeof(schemes) / sizeof(schemes[0]))

const struct placement *placement_find(const char *name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (!strcmp(schemes[i]->name, name))
            return schemes[i];
    return NULL;
}

const char *const *placement_names(void)
{
    static const char *names[SCHEME_COUNT + 1];

    for (size_t i = 0; i < SCHEME_COUNT; i++)
        names[i] = schemes[i]->name;
    return names;
}
