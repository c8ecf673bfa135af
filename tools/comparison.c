/* comparison.c - see comparison.h. */
#include "tools/comparison.h"

#include <inttypes.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

enum column {
    COLUMN_TRACE,
    COLUMN_POLICY,
    COLUMN_ACCEPTED,
    COLUMN_DECLINED,
    COLUMN_EXPECTED,
    COLUMN_SATISFACTION,
    COLUMN_JCT_MEAN,
    COLUMN_JCT_P99,
    COLUMN_UTILISATION,
    COLUMN_WALL,
    COLUMN_COUNT
};

static const struct {
    const char *title; /* of the table */
    const char *key;   /* of CSV */
} titles[COLUMN_COUNT] = {
    [COLUMN_TRACE] = {"TRACE", "trace"},
    [COLUMN_POLICY] = {"POLICY", "policy"},
    [COLUMN_ACCEPTED] = {"ACCEPTED", "accepted"},
    [COLUMN_DECLINED] = {"DECLINED", "declined"},
    [COLUMN_EXPECTED] = {"REFERENCE", "reference"},
    [COLUMN_SATISFACTION] = {"SATISFIED", "deadline_satisfaction"},
    [COLUMN_JCT_MEAN] = {"MEAN JCT", "jct_mean_s"},
    [COLUMN_JCT_P99] = {"P99 JCT", "jct_p99_s"},
    [COLUMN_UTILISATION] = {"GPU USE", "gpu_utilisation"},
    [COLUMN_WALL] = {"WALL", "wall_s"},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool comparison_agrees(const struct comparison *comparison, const struct cell *cell, char *text,
                       size_t size)
{
    int64_t accepted;
    int64_t declined;

    (void)snprintf(text, size, "-");
    if (!comparison->expected || expected_find(comparison->expected, cell->simulation.trace,
                                               cell->simulation.policy, &accepted, &declined) < 0)
        return true;
    (void)snprintf(text, size, "%" PRId64 "/%" PRId64, accepted, declined);
    return accepted == cell->figures.accepted && declined == cell->figures.declined;
}

static void format_cell(const struct comparison *comparison, const struct cell *cell,
                        enum column column, bool for_people, char *text, size_t size)
{
    const struct figures *figures = &cell->figures;

    switch (column) {
    case COLUMN_TRACE:
        (void)snprintf(text, size, "%s",
                       for_people ? base_name(cell->simulation.trace) : cell->simulation.trace);
        break;
    case COLUMN_POLICY:
        (void)snprintf(text, size, "%s", cell->simulation.policy);
        break;
    case COLUMN_ACCEPTED:
        (void)snprintf(text, size, "%" PRId64, figures->accepted);
        break;
    case COLUMN_DECLINED:
        (void)snprintf(text, size, "%" PRId64, figures->declined);
        break;
    case COLUMN_EXPECTED:
        (void)comparison_agrees(comparison, cell, text, size);
        break;
    case COLUMN_SATISFACTION:
        (void)(for_people ? snprintf(text, size, "%.1f %%", 100 * figures->deadline_satisfaction)
                          : snprintf(text, size, "%.17g", figures->deadline_satisfaction));
        break;
    case COLUMN_JCT_MEAN:
        (void)snprintf(text, size, for_people ? "%.0f s" : "%.17g", figures->jct_mean_s);
        break;
    case COLUMN_JCT_P99:
        (void)snprintf(text, size, for_people ? "%.0f s" : "%.17g", figures->jct_p99_s);
        break;
    case COLUMN_UTILISATION:
        (void)(for_people ? snprintf(text, size, "%.1f %%", 100 * figures->gpu_utilisation)
                          : snprintf(text, size, "%.17g", figures->gpu_utilisation));
        break;
    case COLUMN_WALL:
        (void)snprintf(text, size, for_people ? "%.3f s" : "%.6f", cell->process_s);
        break;
    case COLUMN_COUNT:
        break;
    }
}

static bool is_shown(const struct comparison *comparison, enum column column)
{
    return column != COLUMN_EXPECTED || comparison->expected;
}

void comparison_print_table(const struct comparison *comparison)
{
    struct libscols_table *table = scols_new_table();

    if (!table)
        abort();
    for (enum column column = 0; column < COLUMN_COUNT; column++)
        if (is_shown(comparison, column))
            scols_table_new_column(table, titles[column].title, 0,
                                   column > COLUMN_POLICY ? SCOLS_FL_RIGHT : 0);
    for (size_t i = 0; i < comparison->count; i++) {
        struct libscols_line *line;
        size_t place = 0;

        if (comparison->cells[i].state != CELL_DONE)
            continue;
        line = scols_table_new_line(table, NULL);
        for (enum column column = 0; column < COLUMN_COUNT; column++) {
            char text[4096];

            if (!is_shown(comparison, column))
                continue;
            format_cell(comparison, &comparison->cells[i], column, true, text, sizeof(text));
            if (scols_line_set_data(line, place++, text) != 0)
                abort();
        }
    }
    scols_print_table(table);
    scols_unref_table(table);
}

static void print_csv_text(const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        (void)fputs(text, stdout);
        return;
    }
    (void)putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            (void)putchar('"');
        (void)putchar(*text);
    }
    (void)putchar('"');
}

static void print_csv_row(const struct comparison *comparison, const struct cell *cell)
{
    for (enum column column = 0; column < COLUMN_COUNT; column++) {
        char text[4096];

        if (!is_shown(comparison, column))
            continue;
        if (cell)
            format_cell(comparison, cell, column, false, text, sizeof(text));
        if (column != COLUMN_TRACE)
            (void)putchar(',');
        print_csv_text(cell ? text : titles[column].key);
    }
    (void)putchar('\n');
}

void comparison_print_csv(const struct comparison *comparison)
{
    print_csv_row(comparison, NULL);
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->cells[i].state == CELL_DONE)
            print_csv_row(comparison, &comparison->cells[i]);
}

static json_t *json_row(const struct comparison *comparison, const struct cell *cell)
{
    const struct figures *figures = &cell->figures;
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:s?, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:f, s:I}",
        "trace", cell->simulation.trace, "policy", cell->simulation.policy, "rules",
        cell->simulation.rules, "cluster", cell->simulation.cluster, "jobs",
        (json_int_t)figures->jobs, "accepted", (json_int_t)figures->accepted, "declined",
        (json_int_t)figures->declined, "finished", (json_int_t)figures->finished,
        "deadline_satisfaction", figures->deadline_satisfaction, "jct_mean_s", figures->jct_mean_s,
        "jct_p99_s", figures->jct_p99_s, "gpu_utilisation", figures->gpu_utilisation, "makespan_s",
        (json_int_t)figures->makespan_s, "rounds", (json_int_t)figures->rounds, "wall_s",
        cell->process_s, "memory_kib", (json_int_t)cell->memory_kib);
    char expected[64];

    if (comparison->expected && row) {
        json_object_set_new(
            row, "agrees",
            json_boolean(comparison_agrees(comparison, cell, expected, sizeof(expected))));
        json_object_set_new(row, "reference", json_string(expected));
    }
    return row;
}

void comparison_print_json(const struct comparison *comparison)
{
    json_t *rows = json_array();
    json_t *all = json_pack("{s:i, s:o}", "schema_version", SCHEMA_VERSION, "rows", rows);

    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->cells[i].state == CELL_DONE)
            json_array_append_new(rows, json_row(comparison, &comparison->cells[i]));
    (void)json_dumpf(all, stdout, JSON_INDENT(2));
    (void)putchar('\n');
    json_decref(all);
}
