/* promises.h - the promises of a result folder, counted as the service counts its own. */
#ifndef SERVICE_PROMISES_H
#define SERVICE_PROMISES_H

#include "common/error.h"

#include <jansson.h>

/* Counts the promises of outcomes.csv in `folder`; weeks count from the start of the run. The
 * caller owns the object. NULL, with `error`, if the file cannot be read or is invalid. */
json_t *promises_of_folder(const char *folder, struct error *error);

#endif
