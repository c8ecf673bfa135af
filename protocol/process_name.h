/* process_name.h - what the processes of a testbed may be called: a name stands in logs, in
 * messages to users and, of keys, in the names of files. */
#ifndef PROTOCOL_PROCESS_NAME_H
#define PROTOCOL_PROCESS_NAME_H

#include "common/error.h"

#include <stdbool.h>

#define PROCESS_NAME_MAX  63
#define PROCESS_NAME_RULE "at most 63 letters, digits, '.', '_' and '-', no '.' first"

/* Whether it may be a name or a role. */
bool process_name_is_good(const char *name);

/* -1, with `error` that quotes `name`, if it may not. */
int process_name_check(const char *name, struct error *error);

#endif
