/* csv.c - see csv.h. */
#include "common/csv.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/number_hint.h"

#include <assert.h>
#include <csv.h>
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line and some more. malloc puts much larger blocks in pages of their own, a cost that a
 * small file would feel. */
#define BUFFER_BYTES (CSV_LINE_BYTES_MAX + (size_t)16 * 1024)
#define ROW_BYTES    (2 * CSV_LINE_BYTES_MAX)
#define NO_PLACE     SIZE_MAX

/* Most lines of a row. A quoted field may hold line ends; a missing closing quote is found after
 * this many lines. */
#define ROW_LINES_MAX 16

/* How many bytes of a cell and of a column's name a complaint quotes. */
#define CELL_BYTES_SHOWN 40
#define NAME_BYTES_SHOWN 64

/* The fields of one row. Fields of a row that is one line without quotes lie in the buffer.
 * Otherwise libcsv takes the quotes out, and the fields lie in `text`. */
struct row {
    char *text; /* NULL until a row needs it */
    size_t length;
    struct csv_cell fields[CSV_COLUMNS_MAX];
    size_t count;
    bool complete;
    bool crowded;      /* more fields than CSV_COLUMNS_MAX */
    bool overlong;     /* more text than `text` has room for, which only several lines have */
    bool repeated;     /* a second row on one line */
    size_t repeats_at; /* number of fields before the second row */
};

struct csv {
    char *path;
    input_t *input;
    struct csv_parser parser;
    char delimiter;
    char *buffer; /* bytes read but not yet parsed into rows, and room for a NUL */
    size_t start;
    size_t end;
    bool at_end;
    int64_t line; /* where the current row starts, from 1 */
    int64_t lines_read;
    bool row_begun; /* the current row has lines before the one read last */
    struct row row;
    char **header;
    size_t header_count;
    size_t *places; /* places of the caller's columns, NO_PLACE if absent */
    size_t place_count;
};

/* Whether the row may have one more field. */
static bool has_room(struct row *row)
{
    row->crowded = row->crowded || row->count == CSV_COLUMNS_MAX;
    return !row->crowded;
}

static void on_field(void *field, size_t length, void *context)
{
    struct row *row = context;
    char *copy;

    if (!has_room(row))
        return;
    if (row->length + length + 1 > ROW_BYTES) {
        row->overlong = true;
        return;
    }
    if (!row->text)
        row->text = xmalloc(ROW_BYTES);
    copy = row->text + row->length;
    if (length > 0)
        memcpy(copy, field, length);
    copy[length] = '\0';
    row->length += length + 1;
    row->fields[row->count++] = (struct csv_cell){copy, length};
}

static void on_row(int terminator, void *context)
{
    struct row *row = context;

    (void)terminator;
    row->repeated = row->complete;
    row->repeats_at = row->complete ? row->repeats_at : row->count;
    row->complete = true;
}

static int never_a_blank(unsigned char c)
{
    (void)c;
    return 0;
}

/* Reports an error in a column of a line, by place in the file. The column has a name once the
 * header is known. */
static int complain_column(const csv_t *self, int64_t line, size_t place, const char *what,
                           struct error *error)
{
    char name[NAME_BYTES_SHOWN + 1];

    if (place >= self->header_count)
        return error_set(error, "%s:%" PRId64 ": column %zu: %s", self->path, line, place + 1,
                         what);
    (void)input_printable(name, sizeof(name), self->header[place], strlen(self->header[place]));
    return error_set(error, "%s:%" PRId64 ": column %zu (%s): %s", self->path, line, place + 1,
                     name, what);
}

/* The place of the column that has byte `at` of the line read last. `row.count` counts the
 * fields before that line. A row goes on from one line to the next only inside quotes. */
static size_t place_of(const csv_t *self, const char *line, size_t at)
{
    bool quoted = self->row_begun;
    size_t place = self->row.count;

    for (size_t i = 0; i < at; i++) {
        quoted = quoted != (line[i] == '"');
        place += !quoted && line[i] == self->delimiter;
    }
    return place;
}

