/* columns.c - see columns.h. */
#include "tools/columns.h"

#include "common/memory.h"
#include "common/number.h"
#include "scheduler/policies/policy.h"
#include "scheduler/report/figures_json.h"
#include "scheduler/report/run_figures.h"
#include "tools/cells.h"
#include "tools/comparison.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The types of values. */
enum value {
    VALUE_FILE,      /* const char *, NULL for none; the table shows the name without the folder */
    VALUE_TEXT,      /* const char * */
    VALUE_NAME,      /* char [] */
    VALUE_WHOLE,     /* int64_t */
    VALUE_CLOCK,     /* double, seconds of a clock, of which six decimals are significant */
    VALUE_FIGURE,    /* a figure of each run */
    VALUE_OWN,       /* a figure that only some policies have */
    VALUE_REFERENCE, /* the expected counts */
    VALUE_AGREEMENT, /* whether the run has the expected counts */
};

struct column {
    const char *key;
    const char *title;
    enum value value;
    size_t offset;    /* offset of the value in a cell */
    const char *unit; /* unit in the table, with a blank before it; NULL for none */

    const struct figure *figure; /* NULL unless the value is a figure */
    const struct run_figure *of_run;
};

#define CELL(member) offsetof(struct cell, member)

/* The columns that show no figure. */
static const struct column fixed[] = {
    {"trace", "TRACE", VALUE_FILE, CELL(simulation.trace), NULL, NULL, NULL},
    {"policy", "POLICY", VALUE_TEXT, CELL(simulation.policy), NULL, NULL, NULL},
    {"rules", "RULES", VALUE_TEXT, CELL(simulation.rules), NULL, NULL, NULL},
    {"cluster", "CLUSTER", VALUE_FILE, CELL(simulation.cluster), NULL, NULL, NULL},
    {"slot_s", "SLOT", VALUE_WHOLE, CELL(simulation.slot_s), " s", NULL, NULL},
    {"gpu_type", "GPU", VALUE_NAME, CELL(gpu_type), NULL, NULL, NULL},
    {"jobs", "JOBS", VALUE_WHOLE, CELL(figures.jobs), NULL, NULL, NULL},
    {"deadline_jobs", "WITH DEADLINE", VALUE_WHOLE, CELL(figures.deadline_jobs), NULL, NULL, NULL},
    {"wall_s", "WALL", VALUE_CLOCK, CELL(process_s), " s", NULL, NULL},
    {"memory_kib", "MEMORY", VALUE_WHOLE, CELL(memory_kib), " KiB", NULL, NULL},
    {"agrees", "AGREES", VALUE_AGREEMENT, 0, NULL, NULL, NULL},
    {"reference", "REFERENCE", VALUE_REFERENCE, 0, NULL, NULL, NULL},
};

/* The keys in the order of JSON. "*" stands for all figures that only some policies have. */
static const char *const order[] = {
    "trace",
    "policy",
    "rules",
    "cluster",
    "slot_s",
    "gpu_type",
    "jobs",
    "deadline_jobs",
    "on_time",
    "bound",
    "bound_gap",
    "bound_with_overheads",
    "bound_with_overheads_gap",
    "value_bound",
    "value_bound_gap",
    "value_bound_with_overheads",
    "value_bound_with_overheads_gap",
    "promised",
    "promised_at_arrival",
    "promised_later",
    "withdrawn",
    "broken",
    "best_effort_on_time",
    "value_on_time",
    "gpu_hours_on_time",
    "accepted",
    "declined",
    "finished",
    "deadline_satisfaction",
    "jct_mean_s",
    "jct_p99_s",
    "gpu_utilisation",
    "makespan_s",
    "rounds",
    "wall_s",
    "memory_kib",
    "preemptions",
    "migrations",
    "resizes",
    "queueing_delay_mean_s",
    "queueing_delay_p99_s",
    "finish_time_fairness_jobs",
    "finish_time_fairness_mean",
    "finish_time_fairness_p99",
    "finish_time_fairness_max",
    "fair_share",
    "attained_service_gpu_s",
    "demotions",
    "*",
    "agrees",
    "reference",
};

/* All columns. A user can choose all of them at the same time. */
static struct column table[COLUMNS_MAX];
static size_t table_count;

static const struct column *find(const char *key, size_t length)
{
    for (size_t i = 0; i < table_count; i++)
        if (strlen(table[i].key) == length && !strncmp(table[i].key, key, length))
            return &table[i];
    return NULL;
}

