/* figures_json.h - a struct of figures as an object of JSON. */
#ifndef REPORT_FIGURES_JSON_H
#define REPORT_FIGURES_JSON_H

#include "common/figure.h"

#include <jansson.h>

/* All figures of a table, by key, in its order; null where a value is unknown. The caller owns the
 * object. */
json_t *figures_json(const struct figure items[], const void *values);

/* The value of one figure, owned by the caller. */
json_t *figure_json(const struct figure *figure, const void *values);

#endif
