/* option_names.h - unknown long options of a command. getopt complains of them, too, but cannot
 * suggest the option that the user meant. */
#ifndef COMMON_OPTION_NAMES_H
#define COMMON_OPTION_NAMES_H

#include "common/error.h"

#include <argp.h>

/* Looks at the names of the options of `argv` up to "--". -1, with `error` that names the nearest
 * one, if `table`, the options of `command`, has no option that is or begins with such a name. */
int option_names_check(const struct argp_option *table, const char *command, int argc, char **argv,
                       struct error *error);

#endif