static void add_column(const struct column *column)
{
    assert(table_count < COLUMNS_MAX);
    table[table_count++] = *column;
}

/* The key of a figure in capitals. The text is never freed, because the table lasts as long as the
 * process. */
static const char *title_of(const struct figure *figure)
{
    char *title = xstrdup(figure->key);

    for (char *c = title; *c; c++)
        *c = (char)(*c == '_' ? ' ' : toupper((unsigned char)*c));
    return title;
}

static const char *column_title_of(const struct figure *figure)
{
    return figure->title ? figure->title : title_of(figure);
}

/* Adds a column for a figure of a policy, unless the table has one with the same key. */
static void add_own(const struct figure *figure)
{
    if (figure->no_column || find(figure->key, strlen(figure->key)) ||
        (figure->kind != FIGURE_KIND_WHOLE && figure->kind != FIGURE_KIND_REAL))
        return;
    add_column(&(struct column){.key = figure->key,
                                .title = column_title_of(figure),
                                .value = VALUE_OWN,
                                .figure = figure});
}

static void add_all_own(void)
{
    const struct policy *policy;

    for (size_t i = 0; (policy = policy_at(i)); i++)
        for (const struct figure *item = policy->figures ? policy->figures->items : NULL;
             item && item->kind != FIGURE_KIND_END; item++)
            add_own(item);
}

static void add_figure(const char *key)
{
    const struct run_figure *item = run_figures;

    while (item->part != PART_END && strcmp(item->figure.key, key) != 0)
        item++;
    assert(item->part != PART_END);
    add_column(&(struct column){.key = key,
                                .title = column_title_of(&item->figure),
                                .value = VALUE_FIGURE,
                                .figure = &item->figure,
                                .of_run = item});
}

static void add_key(const char *key)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (!strcmp(fixed[i].key, key)) {
            add_column(&fixed[i]);
            return;
        }
    add_figure(key);
}

static void make_table(void)
{
    if (table_count > 0)
        return;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
        if (!strcmp(order[i], "*"))
            add_all_own();
        else
            add_key(order[i]);
}

static const char usual[] =
    "trace,cluster,slot_s,gpu_type,policy,on_time,bound,value_on_time,value_bound,"
    "promised,broken,"
    "best_effort_on_time,accepted,"
    "declined,reference,jct_mean_s,jct_p99_s,gpu_utilisation,wall_s";

/* The option without which the column is empty; NULL if the column needs none or the option was
 * given. */
static const char *missing(const struct column *column, const struct extras *extras)
{
    if (column->value == VALUE_REFERENCE || column->value == VALUE_AGREEMENT)
        return extras->reference ? NULL : "the counts of --reference";
    if (column->of_run &&
        (column->of_run->part == PART_BOUNDS || column->of_run->part == PART_VALUE_BOUNDS))
        return extras->bound ? NULL : "--bound";
    return NULL;
}

struct columns columns_all(const struct extras *extras)
{
    struct columns columns = {.count = 0};

    make_table();
    for (size_t i = 0; i < table_count; i++)
        if (!missing(&table[i], extras))
            columns.items[columns.count++] = &table[i];
    return columns;
}

/* Whether the column has the same value, or none, for all simulations, so that the usual columns
 * leave it out. */
static bool is_same(const struct column *column, const struct extras *extras)
{
    return (!extras->cluster && !strcmp(column->key, "cluster")) ||
           (!extras->slot && !strcmp(column->key, "slot_s")) ||
           (!extras->gpu_type && !strcmp(column->key, "gpu_type")) ||
           (!extras->values &&
            (!strcmp(column->key, "value_on_time") || !strcmp(column->key, "value_bound")));
}

struct columns columns_usual(const struct extras *extras)
{
    struct columns columns = {.count = 0};

    make_table();
    for (const char *key = usual; *key;) {
        const size_t length = strcspn(key, ",");
        const struct column *column = find(key, length);

        assert(column);
        if (!missing(column, extras) && !is_same(column, extras))
            columns.items[columns.count++] = column;
        key += length + (key[length] != '\0');
    }
    return columns;
}

const char *const *columns_keys(void)
{
    static const char *keys[COLUMNS_MAX + 2] = {"all"};

    make_table();
    for (size_t i = 0; i < table_count; i++)
        keys[i + 1] = table[i].key;
    return keys;
}

