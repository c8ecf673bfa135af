/* result_table.h - means.csv or differences.csv of a sweep, read whole, with its rows grouped by
 * point. Rows of a point differ only in the policy and in one more parameter. */
#ifndef SWEEP_RESULT_TABLE_H
#define SWEEP_RESULT_TABLE_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

struct result_table {
    char *path;
    char **names; /* names of the columns */
    size_t column_count;
    char **cells; /* row by row */
    size_t row_count;
};

/* Reads the table FOLDER/NAME. Returns -1 with `error`; result_table_close is then not needed. */
int result_table_open(struct result_table *self, const char *folder, const char *name,
                      struct error *error);
void result_table_close(struct result_table *self);

/* Finds a column by its name. Returns -1 with `error` if no column has the name. */
int result_table_find(const struct result_table *self, const char *name, size_t *column,
                      struct error *error);

const char *result_table_text(const struct result_table *self, size_t row, size_t column);

/* Reads the number in a cell: NaN for an empty cell, the middle of a range LOW:HIGH. Returns -1
 * with `error` for any other text. */
int result_table_number(const struct result_table *self, size_t row, size_t column, double *value,
                        struct error *error);

/* The parameters of a sweep whose values are numbers; the list ends with NULL. */
extern const char *const result_table_axes[];

/* Whether two rows are at the same point: equal in all parameters but the policy, its settings and
 * `over`. */
bool result_table_same_point(const struct result_table *self, size_t a, size_t b, size_t over);

/* Whether `row` is the first at its point. */
bool result_table_begins_point(const struct result_table *self, size_t row, size_t over);

/* The parameter with several values: the first such parameter of result_table_axes, or the load if
 * all have one value. Every table has columns for all parameters. */
const char *result_table_varied(const struct result_table *self);

/* The parameters of the row's point, with their names, except `over`; the caller frees the text. */
char *result_table_point(const struct result_table *self, size_t row, size_t over);

#endif
