/* comparison.h - finished simulations as a table, as CSV or as JSON, with one row for each. */
#ifndef TOOLS_COMPARISON_H
#define TOOLS_COMPARISON_H

#include "tools/cells.h"
#include "tools/columns.h"
#include "tools/expected.h"

#include <stdbool.h>
#include <stddef.h>

/* The cells to print and the expected counts. */
struct comparison {
    struct cell *cells;
    size_t count;
    size_t bound_count;        /* number of further cells that find bounds, one for each trace */
    struct expected *expected; /* expected counts, NULL for none */
    struct columns columns;
};

/* Prints the finished cells on standard output. */
void comparison_print_table(const struct comparison *comparison);
void comparison_print_csv(const struct comparison *comparison);
void comparison_print_json(const struct comparison *comparison);

#endif
