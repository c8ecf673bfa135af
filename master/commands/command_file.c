/* command_file.c - see command_file.h: the file and its lines. command.c parses a line, and
 * command_check.c checks the lines against each other. */
#include "master/commands/command_file.h"

#include "common/input.h"
#include "common/memory.h"
#include "master/commands/command_check.h"
#include "master/commands/line.h"
#include "protocol/scheduler_master.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX ((size_t)1 << 20)
#define COMMANDS_MAX   ((size_t)100000)

struct command_file {
    char *path;
    arena_t *arena; /* holds texts and numbers of the lines */
    int32_t workers;
    struct debug_command *items;
    size_t count;
    size_t capacity;
};

static int take_line(command_file_t *self, struct line *line)
{
    struct debug_command command = {.line = line->number, .source = -1};

    if (!line_has_more(line) || *line->at == '#')
        return 0;
    if (self->workers == 0) {
        if (line_small(line, "how many workers there are", 1, NODES_MAX, &self->workers) < 0)
            return -1;
        return line_end(line);
    }
    if (self->count == COMMANDS_MAX)
        return error_set(line->error, "%s:%" PRId64 ": expected at most %zu commands", line->path,
                         line->number, COMMANDS_MAX);
    if (command_read(line, self->workers, &command) < 0)
        return -1;
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count++] = command;
    return 0;
}

/* The text of a file that is being read: whole lines, and the beginning of one. */
struct text {
    input_t *input;
    char *bytes;
    size_t used;
    int64_t line;
};

/* Takes the complete lines of the text. In the `last` piece the rest is a line, too. */
static int take_lines(command_file_t *self, struct text *text, bool last, struct error *error)
{
    size_t from = 0;

    while (from < text->used) {
        char *end = memchr(text->bytes + from, '\n', text->used - from);
        const size_t length = end ? (size_t)(end - text->bytes) - from : text->used - from;
        struct line line = {self->path, text->line + 1, text->bytes + from, "", self->arena, error};

        if (!end && !last)
            break;
        line.at[length] = '\0';
        if (strlen(line.at) != length || input_valid_utf8(line.at, length) != length)
            return error_set(error, "%s:%" PRId64 ": expected text", self->path, line.number);
        if (length > 0 && line.at[length - 1] == '\r')
            line.at[length - 1] = '\0';
        if (take_line(self, &line) < 0)
            return -1;
        text->line++;
        from += length + 1;
    }
    text->used = from < text->used ? text->used - from : 0;
    memmove(text->bytes, text->bytes + from, text->used);
    return 0;
}

static int read_text(command_file_t *self, struct text *text, struct error *error)
{
    for (;;) {
        const long got =
            input_read(text->input, text->bytes + text->used, LINE_BYTES_MAX - text->used, error);

        if (got <= 0)
            return got < 0 ? -1 : take_lines(self, text, true, error);
        text->used += (size_t)got;
        if (take_lines(self, text, false, error) < 0)
            return -1;
        if (text->used == LINE_BYTES_MAX)
            return error_set(error, "%s:%" PRId64 ": expected a line of less than %zu bytes",
                             self->path, text->line + 1, LINE_BYTES_MAX);
    }
}

command_file_t *command_file_read(const char *path, struct error *error)
{
    command_file_t *self = xcalloc(1, sizeof(*self));
    struct text text = {.input = input_open(path, error)};
    int status = text.input ? 0 : -1;

    self->path = xstrdup(path);
    self->arena = arena_new();
    text.bytes = xmalloc(LINE_BYTES_MAX + 1);
    if (status == 0)
        status = read_text(self, &text, error);
    if (status == 0 && self->workers == 0)
        status = error_set(error, "%s: expected how many workers there are, found nothing", path);
    if (status == 0)
        status = command_check(self->items, self->count, self->workers, path, error);
    input_destroy(&text.input);
    free(text.bytes);
    if (status < 0)
        command_file_destroy(&self);
    return self;
}

void command_file_destroy(command_file_t **self)
{
    if (!*self)
        return;
    free((*self)->path);
    free((*self)->items);
    arena_destroy(&(*self)->arena);
    free(*self);
    *self = NULL;
}

const char *command_file_path(const command_file_t *self)
{
    return self->path;
}

int32_t command_file_workers(const command_file_t *self)
{
    return self->workers;
}

size_t command_file_count(const command_file_t *self)
{
    return self->count;
}

const struct debug_command *command_file_at(const command_file_t *self, size_t place)
{
    assert(place < self->count);
    return &self->items[place];
}