static int complain_unknown(const char *key, size_t length, struct error *error)
{
    char keys[1100] = "";
    size_t used = 0;

    for (size_t i = 0; i < table_count && used < sizeof(keys); i++)
        used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s", i > 0 ? ", " : "",
                                 table[i].key);
    return error_set(error, "--columns: there is no column \"%.*s\", only %s", (int)length, key,
                     keys);
}

static int add(struct columns *columns, const struct column *column, const struct extras *extras,
               struct error *error)
{
    const char *needed = missing(column, extras);

    if (needed)
        return error_set(error, "--columns: %s needs %s", column->key, needed);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i] == column)
            return error_set(error, "--columns: \"%s\" is listed twice", column->key);
    columns->items[columns->count++] = column;
    return 0;
}

int columns_choose(const char *list, const struct extras *extras, struct columns *columns,
                   struct error *error)
{
    make_table();
    columns->count = 0;
    if (!strcmp(list, "all")) {
        *columns = columns_all(extras);
        return 0;
    }
    for (const char *key = list;; key++) {
        const size_t length = strcspn(key, ",");
        const struct column *column = find(key, length);

        if (!column)
            return complain_unknown(key, length, error);
        if (add(columns, column, extras, error) < 0)
            return -1;
        key += length;
        if (*key == '\0')
            return 0;
    }
}

const char *column_key(const struct column *self)
{
    return self->key;
}

const char *column_title(const struct column *self)
{
    return self->title;
}

bool column_is_list(const struct column *self)
{
    return self->figure && self->figure->kind == FIGURE_KIND_LIST;
}

bool column_is_text(const struct column *self)
{
    return self->value == VALUE_FILE || self->value == VALUE_TEXT || self->value == VALUE_NAME;
}

static const void *value_in(const struct column *self, const struct cell *cell)
{
    return (const char *)cell + self->offset;
}

static const char *text_in(const struct column *self, const struct cell *cell)
{
    return *(const char *const *)value_in(self, cell);
}

static int64_t whole_in(const struct column *self, const struct cell *cell)
{
    return *(const int64_t *)value_in(self, cell);
}

static double real_in(const struct column *self, const struct cell *cell)
{
    return *(const double *)value_in(self, cell);
}

/* The figure with the column's key among those of the cell's policy, NULL if there is none. */
static const struct figure *own_in(const struct column *self, const struct cell *cell)
{
    const struct policy_figures *own = cell->figures.own.table;

    for (const struct figure *item = own ? own->items : NULL; item && item->kind; item++)
        if (!strcmp(item->key, self->key) && item->kind == self->figure->kind)
            return item;
    return NULL;
}

/* The figure of the column, with the struct of its value in `*values`. NULL if the cell has no such
 * figure. */
static const struct figure *figure_of(const struct column *self, const struct cell *cell,
                                      const void **values)
{
    if (self->value == VALUE_OWN) {
        *values = cell->figures.own.values;
        return own_in(self, cell);
    }
    *values = &cell->figures;
    return run_figures_have(&cell->figures, self->of_run->part) ? self->figure : NULL;
}

static bool figure_is_known(const struct column *self, const struct cell *cell)
{
    const void *values;
    const struct figure *figure = figure_of(self, cell, &values);
    char text[NUMBER_TEXT_BYTES];

    return figure && figure_text(figure, values, text, sizeof(text));
}

static bool is_real(const struct figure *figure)
{
    return figure->kind == FIGURE_KIND_REAL || figure->kind == FIGURE_KIND_TENTHS;
}

/* Prints a figure with its unit, as the table shows it: a real number with the table's decimals, a
 * share in per cent. */
static void print_figure_for_users(const struct figure *figure, const void *values, char *text,
                                   size_t size)
{
    const char *const blank = figure->unit ? " " : "";
    const char *const unit = figure->unit ? figure->unit : "";
    size_t used;

    if (is_real(figure)) {
        (void)snprintf(text, size, "%.*f%s%s", figure->decimals,
                       (figure->share ? 100 : 1) * figure_real(figure, values), blank, unit);
        return;
    }
    (void)figure_text(figure, values, text, size);
    used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%s", blank, unit);
}

