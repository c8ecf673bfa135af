/* comparison.h - simulations that are done, as a table, as CSV or as JSON, one row each. */
#ifndef TOOLS_COMPARISON_H
#define TOOLS_COMPARISON_H

#include "tools/cells.h"
#include "tools/columns.h"
#include "tools/expected.h"

#include <stdbool.h>
#include <stddef.h>

/* The cells that are printed and, beside them, the values expected of them. */
struct comparison {
    struct cell *cells;
    size_t count;
    size_t bound_count;        /* of further cells that find bounds, a trace each */
    struct expected *expected; /* NULL if nothing is */
    struct columns columns;
};

/* Prints the cells that are done on standard output. */
void comparison_print_table(const struct comparison *comparison);
void comparison_print_csv(const struct comparison *comparison);
void comparison_print_json(const struct comparison *comparison);

#endif
