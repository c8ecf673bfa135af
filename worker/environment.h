/* environment.h - the variables of its environment that a worker passes on to trainers and their
 * programs: PATH, HOME, LANG, TZ, those that begin with LC_ or RUBATO_, and those that its options
 * name. */
#ifndef WORKER_ENVIRONMENT_H
#define WORKER_ENVIRONMENT_H

#include "common/error.h"

#include <stddef.h>

#define ENVIRONMENT_NETWORK_WORDS 2

/* Which network interface ranks of PyTorch meet on: NCCL's and gloo's variable. */
struct environment_network {
    char words[ENVIRONMENT_NETWORK_WORDS][64];
};

/* The words "NAME=VALUE" of `environment` that are passed on, ended with NULL; the words are lent,
 * the caller frees the array. `more` has further names separated by commas, or is NULL. NULL with
 * `error` if a word of `more` is no name. */
char **environment_select(char *const *environment, const char *more, struct error *error);

/* As environment_select, and adds the variables of `network` that name `interface`, unless
 * `environment` has them. None is added where `interface` is "". `network` is lent, too. */
char **environment_of_node(char *const *environment, const char *more, const char *interface,
                           struct environment_network *network, struct error *error);

#endif
