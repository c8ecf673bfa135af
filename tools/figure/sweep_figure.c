/* sweep_figure.c - see sweep_figure.h. */
#include "tools/figure/sweep_figure.h"

#include "common/memory.h"
#include "common/output.h"
#include "tools/figure/figure_files.h"
#include "tools/figure/sweep_chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

struct drawing {
    const struct sweep_figure_setting *setting;
    const char *measure;
    size_t number; /* number of the picture, from 1 on; 0 for the only picture */
    struct sweep_chart chart;
};

/* ---- files ---- */

static void write_number(output_t *out, double value)
{
    output_char(out, ',');
    if (!isnan(value))
        output_format(out, "%.6g", value);
}

static void write_data(const struct drawing *self, output_t *out)
{
    const struct sweep_picture *picture = &self->chart.picture;

    output_format(out, "%s,policy,mean,half\n", self->setting->over);
    for (size_t k = 0; k < picture->at_count; k++)
        for (size_t i = 0; i < picture->policy_count; i++) {
            output_format(out, "%s,%s", picture->labels[k], picture->policies[i]);
            write_number(out, picture->mean[i * picture->at_count + k]);
            write_number(out, picture->half[i * picture->at_count + k]);
            output_char(out, '\n');
        }
}

static void write_caption(const struct drawing *self, output_t *out)
{
    char *caption = sweep_chart_caption(&self->chart);

    output_format(out, "%s\n", caption);
    free(caption);
}

static int write_picture(struct drawing *self, struct error *error)
{
    output_t *files[FIGURE_FILES];
    char stem[PATH_BYTES];
    char number[24] = "";

    if (self->number > 0)
        (void)snprintf(number, sizeof(number), "-%zu", self->number);
    (void)snprintf(stem, sizeof(stem), "%s/sweep-%s%s", self->setting->output, self->measure,
                   number);
    if (figure_files_open(files, stem, self->setting->forced, error) < 0 ||
        figure_files_draw(files, &self->chart.chart, &self->setting->look, error) < 0) {
        figure_files_destroy(files);
        return -1;
    }
    write_data(self, files[FIGURE_DATA]);
    write_caption(self, files[FIGURE_CAPTION]);
    if (output_commit_all(files, FIGURE_FILES, error) < 0)
        return -1;
    printf("%s over %s: %s.svg, .png, .pdf, .csv, .txt\n", self->measure, self->setting->over,
           stem);
    return 0;
}

/* ---- all pictures ---- */

static int make_picture(struct drawing *self, const struct result_table *table, size_t first,
                        struct error *error)
{
    int status =
        sweep_chart_read(&self->chart, table, self->setting->over, self->measure, first, error);

    if (status == 0 && self->chart.chart.series_count > 0)
        status = write_picture(self, error);
    else if (status == 0)
        printf("%s: no policy has a value to draw\n", self->measure);
    sweep_chart_free(&self->chart);
    return status;
}

static int make_measure(const struct sweep_figure_setting *setting,
                        const struct result_table *table, const char *measure, struct error *error)
{
    struct drawing drawing = {.setting = setting, .measure = measure};
    size_t points = 0;
    size_t over;

    if (result_table_find(table, setting->over, &over, error) < 0)
        return -1;
    for (size_t row = 0; row < table->row_count; row++)
        points += result_table_begins_point(table, row, over);
    for (size_t row = 0; row < table->row_count; row++) {
        if (!result_table_begins_point(table, row, over))
            continue;
        drawing.number += points > 1;
        if (make_picture(&drawing, table, row, error) < 0)
            return -1;
    }
    return 0;
}

int sweep_figure_make(const struct sweep_figure_setting *setting, struct error *error)
{
    struct result_table table;
    char *measures = xstrdup(setting->measures);
    char *rest = measures;
    int made;
    int status = result_table_open(&table, setting->results, "means.csv", error);

    if (status == 0) {
        if (table.row_count == 0)
            status = error_set(error, "%s: has no rows: no cell of the sweep is done", table.path);
        made = status == 0 ? output_make_folder(setting->output, error) : 0;
        if (made < 0)
            status = -1;
        while (status == 0 && rest)
            status = make_measure(setting, &table, strsep(&rest, ","), error);
        if (status < 0 && made > 0)
            output_remove_folders(setting->output, made);
        result_table_close(&table);
    }
    free(measures);
    return status;
}
