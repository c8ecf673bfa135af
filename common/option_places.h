/* option_places.h - in which line of a config file a value was set, so that errors found later,
 * when values are compared, can name the line. Places and texts of a file stay for the whole
 * process. */
#ifndef COMMON_OPTION_PLACES_H
#define COMMON_OPTION_PLACES_H

#include "common/error.h"

#include <stdbool.h>

/* The option `name` was set in a line of `path`, which is lent for the whole process; NULL: on the
 * command line, which wins. */
void option_places_note(const char *name, const char *path, int line);

/* Whether the option was set, on the command line or in a file; "-" and "_" in names are alike. */
bool option_places_has(const char *name);

/* Makes "FILE:LINE: name: ..." of a sentence that begins with the "--name" of an option that was
 * set in a file. */
void option_places_tell(struct error *error);

#endif
