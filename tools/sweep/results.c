/* results.c - see results.h. */
#include "tools/sweep/results.h"

#include "common/memory.h"
#include "common/number.h"
#include "common/output.h"
#include "tools/statistics/paired.h"
#include "tools/statistics/student.h"

#include <assert.h>
#include <libsmartcols.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The means in the table for users: their names, titles and units, and the factor of the number
 * shown. */
static const struct {
    const char *name;
    const char *title;
    double factor;
    const char *unit;
} shown[] = {{"on_time", "ON TIME", 1, ""},
             {"jct_mean_s", "MEAN JCT", 1, " s"},
             {"gpu_utilisation", "GPU USE", 100, " %"}};

#define SHOWN (sizeof(shown) / sizeof(shown[0]))

struct results {
    const struct sweep_grid *grid;
    store_t *store;
    double confidence;
    size_t figure_count;
    output_t *cells;
    output_t *means;
    output_t *differences;
    struct libscols_table *table;

    /* The cells in hand, which differ in the seed alone. */
    struct field fields[GRID_FIELDS];
    char *texts[AXES];
    double *figures; /* all figures of each seed in turn, NaN for a missing figure */
    size_t seeds;

    /* Figures by number of the seed in the list, NaN for a missing figure: `against` has those of
     * the first policy, `paired` those of the present policy. */
    double *against;
    double *paired;
};

/* ---- headers ---- */

static void write_cells_header(const struct results *self)
{
    for (size_t i = 0; i < store_field_count(self->store); i++)
        output_format(self->cells, "%s%s", i > 0 ? "," : "", store_field_name(self->store, i));
    output_char(self->cells, '\n');
}

static void write_means_header(const struct results *self)
{
    for (size_t i = 0; i < GRID_KEY_FIELDS; i++)
        if (i != GRID_SEED_FIELD)
            output_format(self->means, "%s,", store_field_name(self->store, i));
    output_text(self->means, "seeds,confidence");
    for (size_t i = 0; i < self->figure_count; i++) {
        const char *name = store_field_name(self->store, GRID_FIELDS + i);

        if (!store_field_is_list(self->store, GRID_FIELDS + i))
            output_format(self->means, ",%s_mean,%s_half", name, name);
    }
    output_char(self->means, '\n');
}

static void write_differences_header(const struct results *self)
{
    for (size_t i = 0; i < GRID_KEY_FIELDS; i++)
        if (i != GRID_SEED_FIELD)
            output_format(self->differences, "%s,", store_field_name(self->store, i));
    output_text(self->differences, "against,figure,seeds,confidence,mean,half,t_p,wilcoxon_p\n");
}

/* Whether users see the field: the trace, the policy, a named cluster, and each axis with several
 * values. */
static bool is_shown(const struct sweep_grid *grid, size_t field)
{
    if (field == 0 || field == GRID_AXIS_FIELD + AXIS_POLICY)
        return true;
    if (field == 2 || field == GRID_SEED_FIELD)
        return false;
    return field == 1 ? grid->places[0].cluster != NULL
                      : grid->axes[field - GRID_AXIS_FIELD].count > 1;
}

