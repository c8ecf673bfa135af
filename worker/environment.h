/* environment.h - what of its own environment a worker passes on to trainers and their programs:
 * PATH, HOME, LANG, TZ, LC_* and RUBATO_*, and what it was told to. */
#ifndef WORKER_ENVIRONMENT_H
#define WORKER_ENVIRONMENT_H

#include "common/error.h"

/* The words "NAME=VALUE" of `environment` that are passed on, ended with NULL; the words are lent,
 * the caller frees the array. `more` has further names with commas between them, or is NULL. NULL
 * with `error` if one of these is no name. */
char **environment_select(char *const *environment, const char *more, struct error *error);

#endif
