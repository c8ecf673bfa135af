/* options_print.h - prints an option table: help, man page, words for shells. */
#ifndef COMMON_OPTIONS_PRINT_H
#define COMMON_OPTIONS_PRINT_H

#include "common/options.h"

#include <stdio.h>

/* The settings as a file for --config. */
void options_print_config(const struct command *command, FILE *out);

/* A man page in roff. */
void options_print_man(const struct command *command, FILE *out);

/* One option a line, "=" after those that take a value and "=," after those that take a list, then
 * the words that the option accepts. */
void options_print_words(const struct command *command, FILE *out);

#endif
