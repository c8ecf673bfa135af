/* figure_files.h - the files of one figure: its pictures, its data and its caption. */
#ifndef FIGURE_FIGURE_FILES_H
#define FIGURE_FIGURE_FILES_H

#include "common/output.h"
#include "tools/figure/chart.h"

/* Files of a figure: the pictures by their format, then data and caption. */
enum { FIGURE_DATA = IMAGE_FILES, FIGURE_CAPTION, FIGURE_FILES };

/* Opens STEM.svg, .png, .pdf, .csv and .txt; without `forced` existing files with other bytes stay,
 * see output_replace. -1 with `error`. To be ended by output_commit_all or, without effect, by
 * figure_files_destroy, even after a failure. */
int figure_files_open(output_t *files[FIGURE_FILES], const char *stem, bool forced,
                      struct error *error);

/* Check before a long computation: -1, with `error`, if one of these files exists. */
int figure_files_check(const char *stem, struct error *error);
void figure_files_destroy(output_t *files[FIGURE_FILES]);

/* Draws all pictures. -1 with `error`. */
int figure_files_draw(output_t *files[FIGURE_FILES], const struct chart *chart,
                      const struct chart_look *look, struct error *error);

#endif
