/* results.h - result files of a sweep, and a short table for users.
 *
 * cells.csv has a row for each cell. means.csv has a row for all seeds of a cell. differences.csv
 * has a row for each figure of a policy minus the same figure of the first policy, seed by seed. */
#ifndef SWEEP_RESULTS_H
#define SWEEP_RESULTS_H

#include "common/error.h"
#include "tools/sweep/grid.h"
#include "tools/sweep/store.h"

#include <stddef.h>

#define RESULTS_CELLS       "cells.csv"
#define RESULTS_MEANS       "means.csv"
#define RESULTS_DIFFERENCES "differences.csv"

/* Writes all files into the folder of the grid, in the order of the grid's cells, without the cells
 * that the store lacks. Prints the table of the means on standard output. Each figure of means.csv
 * is a mean and half of its confidence interval, which is empty for fewer than two seeds. Returns
 * -1 with `error`. */
int results_write(const struct sweep_grid *grid, store_t *store, double confidence,
                  struct error *error);

#endif
