/* chart.h - a comparison as bars: how many jobs were on time under each policy. */
#ifndef TOOLS_CHART_H
#define TOOLS_CHART_H

#include "tools/comparison.h"
#include "tools/picture/look.h"

/* Prints a bar for each simulation that is done, after an empty line. */
void chart_print(const struct comparison *comparison, const struct look *look);

#endif
