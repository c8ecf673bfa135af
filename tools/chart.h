/* chart.h - a comparison as a picture. Each policy has a bar for the jobs on time, and a curve of
 * the used GPUs over time. */
#ifndef TOOLS_CHART_H
#define TOOLS_CHART_H

#include "tools/comparison.h"
#include "tools/picture/look.h"

/* Prints a bar and a curve for each finished simulation, grouped by trace, with an empty line
 * before each group. */
void chart_print(const struct comparison *comparison, const struct look *look);

#endif
