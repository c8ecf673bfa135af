/* marks.h - bars and small curves of characters. */
#ifndef PICTURE_MARKS_H
#define PICTURE_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#define MARKS_CELLS_MAX 200
#define MARKS_BYTES     (4 * MARKS_CELLS_MAX + 1)

/* A bar of `share`, 0 to 1, in `cells` cells, with eighths of a cell in Unicode; blanks fill up the
 * rest. Any share above 0 is visible. */
void marks_bar(double share, int cells, bool unicode, char text[MARKS_BYTES]);

/* A column for each of `count` values, its height in proportion to `most`; a blank for 0. */
void marks_curve(const double values[], size_t count, double most, bool unicode,
                 char text[MARKS_BYTES]);

/* One mark for how many GPUs a job holds: one step for each doubling, from a blank for none. */
const char *marks_gpus(double gpus, bool unicode);

#endif
