/* figure_files.c - see figure_files.h. */
#include "tools/figure/figure_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4104

static void name_file(char path[PATH_BYTES], const char *stem, int file)
{
    const char *ending = file == FIGURE_DATA      ? "csv"
                         : file == FIGURE_CAPTION ? "txt"
                                                  : image_ending((enum image_format)file);

    (void)snprintf(path, PATH_BYTES, "%s.%s", stem, ending);
}

int figure_files_open(output_t *files[FIGURE_FILES], const char *stem, bool forced,
                      struct error *error)
{
    memset(files, 0, FIGURE_FILES * sizeof(files[0]));
    for (int i = 0; i < FIGURE_FILES; i++) {
        char path[PATH_BYTES];

        name_file(path, stem, i);
        files[i] = output_new(path, error);
        if (!files[i])
            return -1;
        output_replace(files[i], forced);
    }
    return 0;
}

int figure_files_check(const char *stem, struct error *error)
{
    for (int i = 0; i < FIGURE_FILES; i++) {
        char path[PATH_BYTES];
        struct stat status;

        name_file(path, stem, i);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return error_set(error,
                             "%s: is there already; name another folder with --output, or say "
                             "--force to replace it",
                             path);
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
