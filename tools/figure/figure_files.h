/* figure_files.h - the files of one figure: its pictures, its data and its caption. */
#ifndef FIGURE_FIGURE_FILES_H
#define FIGURE_FIGURE_FILES_H

#include "common/output.h"
#include "tools/figure/chart.h"

/* Files of a figure: the pictures by their format, then data and caption. */
enum { FIGURE_DATA = IMAGE_FILES, FIGURE_CAPTION, FIGURE_FILES };

/* Opens STEM.svg, .png, .pdf, .csv and .txt. Without `forced`, existing files with other bytes
 * stay, see output_replace. Returns -1 with `error`. Even after a failure, output_commit_all must
 * end the files, or figure_files_destroy, which drops them. */
int figure_files_open(output_t *files[FIGURE_FILES], const char *stem, bool forced,
                      struct error *error);

/* Checks before a long computation that none of these files exists. Returns -1, with `error`, if
 * one does. */
int figure_files_check(const char *stem, struct error *error);
void figure_files_destroy(output_t *files[FIGURE_FILES]);

/* Draws all pictures. Returns -1 with `error`. */
int figure_files_draw(output_t *files[FIGURE_FILES], const struct chart *chart,
                      const struct chart_look *look, struct error *error);

#endif
