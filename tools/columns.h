/* columns.h - what can be said of a simulation that is done, a column each: what it is called, and
 * how its value is printed for users, in CSV and in JSON. */
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

/* The columns that are printed, in this order. */
struct columns {
    size_t count;
    const struct column *items[COLUMNS_MAX];
};

/* The columns that a table has beside the figures of a simulation. */
struct extras {
    bool reference; /* counts that are expected */
    bool bound;

    /* Of a table, where simulations differ in them. */
    bool cluster;
    bool slot;
    bool gpu_type;
    bool values; /* some trace has jobs that are not worth 1, or soft deadlines */
};

/* The columns of a table or of CSV, or all; without columns about extras that there are not. */
struct columns columns_usual(const struct extras *extras);
struct columns columns_all(const struct extras *extras);

/* The keys that a list may have, "all" first; ended with NULL. */
const char *const *columns_keys(void);

/* The columns of a list of keys with commas between them, or "all". -1, with `error` about
 * --columns, for a key that does not exist, is listed twice or is about extras that there are not.
 */
int columns_choose(const char *list, const struct extras *extras, struct columns *columns,
                   struct error *error);

const char *column_key(const struct column *self);   /* of CSV and JSON */
const char *column_title(const struct column *self); /* of the table */
bool column_is_text(const struct column *self);
bool column_is_list(const struct column *self); /* of numbers */

/* Writes the value of `cell`, a short one with its unit for users, one of all digits for CSV. */
void column_print(const struct column *self, const struct comparison *comparison,
                  const struct cell *cell, bool for_users, char *text, size_t size);

/* The same for JSON; the caller owns it. */
json_t *column_json(const struct column *self, const struct comparison *comparison,
                    const struct cell *cell);

#endif
