/* option_names.h - long options that a command does not have. getopt complains of them, too, but
 * cannot say which one was meant. */
#ifndef COMMON_OPTION_NAMES_H
#define COMMON_OPTION_NAMES_H

#include "common/error.h"

#include <argp.h>

/* Looks at the names of the options of `argv` up to "--". -1, with `error` that names the nearest
 * one, if `table`, that of `command`, has none of the name and none that begins with it. */
int option_names_check(const struct argp_option *table, const char *command, int argc, char **argv,
                       struct error *error);

#endif
