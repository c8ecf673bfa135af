/* given_options.h - the options that a user has changed, by name. */
#ifndef TOOLS_GIVEN_OPTIONS_H
#define TOOLS_GIVEN_OPTIONS_H

#include "common/options.h"

#include <jansson.h>

/* The current values of `options` as an object of texts, which the caller owns. To be taken before
 * the command line is parsed. */
json_t *given_options_now(const struct option_spec options[]);

/* The options whose values differ from `before`, as an object of texts, which the caller owns.
 * Names in `left_out`, which ends with NULL, are skipped. */
json_t *given_options(const struct option_spec options[], const json_t *before,
                      const char *const left_out[]);

#endif
