/* field.h - a value of a row, with its name. */
#ifndef SWEEP_FIELD_H
#define SWEEP_FIELD_H

#include "common/output.h"

#include <stdint.h>

enum field_kind { FIELD_NONE, FIELD_TEXT, FIELD_WHOLE, FIELD_REAL };

struct field {
    const char *name;
    enum field_kind kind;
    const char *text; /* lent */
    int64_t whole;
    double real;
};

static inline struct field field_text(const char *name, const char *text)
{
    return (struct field){.name = name, .kind = FIELD_TEXT, .text = text};
}

/* Writes the value as a cell of CSV; nothing for FIELD_NONE. */
void field_write(const struct field *self, output_t *output);

#endif
