/* step_lines.c - see step_lines.h. */
#include "scheduler/record/step_lines.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void step_lines_open(struct step_lines *self)
{
    *self = (struct step_lines){.texts = arena_new(), .known = {.kept = arena_new()}};
}

void step_lines_close(struct step_lines *self)
{
    known_free(&self->known);
    arena_destroy(&self->texts);
    free(self->items);
}

void step_lines_clear(struct step_lines *self)
{
    self->count = 0;
    arena_reset(self->texts);
}

static int take_occurrence(struct step_lines *self, struct cursor *cursor, struct error *error)
{
    self->items = grow_array(self->items, self->count, &self->room, sizeof(*self->items));
    if (occurrence_read(&self->known, self->texts, cursor, &self->items[self->count], error) < 0)
        return -1;
    self->count++;
    return cursor_end(cursor, error);
}

int step_lines_take(struct step_lines *self, struct cursor *cursor, struct error *error)
{
    struct cursor ahead = *cursor;
    int status = 0;

    if (cursor_skips(&ahead, "<"))
        status = take_occurrence(self, cursor, error);
    else if (!cursor_skips(&ahead, "row"))
        return 0;
    else if (row_read(&self->known, cursor, error) < 0 || cursor_end(cursor, error) < 0)
        status = -1;
    return status < 0 ? -1 : 1;
}

static int take_line(struct step_lines *self, struct cursor *cursor, struct error *error)
{
    const int took = step_lines_take(self, cursor, error);

    return took == 0 ? cursor_complain(cursor, "an occurrence (<) or a row", error) : took;
}

int step_lines_read(struct step_lines *self, const char *path, const char *text, size_t length,
                    struct error *error)
{
    struct cursor cursor = {.path = path};
    const char *end;

    step_lines_clear(self);
    for (size_t at = 0; at < length; at += cursor.length + 1) {
        end = memchr(text + at, '\n', length - at);
        cursor.line++;
        cursor.text = text + at;
        cursor.length = end ? (size_t)(end - (text + at)) : length - at;
        cursor.at = 0;
        if (take_line(self, &cursor, error) < 0)
            return -1;
    }
    return 0;
}
