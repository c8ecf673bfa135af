/* given_options.h - the options that a user has changed, by name. */
#ifndef TOOLS_GIVEN_OPTIONS_H
#define TOOLS_GIVEN_OPTIONS_H

#include "common/options.h"

#include <jansson.h>

/* The current values of `options`, to be taken before the command line is parsed; the caller owns
 * the object of texts. */
json_t *given_options_now(const struct option_spec options[]);

/* The options of `options` that differ from `before`, without the names in `left_out`, which ends
 * with NULL. The caller owns the object of texts. */
json_t *given_options(const struct option_spec options[], const json_t *before,
                      const char *const left_out[]);

#endif
