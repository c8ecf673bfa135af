/* sweep_document.c - see sweep_document.h. The numbers come from means.csv and differences.csv,
 * rounded to four digits. The charts are the charts of `rubato figure sweep`. */
#include "tools/report/sweep_document.h"

#include "tools/figure/sweep_chart.h"
#include "tools/report/document.h"
#include "tools/sweep/result_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEANS       "means.csv"
#define DIFFERENCES "differences.csv"

static const struct {
    const char *name;
    const char *title;
} measures[] = {{"on_time", "on time"},
                {"promised", "promised"},
                {"broken", "broken"},
                {"jct_mean_s", "mean JCT (s)"},
                {"gpu_utilisation", "GPU utilisation"}};
#define MEASURES (sizeof(measures) / sizeof(measures[0]))

static const char before[] =
    "<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Rubato: a sweep</title>\n<style>\n"
    "body { margin: 2em; font: 14px/1.5 system-ui, sans-serif; color-scheme: light dark; }\n"
    "table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .2em .9em; border-bottom: 1px solid #8886; text-align: right; }\n"
    "figure { display: inline-block; vertical-align: top; width: 30em; max-width: 100%; margin: 0 "
    "2em 1em 0; }\n"
    "figure svg { width: 100%; height: auto; }\n"
    "figcaption { font-size: .85em; }\n"
    "</style>\n";

/* A table of a sweep, and the parameter with several values, whose rows stand together. */
struct swept {
    struct result_table table;
    const char *over;
    size_t column; /* column of the parameter */
};

bool sweep_document_is_of(const char *folder)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/summary.json", folder);
    if (access(path, F_OK) == 0)
        return false;
    (void)snprintf(path, sizeof(path), "%s/" MEANS, folder);
    return access(path, F_OK) == 0;
}

static void write_text(output_t *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            output_text(out, "&lt;");
        else if (*text == '&')
            output_text(out, "&amp;");
        else
            output_char(out, *text);
}

static int write_cell(const struct result_table *table, size_t row, const char *name, output_t *out,
                      struct error *error)
{
    size_t column;

    if (result_table_find(table, name, &column, error) < 0)
        return -1;
    output_text(out, "<td>");
    write_text(out, result_table_text(table, row, column));
    return 0;
}

static int write_number(const struct result_table *table, size_t row, const char *name,
                        const char *sign, output_t *out, struct error *error)
{
    size_t column;
    double value;

    if (result_table_find(table, name, &column, error) < 0 ||
        result_table_number(table, row, column, &value, error) < 0)
        return -1;
    if (!isnan(value))
        output_format(out, "%s%.4g", sign, value);
    return 0;
}

static int write_mean(const struct result_table *table, size_t row, const char *measure,
                      output_t *out, struct error *error)
{
    char mean[64];
    char half[64];

    (void)snprintf(mean, sizeof(mean), "%s_mean", measure);
    (void)snprintf(half, sizeof(half), "%s_half", measure);
    output_text(out, "<td>");
    return write_number(table, row, mean, "", out, error) < 0
               ? -1
               : write_number(table, row, half, " ± ", out, error);
}

static int write_means_row(const struct swept *swept, size_t row, output_t *out,
                           struct error *error)
{
    const struct result_table *table = &swept->table;

    output_text(out, "<tr>");
    if (write_cell(table, row, swept->over, out, error) < 0 ||
        write_cell(table, row, "policy", out, error) < 0 ||
        write_cell(table, row, "seeds", out, error) < 0)
        return -1;
    for (size_t i = 0; i < MEASURES; i++)
        if (write_mean(table, row, measures[i].name, out, error) < 0)
            return -1;
    output_char(out, '\n');
    return 0;
}

static int write_differences_row(const struct swept *swept, size_t row, output_t *out,
                                 struct error *error)
{
    const struct result_table *table = &swept->table;
    size_t figure;
    size_t i = 0;

    if (result_table_find(table, "figure", &figure, error) < 0)
        return -1;
    while (i < MEASURES && strcmp(result_table_text(table, row, figure), measures[i].name) != 0)
        i++;
    if (i == MEASURES)
        return 0;
    output_text(out, "<tr>");
    if (write_cell(table, row, swept->over, out, error) < 0 ||
        write_cell(table, row, "policy", out, error) < 0 ||
        write_cell(table, row, "against", out, error) < 0 ||
        write_cell(table, row, "seeds", out, error) < 0)
        return -1;
    output_format(out, "<td>%s<td>", measures[i].title);
    if (write_number(table, row, "mean", "", out, error) < 0 ||
        write_number(table, row, "half", " ± ", out, error) < 0)
        return -1;
    output_text(out, "<td>");
    if (write_number(table, row, "t_p", "", out, error) < 0)
        return -1;
    output_text(out, "<td>");
    if (write_number(table, row, "wilcoxon_p", "", out, error) < 0)
        return -1;
    output_char(out, '\n');
    return 0;
}

/* ---- charts ---- */

/* Draws a chart of `measure`. If the results cannot be drawn, the page says why and still has its
 * tables. */
