/* option_value.h - the value of an option: read from text, described, printed. */
#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads true, false, yes, no, 1 or 0; -1 for any other text. */
int option_parse_switch(const char *text, bool *value);

/* Reads the option's value from all of `text`, which must outlive the value; -1, and no change, if
 * `text` is no valid value. */
int option_parse_value(const struct option_spec *option, const char *text);

/* Gives `option` the value of `other`, an option of the same kind; texts of the value stay lent by
 * `other`. */
void option_assign(const struct option_spec *option, const struct option_spec *other);

/* Writes which values are valid: "a whole number from 1 to 5". */
void option_describe(const struct option_spec *option, char *text, size_t size);

/* Whether the option has a value to print; option_print_value: the value as option_parse_value
 * reads it. */
bool option_has_value(const struct option_spec *option);
void option_print_value(const struct option_spec *option, FILE *out);

#endif
