/* columns.h - the columns of a comparison of finished simulations: their names, and their values in
 * the table, in CSV and in JSON. */
#ifndef TOOLS_COLUMNS_H
#define TOOLS_COLUMNS_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define COLUMNS_MAX 96

struct cell;
struct comparison;
struct column;

/* The columns to print, in this order. */
struct columns {
    size_t count;
    const struct column *items[COLUMNS_MAX];
};

/* The columns that a table has beside the figures of a simulation. */
struct extras {
    bool reference; /* expected counts */
    bool bound;

    /* Whether the simulations of the table differ in the cluster, the slot or the GPU type. */
    bool cluster;
    bool slot;
    bool gpu_type;
    bool values; /* a trace has soft deadlines, or jobs of another value than 1 */
};

/* The usual columns of the table and of CSV, and all columns. Columns of extras that are absent are
 * left out. */
struct columns columns_usual(const struct extras *extras);
struct columns columns_all(const struct extras *extras);

/* The keys that --columns accepts, "all" first, ended by NULL. */
const char *const *columns_keys(void);

/* The columns of a list of keys with commas between them, or of "all". -1, with `error` about
 * --columns, if a key does not exist, is listed twice or belongs to an absent extra. */
int columns_choose(const char *list, const struct extras *extras, struct columns *columns,
                   struct error *error);

const char *column_key(const struct column *self);   /* key in CSV and JSON */
const char *column_title(const struct column *self); /* title in the table */
bool column_is_text(const struct column *self);
bool column_is_list(const struct column *self); /* the value is a list of numbers */

/* Writes the value of `cell`: short and with its unit if `for_users`, else with all digits, as CSV
 * has the value. */
void column_print(const struct column *self, const struct comparison *comparison,
                  const struct cell *cell, bool for_users, char *text, size_t size);

/* The value of `cell` as JSON. The caller owns it. */
json_t *column_json(const struct column *self, const struct comparison *comparison,
                    const struct cell *cell);

#endif
