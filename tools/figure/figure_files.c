/* figure_files.c - see figure_files.h. */
#include "tools/figure/figure_files.h"

#include <stdio.h>
#include <string.h>

#define PATH_BYTES 4096

int figure_files_open(output_t *files[FIGURE_FILES], const char *stem, struct error *error)
{
    memset(files, 0, FIGURE_FILES * sizeof(files[0]));
    for (int i = 0; i < FIGURE_FILES; i++) {
        const char *ending = i == FIGURE_DATA      ? "csv"
                             : i == FIGURE_CAPTION ? "txt"
                                                   : image_ending((enum image_format)i);
        char path[PATH_BYTES + 8];

        (void)snprintf(path, sizeof(path), "%s.%s", stem, ending);
        files[i] = output_new(path, error);
        if (!files[i])
            return -1;
    }
    return 0;
}

void figure_files_destroy(output_t *files[FIGURE_FILES])
{
    for (int i = 0; i < FIGURE_FILES; i++)
        output_destroy(&files[i]);
}

int figure_files_draw(output_t *files[FIGURE_FILES], const struct chart *chart,
                      const struct chart_look *look, struct error *error)
{
    for (enum image_format format = 0; format < IMAGE_FILES; format++)
        if (chart_write(chart, look, format, files[format], error) < 0)
            return -1;
    return 0;
}