static void add_columns(const struct results *self)
{
    for (size_t i = 0; i < GRID_AXIS_FIELD + AXES; i++)
        if (is_shown(self->grid, i)) {
            char title[64];

            (void)snprintf(title, sizeof(title), "%s", store_field_name(self->store, i));
            for (char *c = title; *c; c++)
                *c = (char)(*c == '_' ? ' ' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
            scols_table_new_column(self->table, title, 0, 0);
        }
    for (size_t i = 0; i < SHOWN; i++)
        scols_table_new_column(self->table, shown[i].title, 0, SCOLS_FL_RIGHT);
}

/* ---- means ---- */

/* The estimate of a figure over the seeds that have the figure; its mean is NaN if no seed has. */
static struct estimate estimate_of(const struct results *self, size_t figure)
{
    double *known = xcalloc(self->seeds, sizeof(*known));
    struct estimate estimate = {NAN, NAN};
    size_t count = 0;

    for (size_t i = 0; i < self->seeds; i++) {
        const double value = self->figures[i * self->figure_count + figure];

        if (!isnan(value))
            known[count++] = value;
    }
    if (count > 0)
        estimate = student_estimate(known, count, self->confidence);
    free(known);
    return estimate;
}

static void write_number(output_t *output, double value)
{
    char text[NUMBER_TEXT_BYTES];

    output_char(output, ',');
    if (!isnan(value))
        output_text(output, number_print_real(value, text));
}

static void write_means(const struct results *self)
{
    for (size_t i = 0; i < GRID_KEY_FIELDS; i++)
        if (i != GRID_SEED_FIELD) {
            field_write(&self->fields[i], self->means);
            output_char(self->means, ',');
        }
    output_format(self->means, "%zu", self->seeds);
    write_number(self->means, self->confidence);
    for (size_t i = 0; i < self->figure_count; i++) {
        const struct estimate estimate = estimate_of(self, i);

        if (store_field_is_list(self->store, GRID_FIELDS + i))
            continue;
        write_number(self->means, estimate.mean);
        write_number(self->means, estimate.half);
    }
    output_char(self->means, '\n');
}

/* ---- differences ---- */

/* Writes the difference of one figure, if some seed has the figure for both policies. */
static void write_difference(const struct results *self, size_t figure)
{
    const size_t seeds = self->grid->axes[AXIS_SEED].count;
    double *differences = xcalloc(seeds, sizeof(*differences));
    size_t count = 0;

    for (size_t i = 0; i < seeds; i++) {
        const size_t at = i * self->figure_count + figure;
        const double difference = self->paired[at] - self->against[at];

        if (!isnan(difference))
            differences[count++] = difference;
    }
    if (count > 0) {
        const struct estimate estimate = student_estimate(differences, count, self->confidence);
        const struct paired test = paired_test(differences, count);

        for (size_t i = 0; i < GRID_KEY_FIELDS; i++)
            if (i != GRID_SEED_FIELD) {
                field_write(&self->fields[i], self->differences);
                output_char(self->differences, ',');
            }
        output_format(self->differences, "%s,%s,%zu", self->grid->axes[AXIS_POLICY].values[0].text,
                      store_field_name(self->store, GRID_FIELDS + figure), count);
        write_number(self->differences, self->confidence);
        write_number(self->differences, estimate.mean);
        write_number(self->differences, estimate.half);
        write_number(self->differences, test.t_p);
        write_number(self->differences, test.wilcoxon_p);
        output_char(self->differences, '\n');
    }
    free(differences);
}

/* Writes the differences of the policy whose cells begin with `first`. Cells of the first policy
 * come before those of any other policy, and are remembered. */
static void write_differences(struct results *self, size_t first)
{
    const size_t seeds = self->grid->axes[AXIS_SEED].count;

    assert(seeds > 0);
    if (first / seeds % self->grid->axes[AXIS_POLICY].count == 0) {
        memcpy(self->against, self->paired, seeds * self->figure_count * sizeof(*self->against));
        return;
    }
    for (size_t i = 0; i < self->figure_count; i++)
        write_difference(self, i);
}

static void set_text(struct libscols_line *line, size_t column, const char *text)
{
    if (scols_line_set_data(line, column, text) != 0)
        memory_out();
}

static void show_figure(const struct results *self, struct libscols_line *line, size_t column,
                        size_t which)
{
    struct estimate estimate = {NAN, NAN};
    char text[128] = "-";
    size_t used = 0;

    for (size_t i = 0; i < self->figure_count; i++)
        if (!strcmp(store_field_name(self->store, GRID_FIELDS + i), shown[which].name))
            estimate = estimate_of(self, i);
    if (!isnan(estimate.mean))
        used = (size_t)snprintf(text, sizeof(text), "%.5g", shown[which].factor * estimate.mean);
    if (!isnan(estimate.half))
        used += (size_t)snprintf(text + used, sizeof(text) - used, " +- %.2g",
                                 shown[which].factor * estimate.half);
    if (used > 0)
        (void)snprintf(text + used, sizeof(text) - used, "%s", shown[which].unit);
    set_text(line, column, text);
}

static void show_means(const struct results *self)
{
    struct libscols_line *line = scols_table_new_line(self->table, NULL);
    size_t column = 0;

    for (size_t i = 0; i < GRID_AXIS_FIELD + AXES; i++) {
        const struct field *field = &self->fields[i];
        const char *text =
            field->kind == FIELD_TEXT ? field->text : self->texts[i - GRID_AXIS_FIELD];
        const char *slash = i < 2 ? strrchr(text, '/') : NULL;

        if (is_shown(self->grid, i))
            set_text(line, column++, slash ? slash + 1 : text);
    }
    for (size_t i = 0; i < SHOWN; i++)
        show_figure(self, line, column++, i);
}

/* ---- cells ---- */

static void write_cell(struct results *self, const struct field row[STORE_FIELDS_MAX])
{
    double *figures = &self->figures[self->seeds++ * self->figure_count];

    for (size_t i = 0; i < store_field_count(self->store); i++) {
        if (i > 0)
            output_char(self->cells, ',');
        field_write(&row[i], self->cells);
    }
    output_char(self->cells, '\n');
    for (size_t i = 0; i < self->figure_count; i++) {
        const struct field *field = &row[GRID_FIELDS + i];

        figures[i] = field->kind == FIELD_WHOLE  ? (double)field->whole
                     : field->kind == FIELD_REAL ? field->real
                                                 : NAN;
    }
}

static void free_texts(struct results *self)
{
    for (int i = 0; i < AXES; i++)
        free(self->texts[i]);
    memset(self->texts, 0, sizeof(self->texts));
}

/* Writes the cells from `first` on that differ in the seed alone. */
static int write_seeds(struct results *self, size_t first, struct error *error)
{
    self->seeds = 0;
    for (size_t i = 0; i < self->grid->axes[AXIS_SEED].count; i++) {
        struct field row[STORE_FIELDS_MAX];
        int found;

        free_texts(self);
        grid_fields(self->grid, first + i, self->fields, self->texts);
        found = store_find(self->store, self->fields, row, error);
        if (found < 0)
            return -1;
        for (size_t k = 0; k < self->figure_count; k++)
            self->paired[i * self->figure_count + k] = NAN;
        if (found > 0) {
            write_cell(self, row);
            memcpy(&self->paired[i * self->figure_count],
                   &self->figures[(self->seeds - 1) * self->figure_count],
                   self->figure_count * sizeof(*self->paired));
        }
    }
    write_differences(self, first);
    if (self->seeds > 0) {
        write_means(self);
        show_means(self);
    }
    return 0;
}

static output_t *open_file(const struct sweep_grid *grid, const char *name, struct error *error)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", grid->folder, name);
    return output_new(path, error);
}

