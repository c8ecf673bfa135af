/* split.c - see split.h. */
#include "tools/trace_import/split.h"

#include "common/csv.h"
#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_BYTES 40
#define NUMBER_MAX  1e18

struct split {
    char *path;
    input_t *input;
    char separator;
    char comment;
    char *buffer; /* bytes read that no line has taken yet, with room for a NUL */
    size_t start;
    size_t end;
    bool at_end;
    int64_t line;
    const char *items[SPLIT_MAX];
    size_t count;
};

#define BUFFER_BYTES (2 * SPLIT_LINE_BYTES_MAX)

split_t *split_open(const char *path, char separator, char comment, struct error *error)
{
    input_t *input = input_open(path, error);
    split_t *self;

    if (!input)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->path = xstrdup(path);
    self->input = input;
    self->separator = separator;
    self->comment = comment;
    self->buffer = xmalloc(BUFFER_BYTES + 1);
    return self;
}

void split_destroy(split_t **self)
{
    if (!*self)
        return;
    input_destroy(&(*self)->input);
    free((*self)->buffer);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

static int fill(split_t *self, struct error *error)
{
    long length;

    memmove(self->buffer, self->buffer + self->start, self->end - self->start);
    self->end -= self->start;
    self->start = 0;
    length = input_read(self->input, self->buffer + self->end, BUFFER_BYTES - self->end, error);
    if (length < 0)
        return -1;
    self->end += (size_t)length;
    self->at_end = length == 0;
    return 0;
}

/* Lends the next line without its end, ended with a NUL. Returns 1; 0 at the end of the file; -1
 * with `error`. */
static int next_line(split_t *self, char **line, size_t *length, struct error *error)
{
    char *end;

    while (!(end = memchr(self->buffer + self->start, '\n', self->end - self->start)) &&
           !self->at_end && self->end - self->start <= SPLIT_LINE_BYTES_MAX)
        if (fill(self, error) < 0)
            return -1;
    *line = self->buffer + self->start;
    *length = end ? (size_t)(end - *line) : self->end - self->start;
    if (!end && *length == 0)
        return 0;
    self->line++;
    if (*length > SPLIT_LINE_BYTES_MAX)
        return error_set(error, "%s:%" PRId64 ": the line is longer than %zu bytes", self->path,
                         self->line, SPLIT_LINE_BYTES_MAX);
    self->start += *length + (end ? 1 : 0);
    *length -= *length > 0 && (*line)[*length - 1] == '\r';
    (*line)[*length] = '\0';
    return 1;
}

static int check_text(const split_t *self, const char *line, size_t length, struct error *error)
{
    if (strlen(line) != length)
        return error_set(error, "%s:%" PRId64 ": expected text, found a NUL byte", self->path,
                         self->line);
    if (input_valid_utf8(line, length) != length)
        return error_set(error, "%s:%" PRId64 ": expected UTF-8, found a byte that is not",
                         self->path, self->line);
    return 0;
}

/* The end of the field that begins at `at`. */
static char *field_end(const split_t *self, char *at)
{
    return self->separator == SPLIT_BLANKS ? at + strcspn(at, " \t")
                                           : strchrnul(at, self->separator);
}

static int cut(split_t *self, char *line, struct error *error)
{
    const bool blanks = self->separator == SPLIT_BLANKS;

    self->count = 0;
    for (char *at = line;;) {
        char *end;
        bool last;

        at += blanks ? strspn(at, " \t") : 0;
        if (blanks && *at == '\0')
            return 0;
        if (self->count == SPLIT_MAX)
            return error_set(error, "%s:%" PRId64 ": expected at most %zu fields, found more",
                             self->path, self->line, SPLIT_MAX);
        end = field_end(self, at);
        last = *end == '\0';
        *end = '\0';
        self->items[self->count++] = at;
        if (last)
            return 0;
        at = end + 1;
    }
}

int split_next(split_t *self, struct error *error)
{
    for (;;) {
        char *line;
        size_t length;
        const int got = next_line(self, &line, &length, error);

        if (got <= 0)
            return got;
        if (check_text(self, line, length, error) < 0)
            return -1;
        if (line[strspn(line, " \t")] == '\0' || (self->comment && *line == self->comment))
            continue;
        return cut(self, line, error) < 0 ? -1 : 1;
    }
}

size_t split_count(const split_t *self)
{
    return self->count;
}

const char *split_at(const split_t *self, size_t index)
{
    return self->items[index];
}

const char *split_path(const split_t *self)
{
    return self->path;
}

int64_t split_line(const split_t *self)
{
    return self->line;
}

int split_complain_count(const split_t *self, const char *expected, struct error *error)
{
    char separator = self->separator;
    char hint[128] = "";

    if (separator == SPLIT_BLANKS)
        separator = ' ';
    if (self->count == 1)
        csv_separator_hint(self->items[0], separator, hint, sizeof(hint));
    return error_set(error, "%s:%" PRId64 ": expected %s, found %zu%s", self->path, self->line,
                     expected, self->count, hint);
}

int split_complain(const split_t *self, size_t index, const char *name, const char *expected,
                   struct error *error)
{
    char shown[SHOWN_BYTES + 1];

    (void)input_printable(shown, sizeof(shown), self->items[index], strlen(self->items[index]));
    return error_set(error, "%s:%" PRId64 ": field %zu (%s): expected %s, found \"%s\"", self->path,
                     self->line, index + 1, name, expected, shown);
}

int split_real(const split_t *self, size_t index, const char *name, double *value,
               struct error *error)
{
    const char *text = self->items[index];

    if (number_parse_real(text, strlen(text), 0, NUMBER_MAX, value) == NUMBER_OK)
        return 0;
    return split_complain(self, index, name, "a number that is not negative", error);
}

int split_known_real(const split_t *self, size_t index, const char *name, double *value,
                     struct error *error)
{
    const char *text = self->items[index];
    const bool negative = text[0] == '-';

    *value = NAN;
    if (text[0] == '\0')
        return 0;
    if (number_parse_real(text + negative, strlen(text + negative), 0, NUMBER_MAX, value) !=
        NUMBER_OK)
        return split_complain(self, index, name, "a number", error);
    if (negative)
        *value = NAN;
    return 0;
}
