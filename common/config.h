/* config.h - settings from a file of lines `key = value`, read by libconfuse.
 *
 * A value is a bare word or stands in double quotes; # starts a comment. A file sets a key once: a
 * second value for one setting is a mistake. */
#ifndef COMMON_CONFIG_H
#define COMMON_CONFIG_H

#include "common/error.h"

#include <stddef.h>

/* Takes the value of key number `key`, set in `line`; returns -1 with `error` if the value is
 * invalid. */
typedef int config_set_fn(void *context, size_t key, const char *value, int line,
                          struct error *error);

/* Reads the settings at `path` in the order of the file, `names[0 .. count-1]` being the keys that
 * exist, and hands each to `set`. Returns -1 with `error` (file, line and key) at the first unknown
 * or repeated key, bad value or syntax error, and for a file that any user may write to. */
int config_read(const char *path, const char *const names[], size_t count, config_set_fn *set,
                void *context, struct error *error);

/* Like config_read, for text in memory that complaints call `path`. */
int config_parse(const char *path, const char *text, const char *const names[], size_t count,
                 config_set_fn *set, void *context, struct error *error);

#endif