static void print_figure(const struct column *self, const struct cell *cell, bool for_users,
                         char *text, size_t size)
{
    const void *values;
    const struct figure *figure = figure_of(self, cell, &values);

    if (!for_users)
        (void)figure_text(figure, values, text, size);
    else if (self->of_run && self->of_run->of_promises && !cell->figures.outcomes.promises)
        (void)snprintf(text, size, "none");
    else
        print_figure_for_users(figure, values, text, size);
}

static json_t *column_figure_json(const struct column *self, const struct cell *cell)
{
    const void *values;
    const struct figure *figure = figure_of(self, cell, &values);

    return figure_json(figure, values);
}

/* Whether the value is known. The table shows "-" for an unknown value, JSON has null and CSV an
 * empty cell. */
static bool is_known(const struct column *self, const struct cell *cell)
{
    if (self->figure)
        return figure_is_known(self, cell);
    return self->value != VALUE_FILE || text_in(self, cell) != NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void print_for_users(const struct column *self, const struct comparison *comparison,
                            const struct cell *cell, char *text, size_t size)
{
    const char *unit = self->unit ? self->unit : "";
    bool agrees;

    switch (self->value) {
    case VALUE_FILE:
        (void)snprintf(text, size, "%s", base_name(text_in(self, cell)));
        break;
    case VALUE_TEXT:
        (void)snprintf(text, size, "%s", text_in(self, cell));
        break;
    case VALUE_NAME:
        (void)snprintf(text, size, "%s", (const char *)value_in(self, cell));
        break;
    case VALUE_WHOLE:
        (void)snprintf(text, size, "%" PRId64 "%s", whole_in(self, cell), unit);
        break;
    case VALUE_FIGURE:
    case VALUE_OWN:
        print_figure(self, cell, true, text, size);
        break;
    case VALUE_CLOCK:
        (void)snprintf(text, size, "%.3f%s", real_in(self, cell), unit);
        break;
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, text, size);
        break;
    case VALUE_AGREEMENT:
        agrees = expected_agrees(comparison->expected, cell, text, size);
        (void)snprintf(text, size, "%s", agrees ? "yes" : "no");
        break;
    }
}

static void print_for_csv(const struct column *self, const struct comparison *comparison,
                          const struct cell *cell, char *text, size_t size)
{
    bool agrees;

    switch (self->value) {
    case VALUE_FILE:
    case VALUE_TEXT:
        (void)snprintf(text, size, "%s", text_in(self, cell));
        break;
    case VALUE_NAME:
        (void)snprintf(text, size, "%s", (const char *)value_in(self, cell));
        break;
    case VALUE_WHOLE:
        (void)snprintf(text, size, "%" PRId64, whole_in(self, cell));
        break;
    case VALUE_FIGURE:
    case VALUE_OWN:
        print_figure(self, cell, false, text, size);
        break;
    case VALUE_CLOCK:
        (void)snprintf(text, size, "%.6f", real_in(self, cell));
        break;
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, text, size);
        break;
    case VALUE_AGREEMENT:
        agrees = expected_agrees(comparison->expected, cell, text, size);
        (void)snprintf(text, size, "%s", agrees ? "true" : "false");
        break;
    }
}

void column_print(const struct column *self, const struct comparison *comparison,
                  const struct cell *cell, bool for_users, char *text, size_t size)
{
    if (!is_known(self, cell))
        (void)snprintf(text, size, "%s", for_users ? "-" : "");
    else
        (for_users ? print_for_users : print_for_csv)(self, comparison, cell, text, size);
}

json_t *column_json(const struct column *self, const struct comparison *comparison,
                    const struct cell *cell)
{
    char counts[64];

    if (!is_known(self, cell))
        return json_null();
    switch (self->value) {
    case VALUE_FILE:
    case VALUE_TEXT:
        return json_string(text_in(self, cell));
    case VALUE_NAME:
        return json_string(value_in(self, cell));
    case VALUE_WHOLE:
        return json_integer(whole_in(self, cell));
    case VALUE_CLOCK:
        return json_real(real_in(self, cell));
    case VALUE_FIGURE:
    case VALUE_OWN:
        return column_figure_json(self, cell);
    case VALUE_AGREEMENT:
        return json_boolean(expected_agrees(comparison->expected, cell, counts, sizeof(counts)));
    case VALUE_REFERENCE:
        (void)expected_agrees(comparison->expected, cell, counts, sizeof(counts));
        return json_string(counts);
    }
    return NULL;
}