static int commit(struct results *self, struct error *error)
{
    output_t *files[] = {self->cells, self->means, self->differences};

    self->cells = NULL;
    self->means = NULL;
    self->differences = NULL;
    return output_commit_all(files, sizeof(files) / sizeof(files[0]), error);
}

static int write_all(struct results *self, struct error *error)
{
    const size_t seeds = self->grid->axes[AXIS_SEED].count;

    self->cells = open_file(self->grid, RESULTS_CELLS, error);
    self->means = self->cells ? open_file(self->grid, RESULTS_MEANS, error) : NULL;
    self->differences = self->means ? open_file(self->grid, RESULTS_DIFFERENCES, error) : NULL;
    if (!self->differences)
        return -1;
    write_cells_header(self);
    write_differences_header(self);
    write_means_header(self);
    add_columns(self);
    for (size_t first = 0; first < self->grid->count; first += seeds)
        if (write_seeds(self, first, error) < 0)
            return -1;
    if (commit(self, error) < 0)
        return -1;
    scols_print_table(self->table);
    return 0;
}

int results_write(const struct sweep_grid *grid, store_t *store, double confidence,
                  struct error *error)
{
    struct results self = {.grid = grid,
                           .store = store,
                           .confidence = confidence,
                           .figure_count = store_field_count(store) - GRID_FIELDS,
                           .table = scols_new_table()};
    int result;

    if (!self.table)
        memory_out();
    self.figures = xcalloc(grid->axes[AXIS_SEED].count * self.figure_count, sizeof(*self.figures));
    self.against = xcalloc(grid->axes[AXIS_SEED].count * self.figure_count, sizeof(*self.against));
    self.paired = xcalloc(grid->axes[AXIS_SEED].count * self.figure_count, sizeof(*self.paired));
    result = write_all(&self, error);
    free_texts(&self);
    free(self.figures);
    free(self.against);
    free(self.paired);
    scols_unref_table(self.table);
    output_destroy(&self.cells);
    output_destroy(&self.means);
    output_destroy(&self.differences);
    return result;
}
