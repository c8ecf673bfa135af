/* process_name.h - names of processes of a testbed: they appear in logs, in messages to users and,
 * for keys, in names of files. */
#ifndef PROTOCOL_PROCESS_NAME_H
#define PROTOCOL_PROCESS_NAME_H

#include "common/error.h"

#include <stdbool.h>

#define PROCESS_NAME_MAX  63
#define PROCESS_NAME_RULE "at most 63 letters, digits, '.', '_' and '-', no '.' first"

/* Whether `name` is a valid name or role. */
bool process_name_is_good(const char *name);

/* -1, with `error` that quotes `name`, if it is invalid. */
int process_name_check(const char *name, struct error *error);

#endif
