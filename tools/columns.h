/* columns.h - the columns of a comparison of finished simulations: names, and the value for users,
 * in CSV and in JSON. */
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

/* Whether a table has columns beside the figures of a simulation. */
struct extras {
    bool reference; /* expected counts */
    bool bound;

    /* Whether simulations of the table differ in these. */
    bool cluster;
    bool slot;
    bool gpu_type;
    bool values; /* a trace has jobs of another value than 1, or soft deadlines */
};

/* The usual columns of a table, of CSV, or all columns; columns about absent extras are left
 * out. */
struct columns columns_usual(const struct extras *extras);
struct columns columns_all(const struct extras *extras);

/* The keys that --columns accepts, "all" first; ended with NULL. */
const char *const *columns_keys(void);

/* The columns of a list of keys with commas between them, or "all". -1, with `error` about
 * --columns, for a key that does not exist, is listed twice or is about absent extras.
 */
int columns_choose(const char *list, const struct extras *extras, struct columns *columns,
                   struct error *error);

const char *column_key(const struct column *self);   /* key in CSV and JSON */
const char *column_title(const struct column *self); /* title in the table */
bool column_is_text(const struct column *self);
bool column_is_list(const struct column *self); /* the value is a list of numbers */

/* Writes the value of `cell`: for users short and with its unit, for CSV with all digits. */
void column_print(const struct column *self, const struct comparison *comparison,
                  const struct cell *cell, bool for_users, char *text, size_t size);

/* The value of `cell` as JSON; the caller owns it. */
json_t *column_json(const struct column *self, const struct comparison *comparison,
                    const struct cell *cell);

#endif
