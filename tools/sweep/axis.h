/* axis.h - one parameter of a sweep and the values that it goes through, of a list with commas. */
#ifndef SWEEP_AXIS_H
#define SWEEP_AXIS_H

#include "common/error.h"
#include "common/options.h"

#include <stddef.h>
#include <stdint.h>

/* As the kind of the axis has it. */
union axis_value {
    const char *text;
    int64_t whole;
    double real;
    struct option_range range;
};

struct axis {
    struct option_spec option; /* a value is read as that of such an option */
    const char *column;        /* of the tables */
    const char *list;          /* with commas, NULL for the one value that it has anyhow */
    union axis_value usual;

    union axis_value *values;
    size_t count;
    char *texts; /* what values that are texts lend */
};

/* Fills in the values. -1, with `error` about the option, for one that makes no sense or stands
 * there twice, and for an empty list. */
int axis_read(struct axis *self, struct error *error);
void axis_clear(struct axis *self);

/* The value as a user would write it, for messages and tables; the caller frees it. */
char *axis_text(const struct axis *self, size_t index);

#endif
