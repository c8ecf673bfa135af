/* figures.h - the figures of a run as JSON. */
#ifndef LOCAL_FIGURES_H
#define LOCAL_FIGURES_H

#include "common/error.h"

/* Prints summary.json of the result folder `results`. -1, with `error`, if the file cannot be
 * read. */
int figures_print(const char *results, struct error *error);

#endif
