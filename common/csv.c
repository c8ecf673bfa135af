/* csv.c - see csv.h. */
#include "common/csv.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"

#include <assert.h>
#include <csv.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES (4 * CSV_LINE_BYTES_MAX)
#define NO_PLACE     SIZE_MAX

struct field {
    size_t start; /* in the row's text */
    size_t length;
};

/* The fields of one row, each ended with a NUL. */
struct row {
    char *text;
    size_t length;
    struct field fields[CSV_COLUMNS_MAX];
    size_t count;
    bool complete;
    bool crowded;  /* more fields than CSV_COLUMNS_MAX */
    bool repeated; /* a second row on one line */
};

struct csv {
    char *path;
    input_t *input;
    struct csv_parser parser;
    char *buffer; /* what is read of the file and not yet of the rows */
    size_t start;
    size_t end;
    bool at_end;
    int64_t line; /* where the current row starts, from 1 */
    int64_t lines_read;
    struct row row;
    char **header;
    size_t header_count;
    size_t *places; /* of the caller's columns, or NO_PLACE */
    size_t place_count;
};

static void on_field(void *field, size_t length, void *context)
{
    struct row *row = context;

    if (row->count == CSV_COLUMNS_MAX) {
        row->crowded = true;
        return;
    }
    if (row->length + length + 1 > CSV_LINE_BYTES_MAX * 2)
        return; /* the line is over its limit and is refused as such */
    row->fields[row->count].start = row->length;
    row->fields[row->count].length = length;
    row->count++;
    if (length > 0)
        memcpy(row->text + row->length, field, length);
    row->length += length;
    row->text[row->length++] = '\0';
}

static void on_row(int terminator, void *context)
{
    struct row *row = context;

    (void)terminator;
    row->repeated = row->complete;
    row->complete = true;
}

static int never_a_blank(unsigned char c)
{
    (void)c;
    return 0;
}

static int complain_line(const csv_t *self, int64_t line, const char *what, struct error *error)
{
    return error_set(error, "%s:%" PRId64 ": %s", self->path, line, what);
}

/* Whether the bytes are UTF-8 as RFC 3629 has it: shortest form, no surrogates. */
static bool is_utf8(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const unsigned char lead = text[i];
        const size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;

        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || i + more >= length)
            return false;
        for (size_t k = 1; k <= more; k++)
            if ((text[i + k] & 0xc0) != 0x80)
                return false;
        if ((lead == 0xe0 && text[i + 1] < 0xa0) || (lead == 0xed && text[i + 1] > 0x9f) ||
            (lead == 0xf0 && text[i + 1] < 0x90) || (lead == 0xf4 && text[i + 1] > 0x8f))
            return false;
        i += more + 1;
    }
    return true;
}

static bool is_ascii(const char *text, size_t length)
{
    unsigned char bits = 0;

    for (size_t i = 0; i < length; i++)
        bits |= (unsigned char)text[i];
    return bits < 0x80;
}

/* Reads more of the file behind what is left of it; 0, or -1 with `error`. */
static int fill(csv_t *self, struct error *error)
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

/* Lends the next line with its line end, `length` 0 at the end of the file. */
static int next_line(csv_t *self, const char **line, size_t *length, struct error *error)
{
    const char *end;

    while (!(end = memchr(self->buffer + self->start, '\n', self->end - self->start))) {
        if (self->end - self->start > CSV_LINE_BYTES_MAX || self->at_end)
            break;
        if (fill(self, error) < 0)
            return -1;
    }
    *line = self->buffer + self->start;
    *length = end ? (size_t)(end - *line) + 1 : self->end - self->start;
    self->start += *length;
    self->lines_read++;
    if (*length > CSV_LINE_BYTES_MAX)
        return error_set(error, "%s:%" PRId64 ": the line is longer than %zu bytes", self->path,
                         self->lines_read, CSV_LINE_BYTES_MAX);
    if (memchr(*line, '\0', *length))
        return complain_line(self, self->lines_read, "a NUL byte, expected text", error);
    if (!is_ascii(*line, *length) && !is_utf8((const unsigned char *)*line, *length))
        return complain_line(self, self->lines_read, "a byte that is not UTF-8", error);
    return 0;
}

