/* footnotes.h - what a reader of a comparison would otherwise have to guess. */
#ifndef TOOLS_FOOTNOTES_H
#define TOOLS_FOOTNOTES_H

#include "tools/comparison.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether the policy of a cell takes jobs for jobs with a deadline that another one on the same
 * trace does not: the table marks it. */
bool footnotes_counts_others(const struct comparison *comparison, const struct cell *cell);

/* Prints the notes below a table, after an empty line; nothing if there are none. */
void footnotes_print(const struct comparison *comparison, FILE *out);

#endif