static bool is_ascii(const char *text, size_t length)
{
    unsigned char bits = 0;

    for (size_t i = 0; i < length; i++)
        bits |= (unsigned char)text[i];
    return bits < 0x80;
}

/* Appends more of the file to the unparsed bytes of the buffer. 0, or -1 with `error`. */
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

static int check_text(const csv_t *self, const char *line, size_t length, struct error *error)
{
    const char *nul = memchr(line, '\0', length);
    size_t valid;

    if (nul)
        return complain_column(self, self->lines_read, place_of(self, line, (size_t)(nul - line)),
                               "expected text, found a NUL byte", error);
    if (is_ascii(line, length))
        return 0;
    valid = input_valid_utf8(line, length);
    if (valid == length)
        return 0;
    return complain_column(self, self->lines_read, place_of(self, line, valid),
                           "expected UTF-8, found a byte that is not", error);
}

/* Lends the next line with its line end, `length` 0 at the end of the file. */
static int next_line(csv_t *self, char **line, size_t *length, struct error *error)
{
    char *end;

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
    return 0;
}

/* Whether all bytes are below 0x80 and none is a NUL, a quote or a carriage return. The loop
 * keeps to bytes, so that compilers look at sixteen at once. */
static bool is_plain(const char *text, size_t length)
{
    signed char odd = 0;

    for (size_t i = 0; i < length; i++) {
        const signed char c = (signed char)text[i];

        odd = (signed char)(odd | c | -(c == '\0') | -(c == '\r') | -(c == '"'));
    }
    return odd >= 0;
}

/* Splits, in place, a line that is a whole row of plain text, as nearly all lines are, with a
 * tenth of libcsv's work. Any other line is left to libcsv. */
static bool split(struct row *row, char *line, size_t length, char delimiter)
{
    char *end = line + length;
    char *field = line;

    end -= end[-1] == '\n';
    end -= end > line && end[-1] == '\r';
    length = (size_t)(end - line);
    if (length == 0 || !is_plain(line, length))
        return false;
    *end = delimiter;
    for (char *at = line; at <= end; at++) {
        if (*at != delimiter)
            continue;
        *at = '\0';
        if (has_room(row))
            row->fields[row->count++] = (struct csv_cell){field, (size_t)(at - field)};
        field = at + 1;
    }
    row->complete = true;
    return true;
}

static int parse(csv_t *self, char *line, size_t length, struct error *error)
{
    size_t parsed;

    if (!self->row_begun && split(&self->row, line, length, self->delimiter))
        return 0;
    if (check_text(self, line, length, error) < 0)
        return -1;
    parsed = csv_parse(&self->parser, line, length, on_field, on_row, &self->row);
    if (parsed == length)
        return 0;
    return complain_column(self, self->lines_read, self->row.count,
                           "expected quotes around the whole field, found one inside it", error);
}

static int finish(csv_t *self, struct error *error)
{
    if (csv_fini(&self->parser, on_field, on_row, &self->row) != 0)
        return complain_column(self, self->line, self->row.count,
                               "a quote is opened here and never closed", error);
    return 0;
}

static int check_row(const csv_t *self, struct error *error)
{
    if (self->row.crowded)
        return error_set(error, "%s:%" PRId64 ": expected at most %zu columns, found more",
                         self->path, self->line, CSV_COLUMNS_MAX);
    if (self->row.overlong)
        return error_set(error, "%s:%" PRId64 ": the row is longer than %zu bytes", self->path,
                         self->line, ROW_BYTES);
    if (self->row.repeated)
        return complain_column(self, self->line, self->row.repeats_at - 1,
                               "a carriage return in the middle of the line", error);
    return 0;
}

static bool is_blank(const char *line, size_t length)
{
    return length <= 2 && line[length - 1] == '\n' && (length == 1 || line[0] == '\r');
}