static int parse(csv_t *self, const char *line, size_t length, struct error *error)
{
    const size_t parsed = csv_parse(&self->parser, line, length, on_field, on_row, &self->row);

    if (parsed != length)
        return complain_line(self, self->lines_read, "a quote in the middle of a field", error);
    return 0;
}

static int finish(csv_t *self, struct error *error)
{
    if (csv_fini(&self->parser, on_field, on_row, &self->row) != 0)
        return complain_line(self, self->line, "a quote is opened here and never closed", error);
    return 0;
}

static int check_row(const csv_t *self, struct error *error)
{
    if (self->row.repeated)
        return complain_line(self, self->line, "a carriage return in the middle of the line",
                             error);
    if (self->row.crowded)
        return error_set(error, "%s:%" PRId64 ": more than %zu columns", self->path, self->line,
                         CSV_COLUMNS_MAX);
    return 0;
}

/* Reads lines until they make a row: 1, 0 at the end, -1 with `error`. */
static int read_row(csv_t *self, struct error *error)
{
    const char *line;
    size_t length;

    self->row.count = 0;
    self->row.length = 0;
    self->row.complete = self->row.crowded = self->row.repeated = false;
    self->line = self->lines_read + 1;
    while (!self->row.complete) {
        if (next_line(self, &line, &length, error) < 0)
            return -1;
        if (length == 0) {
            if (finish(self, error) < 0)
                return -1;
            break;
        }
        if (parse(self, line, length, error) < 0)
            return -1;
        if (!self->row.complete && self->row.count == 0 && length <= 2)
            self->line = self->lines_read + 1; /* a blank line before the row */
        if (self->lines_read - self->line > 16)
            return complain_line(self, self->line, "a quoted field goes on for too many lines",
                                 error);
    }
    if (!self->row.complete)
        return 0;
    return check_row(self, error) < 0 ? -1 : 1;
}

static int check_header(const csv_t *self, struct error *error)
{
    for (size_t i = 0; i < self->header_count; i++)
        for (size_t k = 0; k < i; k++)
            if (*self->header[i] && !strcmp(self->header[i], self->header[k]))
                return error_set(error, "%s:%" PRId64 ": column %zu repeats the name of column %zu",
                                 self->path, self->line, i + 1, k + 1);
    return 0;
}

static int read_header(csv_t *self, struct error *error)
{
    const char *bom = "\xef\xbb\xbf";
    int got;

    if (fill(self, error) < 0)
        return -1;
    if (self->end >= 3 && !memcmp(self->buffer, bom, 3))
        self->start = 3;
    got = read_row(self, error);
    if (got < 0)
        return -1;
    if (got == 0)
        return error_set(error, "%s:1: the file is empty, expected a header", self->path);
    self->header = xcalloc(self->row.count, sizeof(*self->header));
    self->header_count = self->row.count;
    for (size_t i = 0; i < self->row.count; i++)
        self->header[i] = xstrdup(csv_at(self, i).text);
    return check_header(self, error);
}

