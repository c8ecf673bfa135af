/* states.h - lists of job states on the command line. */
#ifndef SERVICE_STATES_H
#define SERVICE_STATES_H

#include "common/error.h"

#include <jansson.h>

#define STATES_DEFAULT "live"
#define STATES_HELP                                                                                \
    "only jobs in these states, with commas between them: quoted, held, waiting, running, done, "  \
    "failed, cancelled, declined, lapsed; live for the first four, or all but lapsed"

/* The words that a list of states may have, ended by NULL. */
extern const char *const states_words[];

/* Adds "states" to a request, unless `list` is "all". -1, with `error` about --state. */
int states_add(json_t *document, const char *list, struct error *error);

#endif
