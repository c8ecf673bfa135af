/* marks.h - bars and small curves drawn with characters. */
#ifndef PICTURE_MARKS_H
#define PICTURE_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#define MARKS_CELLS_MAX 200
#define MARKS_BYTES     (4 * MARKS_CELLS_MAX + 1)

/* A bar of `share`, 0 to 1, in `cells` cells, with eighths of a cell in Unicode; blanks fill up the
 * rest. Any share above 0 is visible. */
void marks_bar(double share, int cells, bool unicode, char text[MARKS_BYTES]);

/* Draws a column for each of `count` values, as high as the value's share of `most`; a blank for
 * 0. */
void marks_curve(const double values[], size_t count, double most, bool unicode,
                 char text[MARKS_BYTES]);

/* The mark for the number of GPUs that a job holds: a blank for none, then one step for each
 * doubling. */
const char *marks_gpus(double gpus, bool unicode);

#endif