csv_t *csv_open(const char *path, char delimiter, struct error *error)
{
    input_t *input = input_open(path, error);
    csv_t *self;

    if (!input)
        return NULL;
    self = xcalloc(1, sizeof(*self));
    self->path = xstrdup(path);
    self->input = input;
    self->buffer = xmalloc(BUFFER_BYTES);
    self->row.text = xmalloc(CSV_LINE_BYTES_MAX * 2);
    if (csv_init(&self->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        abort();
    csv_set_delim(&self->parser, (unsigned char)delimiter);
    csv_set_space_func(&self->parser, never_a_blank);
    if (read_header(self, error) < 0)
        csv_destroy(&self);
    return self;
}

void csv_destroy(csv_t **self)
{
    if (!*self)
        return;
    csv_free(&(*self)->parser);
    input_destroy(&(*self)->input);
    for (size_t i = 0; i < (*self)->header_count; i++)
        free((*self)->header[i]);
    free((*self)->header);
    free((*self)->places);
    free((*self)->row.text);
    free((*self)->buffer);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

static size_t find_column(const csv_t *self, const struct csv_column *column)
{
    for (size_t k = 0; k < CSV_SPELLINGS_MAX && column->names[k]; k++)
        for (size_t i = 0; i < self->header_count; i++)
            if (!strcmp(self->header[i], column->names[k]))
                return i;
    return NO_PLACE;
}

int csv_expect(csv_t *self, const struct csv_column columns[], size_t count, struct error *error)
{
    assert(!self->places);
    self->places = xcalloc(count, sizeof(*self->places));
    self->place_count = count;
    for (size_t i = 0; i < count; i++) {
        self->places[i] = find_column(self, &columns[i]);
        if (self->places[i] != NO_PLACE || columns[i].optional)
            continue;
        if (columns[i].names[1])
            return error_set(error, "%s:%" PRId64 ": no column %s (or %s)", self->path, self->line,
                             columns[i].names[0], columns[i].names[1]);
        return error_set(error, "%s:%" PRId64 ": no column %s", self->path, self->line,
                         columns[i].names[0]);
    }
    return 0;
}

size_t csv_header_count(const csv_t *self)
{
    return self->header_count;
}

const char *csv_header_name(const csv_t *self, size_t place)
{
    assert(place < self->header_count);
    return self->header[place];
}

int csv_next(csv_t *self, struct error *error)
{
    const int got = read_row(self, error);

    if (got <= 0)
        return got;
    if (self->row.count != self->header_count)
        return error_set(error, "%s:%" PRId64 ": %zu columns, expected %zu as in the header",
                         self->path, self->line, self->row.count, self->header_count);
    return 1;
}

bool csv_has(const csv_t *self, size_t column)
{
    assert(column < self->place_count);
    return self->places[column] != NO_PLACE;
}

struct csv_cell csv_at(const csv_t *self, size_t place)
{
    assert(place < self->row.count);
    return (struct csv_cell){.text = self->row.text + self->row.fields[place].start,
                             .length = self->row.fields[place].length};
}

struct csv_cell csv_get(const csv_t *self, size_t column)
{
    assert(csv_has(self, column));
    return csv_at(self, self->places[column]);
}

int csv_whole(const csv_t *self, size_t column, int64_t min, int64_t max, int64_t *value,
              struct error *error)
{
    const struct csv_cell cell = csv_get(self, column);
    char expected[80];

    if (number_parse_whole(cell.text, cell.length, min, max, value) == NUMBER_OK)
        return 0;
    (void)snprintf(expected, sizeof(expected), "a whole number from %" PRId64 " to %" PRId64, min,
                   max);
    return csv_complain(self, column, expected, error);
}

int csv_complain_at(const csv_t *self, size_t place, const char *expected, struct error *error)
{
    const struct csv_cell cell = csv_at(self, place);
    char found[48];
    size_t length = 0;

    for (; length < cell.length && length < 40; length++) {
        const char c = cell.text[length];

        found[length] = c;
        if (c < ' ' || c == '\x7f')
            found[length] = '?'; /* an escape sequence must not reach the terminal */
    }
    found[length] = '\0';
    return error_set(error, "%s:%" PRId64 ": column %zu (%s): expected %s, found \"%s%s\"",
                     self->path, self->line, place + 1, self->header[place], expected, found,
                     length < cell.length ? "..." : "");
}

int csv_complain(const csv_t *self, size_t column, const char *expected, struct error *error)
{
    assert(csv_has(self, column));
    return csv_complain_at(self, self->places[column], expected, error);
}

const char *csv_path(const csv_t *self)
{
    return self->path;
}

int64_t csv_line(const csv_t *self)
{
    return self->line;
}
