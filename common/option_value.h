/* option_value.h - the value of an option: read from text, described, printed. */
#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

#include "common/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads true, false, yes, no, 1 or 0; -1 if it is none of them. */
int option_parse_switch(const char *text, bool *value);

/* Reads the option's value from all of `text`, which must outlive it; -1, and no change, if it is
 * not one. */
int option_parse_value(const struct option_spec *option, const char *text);

/* Gives `option` the value of `other`, which is of the same kind and lends what the value refers
 * to. */
void option_assign(const struct option_spec *option, const struct option_spec *other);

/* Writes what a value has to be: "a whole number from 1 to 5". */
void option_describe(const struct option_spec *option, char *text, size_t size);

/* Whether there is a value to print, and the value in the form that option_parse_value reads. */
bool option_has_value(const struct option_spec *option);
void option_print_value(const struct option_spec *option, FILE *out);

#endif
