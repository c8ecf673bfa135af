/* comparison.c - see comparison.h. */
#include "tools/comparison.h"

#include "common/json_text.h"

#include "common/memory.h"
#include "tools/footnotes.h"

#include <inttypes.h>
#include <jansson.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1

void comparison_print_table(const struct comparison *comparison)
{
    const struct columns *columns = &comparison->columns;
    struct libscols_table *table = scols_new_table();

    if (!table)
        memory_out();
    for (size_t k = 0; k < columns->count; k++)
        scols_table_new_column(table, column_title(columns->items[k]), 0,
                               column_is_text(columns->items[k]) ? 0 : SCOLS_FL_RIGHT);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *cell = &comparison->cells[i];
        struct libscols_line *line;

        if (cell->state != CELL_DONE)
            continue;
        line = scols_table_new_line(table, NULL);
        for (size_t k = 0; k < columns->count; k++) {
            const bool is_noted = !strcmp(column_key(columns->items[k]), "policy") &&
                                  footnotes_counts_others(comparison, cell);
            char text[4096];
            size_t length;

            column_print(columns->items[k], comparison, cell, true, text, sizeof(text));
            length = strlen(text);
            (void)snprintf(text + length, sizeof(text) - length, "%s", is_noted ? " *" : "");
            if (scols_line_set_data(line, k, text) != 0)
                memory_out();
        }
    }
    scols_print_table(table);
    scols_unref_table(table);
    footnotes_print(comparison, stdout);
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
    for (size_t k = 0; k < comparison->columns.count; k++) {
        const struct column *column = comparison->columns.items[k];
        char text[4096];

        if (cell)
            column_print(column, comparison, cell, false, text, sizeof(text));
        if (k > 0)
            (void)putchar(',');
        print_csv_text(cell ? text : column_key(column));
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
    json_t *row = json_object();

    for (size_t k = 0; k < comparison->columns.count; k++) {
        const struct column *column = comparison->columns.items[k];

        json_object_set_new(row, column_key(column), column_json(column, comparison, cell));
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
    (void)json_print(all);
    json_decref(all);
}
