/* option_places.c - see option_places.h. */
#include "common/option_places.h"

#include "common/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct option_place {
    const char *name;
    const char *path; /* NULL for the command line */
    int line;
};

static struct option_place *places;
static size_t place_count;
static size_t place_capacity;

static struct option_place *find(const char *name, size_t length)
{
    for (size_t i = 0; i < place_count; i++)
        if (!strncmp(places[i].name, name, length) && !places[i].name[length])
            return &places[i];
    return NULL;
}

void option_places_note(const char *name, const char *path, int line)
{
    struct option_place *place = find(name, strlen(name));

    if (!place) {
        places = grow_array(places, place_count, &place_capacity, sizeof(*places));
        place = &places[place_count++];
    }
    *place = (struct option_place){name, path, line};
}

bool option_places_has(const char *name)
{
    return find(name, strlen(name)) != NULL;
}

void option_places_tell(struct error *error)
{
    const char *name = error->text + 2;
    const struct option_place *place;
    struct error told;

    if (strncmp(error->text, "--", 2) != 0)
        return;
    place = find(name, strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-"));
    if (!place || !place->path)
        return;
    error_set(&told, "%s:%d: %s", place->path, place->line, name);
    *error = told;
}
