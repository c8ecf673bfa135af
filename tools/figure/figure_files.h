/* figure_files.h - the files of one figure: its pictures, its data and its caption. */
#ifndef FIGURE_FIGURE_FILES_H
#define FIGURE_FIGURE_FILES_H

#include "common/output.h"
#include "tools/figure/chart.h"

/* The pictures by their format, then these. */
enum { FIGURE_DATA = IMAGE_FILES, FIGURE_CAPTION, FIGURE_FILES };

/* STEM.svg, .png, .pdf, .csv and .txt; without `forced` older ones with other bytes stay, see
 * output_replace. -1 with `error`; figure_files_destroy ends them either way, output_commit_all
 * ends them with their names. */
int figure_files_open(output_t *files[FIGURE_FILES], const char *stem, bool forced,
                      struct error *error);

/* Before what takes long: -1, with `error`, if one of these files is there. */
int figure_files_check(const char *stem, struct error *error);
void figure_files_destroy(output_t *files[FIGURE_FILES]);

/* Draws all pictures. -1 with `error`. */
int figure_files_draw(output_t *files[FIGURE_FILES], const struct chart *chart,
                      const struct chart_look *look, struct error *error);

#endif
