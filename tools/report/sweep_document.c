/* sweep_document.c - see sweep_document.h. The numbers are those of means.csv and differences.csv,
 * rounded to four digits. */
#include "tools/report/sweep_document.h"

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
    "</style>\n";

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

static int write_means_row(const struct result_table *table, size_t row, output_t *out,
                           struct error *error)
{
    output_text(out, "<tr>");
    if (write_cell(table, row, "load", out, error) < 0 ||
        write_cell(table, row, "policy", out, error) < 0 ||
        write_cell(table, row, "seeds", out, error) < 0)
        return -1;
    for (size_t i = 0; i < MEASURES; i++)
        if (write_mean(table, row, measures[i].name, out, error) < 0)
            return -1;
    output_char(out, '\n');
    return 0;
}

static int write_differences_row(const struct result_table *table, size_t row, output_t *out,
                                 struct error *error)
{
    size_t figure;
    size_t i = 0;

    if (result_table_find(table, "figure", &figure, error) < 0)
        return -1;
    while (i < MEASURES && strcmp(result_table_text(table, row, figure), measures[i].name) != 0)
        i++;
    if (i == MEASURES)
        return 0;
    output_text(out, "<tr>");
    if (write_cell(table, row, "load", out, error) < 0 ||
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

typedef int row_fn(const struct result_table *table, size_t row, output_t *out,
                   struct error *error);

/* A table for each point, the loads of a point in one table. */
static int write_tables(const struct result_table *table, const char *header, row_fn *write_row,
                        output_t *out, struct error *error)
{
    size_t load;

    if (result_table_find(table, "load", &load, error) < 0)
        return -1;
    for (size_t first = 0; first < table->row_count; first++) {
        size_t before_it = 0;
        char *point;

        while (!result_table_same_point(table, before_it, first, load))
            before_it++;
        if (before_it < first)
            continue;
        point = result_table_point(table, first, load);
        output_text(out, "<h3>");
        write_text(out, point);
        output_format(out, "</h3>\n<table>\n<tr>%s\n", header);
        free(point);
        for (size_t row = first; row < table->row_count; row++)
            if (result_table_same_point(table, row, first, load) &&
                write_row(table, row, out, error) < 0)
                return -1;
        output_text(out, "</table>\n");
    }
    return 0;
}

static int write_means(const struct result_table *means, output_t *out, struct error *error)
{
    char header[512] = "<th>load<th>policy<th>seeds";

    for (size_t i = 0; i < MEASURES; i++)
        (void)snprintf(header + strlen(header), sizeof(header) - strlen(header), "<th>%s",
                       measures[i].title);
    output_text(out, "<h2>Means</h2>\n<p>Means over the seeds ± half of the confidence interval "
                     "(Student's t), which one seed does not have. " MEANS " has all figures and "
                     "the confidence. Its promises of a policy that promises nothing are 0.</p>\n");
    return write_tables(means, header, write_means_row, out, error);
}

static int write_differences(const struct result_table *table, output_t *out, struct error *error)
{
    output_text(out, "<h2>Differences</h2>\n");
    if (table->row_count == 0) {
        output_text(out, "<p>There is one policy: nothing to compare.</p>\n");
        return 0;
    }
    output_text(out,
                "<p>Differences from the first policy on the same jobs, seed by seed: their mean ± "
                "half of its confidence interval, and p, of two sides, of the paired t test and of "
                "Wilcoxon's signed-rank test. The values of p are not corrected for the number of "
                "comparisons. " DIFFERENCES " has all figures.</p>\n");
    return write_tables(table,
                        "<th>load<th>policy<th>against<th>seeds<th>figure<th>difference<th>p "
                        "(t)<th>p (Wilcoxon)",
                        write_differences_row, out, error);
}

int sweep_document_write(const char *folder, output_t *out, struct error *error)
{
    struct result_table means;
    struct result_table differences;
    int status;

    if (result_table_open(&means, folder, MEANS, error) < 0)
        return -1;
    status = result_table_open(&differences, folder, DIFFERENCES, error);
    if (status == 0) {
        output_text(out, DOCUMENT_MARK);
        output_text(out, before);
        output_text(out, "<h1>");
        write_text(out, folder);
        output_text(out, "</h1>\n");
        status = write_means(&means, out, error);
        if (status == 0)
            status = write_differences(&differences, out, error);
        output_text(out, "</html>\n");
        result_table_close(&differences);
    }
    result_table_close(&means);
    return status;
}