/* Reads lines until they make a row: 1, 0 at the end, -1 with `error`. */
static int read_row(csv_t *self, struct error *error)
{
    char *line;
    size_t length;

    self->row.count = 0;
    self->row.length = 0;
    self->row.complete = self->row.crowded = false;
    self->row.overlong = self->row.repeated = false;
    self->row_begun = false;
    self->line = self->lines_read + 1;
    while (!self->row.complete) {
        if (next_line(self, &line, &length, error) < 0)
            return -1;
        if (length == 0) {
            if (finish(self, error) < 0)
                return -1;
            break;
        }
        if (!self->row_begun && is_blank(line, length)) {
            self->line = self->lines_read + 1;
            continue;
        }
        if (parse(self, line, length, error) < 0)
            return -1;
        self->row_begun = true;
        if (self->lines_read - self->line > ROW_LINES_MAX)
            return complain_column(self, self->line, self->row.count,
                                   "a quoted field goes on for too many lines", error);
    }
    if (!self->row.complete)
        return 0;
    return check_row(self, error) < 0 ? -1 : 1;
}

static int complain_repetition(const csv_t *self, size_t place, size_t first, struct error *error)
{
    char what[80];

    (void)snprintf(what, sizeof(what), "expected another name than that of column %zu", first + 1);
    return complain_column(self, self->line, place, what, error);
}

static int check_header(const csv_t *self, struct error *error)
{
    for (size_t i = 0; i < self->header_count; i++)
        for (size_t k = 0; k < i; k++)
            if (*self->header[i] && !strcmp(self->header[i], self->header[k]))
                return complain_repetition(self, i, k, error);
    return 0;
}

/* Lines before the header that begin with # say where the file comes from. */
static int skip_comments(csv_t *self, struct error *error)
{
    char *line;
    size_t length;

    for (;;) {
        while (self->start == self->end && !self->at_end)
            if (fill(self, error) < 0)
                return -1;
        if (self->start == self->end || self->buffer[self->start] != '#')
            return 0;
        if (next_line(self, &line, &length, error) < 0 || check_text(self, line, length, error) < 0)
            return -1;
    }
}