static int write_chart(const struct swept *swept, const char *measure, size_t first, output_t *out,
                       struct error *error)
{
    const struct chart_look look = {.width_pt = 420, .font = CHART_FONT};
    struct sweep_chart chart;
    int status = 0;

    if (sweep_chart_read(&chart, &swept->table, swept->over, measure, first, error) < 0) {
        output_text(out, "<p>No chart: ");
        write_text(out, error->text);
        output_text(out, "</p>\n");
    } else if (chart.chart.series_count > 0) {
        char *caption = sweep_chart_caption(&chart);

        output_text(out, "<figure>\n");
        status = chart_write(&chart.chart, &look, IMAGE_INLINE, out, error);
        output_text(out, "<figcaption>");
        write_text(out, caption);
        output_text(out, "</figcaption>\n</figure>\n");
        free(caption);
    }
    sweep_chart_free(&chart);
    return status;
}

static int write_charts(const struct swept *swept, size_t first, output_t *out, struct error *error)
{
    for (size_t i = 0; i < MEASURES; i++)
        if (write_chart(swept, measures[i].name, first, out, error) < 0)
            return -1;
    return 0;
}

/* ---- points ---- */

typedef int row_fn(const struct swept *swept, size_t row, output_t *out, struct error *error);

static int write_table(const struct swept *swept, size_t first, const char *header,
                       row_fn *write_row, output_t *out, struct error *error)
{
    output_format(out, "<table>\n<tr><th>%s%s\n", swept->over, header);
    for (size_t row = first; row < swept->table.row_count; row++)
        if (result_table_same_point(&swept->table, row, first, swept->column) &&
            write_row(swept, row, out, error) < 0)
            return -1;
    output_text(out, "</table>\n");
    return 0;
}

/* Writes a table for each point, and charts of the means. */
static int write_points(const struct swept *swept, const char *header, row_fn *write_row,
                        output_t *out, struct error *error)
{
    for (size_t first = 0; first < swept->table.row_count; first++) {
        char *point;

        if (!result_table_begins_point(&swept->table, first, swept->column))
            continue;
        point = result_table_point(&swept->table, first, swept->column);
        output_text(out, "<h3>");
        write_text(out, point);
        output_text(out, "</h3>\n");
        free(point);
        if (write_row == write_means_row && write_charts(swept, first, out, error) < 0)
            return -1;
        if (write_table(swept, first, header, write_row, out, error) < 0)
            return -1;
    }
    return 0;
}

static int write_means(const struct swept *means, output_t *out, struct error *error)
{
    char header[512] = "<th>policy<th>seeds";

    for (size_t i = 0; i < MEASURES; i++)
        (void)snprintf(header + strlen(header), sizeof(header) - strlen(header), "<th>%s",
                       measures[i].title);
    output_text(out, "<h2>Means</h2>\n<p>Means over the seeds ± half of the confidence interval "
                     "(Student's t), which one seed does not have. " MEANS " has all figures and "
                     "the confidence. Its promises of a policy that promises nothing are 0.</p>\n");
    return write_points(means, header, write_means_row, out, error);
}

static int write_differences(const struct swept *differences, output_t *out, struct error *error)
{
    output_text(out, "<h2>Differences</h2>\n");
    if (differences->table.row_count == 0) {
        output_text(out, "<p>There is one policy: nothing to compare.</p>\n");
        return 0;
    }
    output_text(out,
                "<p>Differences from the first policy on the same jobs, seed by seed: their mean ± "
                "half of its confidence interval, and p, of two sides, of the paired t test and of "
                "Wilcoxon's signed-rank test. The values of p are not corrected for the number of "
                "comparisons. " DIFFERENCES " has all figures.</p>\n");
    return write_points(differences,
                        "<th>policy<th>against<th>seeds<th>figure<th>difference<th>p "
                        "(t)<th>p (Wilcoxon)",
                        write_differences_row, out, error);
}

static int write_document(const char *folder, const struct swept *means,
                          const struct swept *differences, output_t *out, struct error *error)
{
    int status;

    output_text(out, DOCUMENT_MARK);
    output_text(out, before);
    output_text(out, "<h1>");
    write_text(out, folder);
    output_text(out, "</h1>\n");
    status = write_means(means, out, error);
    if (status == 0)
        status = write_differences(differences, out, error);
    output_text(out, "</html>\n");
    return status;
}

int sweep_document_write(const char *folder, output_t *out, struct error *error)
{
    struct swept means;
    struct swept differences;
    int status;

    if (result_table_open(&means.table, folder, MEANS, error) < 0)
        return -1;
    status = result_table_open(&differences.table, folder, DIFFERENCES, error);
    if (status == 0) {
        means.over = differences.over = result_table_varied(&means.table);
        status = result_table_find(&means.table, means.over, &means.column, error);
        if (status == 0)
            status = result_table_find(&differences.table, means.over, &differences.column, error);
        if (status == 0)
            status = write_document(folder, &means, &differences, out, error);
        result_table_close(&differences.table);
    }
    result_table_close(&means.table);
    return status;
}
