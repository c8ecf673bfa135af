/* csv.h - rows of a delimited text file, columns found by name, every complaint with file and line.
 *
 * libcsv settles quoting; around it stand the checks it leaves to its caller: line numbers, limits,
 * encoding, and one field for each column of the header. A byte order mark, CR LF, blank lines, a
 * missing last line end, columns that were not asked for, and lines that begin with # before the
 * header are all fine. */
#ifndef COMMON_CSV_H
#define COMMON_CSV_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CSV_LINE_BYTES_MAX ((size_t)64 * 1024)
#define CSV_COLUMNS_MAX    ((size_t)256)
#define CSV_SPELLINGS_MAX  3

typedef struct csv csv_t;

/* A column that the caller wants; asked for by its place in the caller's table. */
struct csv_column {
    const char *names[CSV_SPELLINGS_MAX]; /* spellings of the name; of several that the file has,
                                             the first wins */
    bool optional;
};

struct csv_cell {
    const char *text; /* ended with a NUL; lent until the next row */
    size_t length;
};

/* The character between the columns of the file called `path`: blanks in "jobs.txt" and
 * "jobs.txt.gz", commas elsewhere. */
char csv_delimiter(const char *path);

/* Of a line that is one field, where several with `delimiter` between them were expected: writes
 * "; its fields are separated by semicolons, expected commas" if other separators stand in `text`,
 * else "". */
void csv_separator_hint(const char *text, char delimiter, char *hint, size_t size);

/* Whether two names of columns differ in capitals, and in blanks and underscores, alone. */
bool csv_names_alike(const char *a, const char *b);

/* Opens `path` (plain or compressed) and reads its header. NULL with `error` if it has none. */
csv_t *csv_open(const char *path, char delimiter, struct error *error);
void csv_destroy(csv_t **self);

/* Finds `columns`; from then on a column is named by its index there. -1 with `error` if one that
 * is not optional is missing. */
int csv_expect(csv_t *self, const struct csv_column columns[], size_t count, struct error *error);

/* The names in the header, in the order of the file. */
size_t csv_header_count(const csv_t *self);
const char *csv_header_name(const csv_t *self, size_t place);

/* Reads the next row that is not blank: 1, 0 at the end of the file, -1 with `error`. */
int csv_next(csv_t *self, struct error *error);

/* Whether the file has the column; csv_place: the column's place in the file, if it has the
 * column. */
bool csv_has(const csv_t *self, size_t column);
size_t csv_place(const csv_t *self, size_t column);

/* The cell of `column`, or of the column at `place` in the file, in the current row. */
struct csv_cell csv_get(const csv_t *self, size_t column);
struct csv_cell csv_at(const csv_t *self, size_t place);

/* The cell as a whole number in `min .. max`; -1 with `error` that names file, line and column. */
int csv_whole(const csv_t *self, size_t column, int64_t min, int64_t max, int64_t *value,
              struct error *error);

/* Complains about the current row's cell in `column` (or at `place`): "FILE:LINE: column N (NAME):
 * expected `expected`, found ...". Returns -1. */
int csv_complain(const csv_t *self, size_t column, const char *expected, struct error *error);
int csv_complain_at(const csv_t *self, size_t place, const char *expected, struct error *error);

/* Complains about the name of the column at `place`, before the first row is read. Returns -1. */
int csv_complain_name(const csv_t *self, size_t place, const char *expected, struct error *error);

/* Where the current row starts. */
const char *csv_path(const csv_t *self);
int64_t csv_line(const csv_t *self);

#endif