static int read_header(csv_t *self, struct error *error)
{
    int got;

    if (skip_comments(self, error) < 0)
        return -1;
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
    self->delimiter = delimiter;
    self->buffer = xmalloc(BUFFER_BYTES + 1);
    if (csv_init(&self->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        memory_out();
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

/* Writes the column's spellings after the first as " (or B or C)"; writes nothing if there are
 * none. */
static void list_spellings(const struct csv_column *column, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t k = 1; k < CSV_SPELLINGS_MAX && column->names[k] && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%sor %s", k == 1 ? " (" : " ",
                                 column->names[k]);
    if (used > 0 && used < size)
        (void)snprintf(text + used, size - used, ")");
}

static const char *separator_words(char separator)
{
    static const struct {
        char separator;
        const char *words;
    } all[] = {
        {',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}, {' ', "blanks"}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].separator == separator)
            return all[i].words;
    return "";
}

static size_t count_of(const char *text, char c)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == c;
    return count;
}

void csv_separator_hint(const char *text, char delimiter, char *hint, size_t size)
{
    char found = '\0';
    size_t most = 0;

    *hint = '\0';
    for (const char *other = ";\t|, "; *other; other++)
        if (count_of(text, *other) > most) {
            most = count_of(text, *other);
            found = *other;
        }
    if (most > 0 && !strchr(text, delimiter))
        (void)snprintf(hint, size, "; its fields are separated by %s, expected %s",
                       separator_words(found), separator_words(delimiter));
}

bool csv_names_alike(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " \t_-");
        b += strspn(b, " \t_-");
        if (*a == '\0' || tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return *a == *b;
        a++;
        b++;
    }
}

/* Writes "; column 2 is called "Job ID", expected "job_id"" if the header has a column of a
 * similar name. */
static void hint_at_name(const csv_t *self, const struct csv_column *column, char *hint,
                         size_t size)
{
    char shown[NAME_BYTES_SHOWN + 1];

    for (size_t k = 0; k < CSV_SPELLINGS_MAX && column->names[k]; k++)
        for (size_t i = 0; i < self->header_count; i++)
            if (csv_names_alike(self->header[i], column->names[k])) {
                (void)input_printable(shown, sizeof(shown), self->header[i],
                                      strlen(self->header[i]));
                (void)snprintf(hint, size, "; column %zu is called \"%s\", expected \"%s\"", i + 1,
                               shown, column->names[k]);
                return;
            }
}

static int complain_missing(const csv_t *self, const struct csv_column *column, struct error *error)
{
    char others[128];
    char hint[256] = "";

    list_spellings(column, others, sizeof(others));
    if (self->header_count == 1)
        csv_separator_hint(self->header[0], self->delimiter, hint, sizeof(hint));
    if (!*hint)
        hint_at_name(self, column, hint, sizeof(hint));
    return error_set(error, "%s:%" PRId64 ": no column %s%s%s", self->path, self->line,
                     column->names[0], others, hint);
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
        return complain_missing(self, &columns[i], error);
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
        return error_set(error, "%s:%" PRId64 ": expected %zu columns as in the header, found %zu",
                         self->path, self->line, self->header_count, self->row.count);
    return 1;
}

bool csv_has(const csv_t *self, size_t column)
{
    assert(column < self->place_count);
    return self->places[column] != NO_PLACE;
}

size_t csv_place(const csv_t *self, size_t column)
{
    assert(csv_has(self, column));
    return self->places[column];
}

struct csv_cell csv_at(const csv_t *self, size_t place)
{
    assert(place < self->row.count);
    return self->row.fields[place];
}

struct csv_cell csv_get(const csv_t *self, size_t column)
{
    return csv_at(self, csv_place(self, column));
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
    (void)csv_complain(self, column, expected, error);
    return error_append(error, "%s", number_hint_whole(cell.text, cell.length));
}

int csv_complain_at(const csv_t *self, size_t place, const char *expected, struct error *error)
{
    const struct csv_cell cell = csv_at(self, place);
    char found[CELL_BYTES_SHOWN + 1];
    char what[512];
    const size_t shown = input_printable(found, sizeof(found), cell.text, cell.length);

    (void)snprintf(what, sizeof(what), "expected %s, found \"%s%s\"", expected, found,
                   shown < cell.length ? "..." : "");
    return complain_column(self, self->line, place, what, error);
}

int csv_complain_name(const csv_t *self, size_t place, const char *expected, struct error *error)
{
    const char *name = self->header[place];
    char found[CELL_BYTES_SHOWN + 1];
    const size_t shown = input_printable(found, sizeof(found), name, strlen(name));

    assert(place < self->header_count);
    return error_set(error, "%s:%" PRId64 ": column %zu: expected %s, found \"%s%s\"", self->path,
                     self->line, place + 1, expected, found, name[shown] ? "..." : "");
}

int csv_complain(const csv_t *self, size_t column, const char *expected, struct error *error)
{
    return csv_complain_at(self, csv_place(self, column), expected, error);
}

const char *csv_path(const csv_t *self)
{
    return self->path;
}

int64_t csv_line(const csv_t *self)
{
    return self->line;
}

static bool ends_with(const char *path, size_t length, const char *ending)
{
    const size_t size = strlen(ending);

    return length >= size && !strncmp(path + length - size, ending, size);
}

char csv_delimiter(const char *path)
{
    static const char *const compressed[] = {".gz", ".zst", ".xz", ".bz2"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof(compressed) / sizeof(compressed[0]); i++)
        if (ends_with(path, length, compressed[i])) {
            length -= strlen(compressed[i]);
            break;
        }
    return ends_with(path, length, ".txt") ? ' ' : ',';
}
