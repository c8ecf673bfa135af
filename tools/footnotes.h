/* footnotes.h - notes below the table of a comparison. */
#ifndef TOOLS_FOOTNOTES_H
#define TOOLS_FOOTNOTES_H

#include "tools/comparison.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether the policy of the cell counts more jobs as jobs with a deadline than another policy on
 * the same trace. The table marks such a cell. */
bool footnotes_counts_others(const struct comparison *comparison, const struct cell *cell);

/* Prints the notes below a table after an empty line. Prints nothing if there are no notes. */
void footnotes_print(const struct comparison *comparison, FILE *out);

#endif
