/* option_places.c - see option_places.h. */
#include "common/option_places.h"

#include "common/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct option_place {
    char *name;
    const char *path; /* NULL for the command line */
    int line;
};

static struct option_place *places;
static size_t place_count;
static size_t place_capacity;

/* Programs differ in what stands between the words of a name. */
static bool is_called(const char *own, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (own[i] != name[i] && !((own[i] == '-' || own[i] == '_') && strchr("-_", name[i])))
            return false;
    return own[length] == '\0';
}

static struct option_place *find(const char *name, size_t length)
{
    for (size_t i = 0; i < place_count; i++)
        if (is_called(places[i].name, name, length))
            return &places[i];
    return NULL;
}

void option_places_note(const char *name, const char *path, int line)
{
    struct option_place *place = find(name, strlen(name));

    if (!place) {
        places = grow_array(places, place_count, &place_capacity, sizeof(*places));
        place = &places[place_count++];
        place->name = xstrdup(name);
    }
    place->path = path;
    place->line = line;
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
