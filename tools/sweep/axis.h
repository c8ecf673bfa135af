/* axis.h - one parameter of a sweep and its values, read from a list with commas. */
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include "common/error.h"
#include "common/options.h"

#include <stddef.h>
#include <stdint.h>

/* A value, by the kind of the axis. */
union axis_value {
    const char *text;
    int64_t whole;
    double real;
    struct option_range range;
};

struct axis {
    struct option_spec option; /* values are parsed as values of this option */
    const char *column;        /* column in the tables */
    const char *list;          /* values separated by commas, NULL for the default value alone */
    union axis_value usual;

    union axis_value *values;
    size_t count;
    char *texts; /* memory of those values that are texts */
};

/* Fills in the values. Returns -1, with `error` about the option, for an invalid or repeated value
 * or an empty list. */
int axis_read(struct axis *self, struct error *error);
void axis_clear(struct axis *self);

/* The value as a user would write it, for messages and tables; the caller frees it. */
char *axis_text(const struct axis *self, size_t index);

#endif
