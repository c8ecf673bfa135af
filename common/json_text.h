/* json_text.h - JSON for users and result files: indented by two, and every number as short as it
 * reads back as the same one, where jansson writes 0.1 as 0.10000000000000001. */
#ifndef COMMON_JSON_TEXT_H
#define COMMON_JSON_TEXT_H

#include <jansson.h>

/* `value` as text that ends with a new line; the caller frees it. Every text in it is UTF-8. */
char *json_text(const json_t *value);

/* Prints it on standard output. Returns the exit status, 1 if it cannot be written. */
int json_print(const json_t *value);

#endif
