/* config.h - settings from a file of lines `key = value`, read by libconfuse.
 *
 * A value is a bare word or stands in double quotes; # starts a comment. A key stands there once:
 * of two values for one setting, one is a mistake. */
#ifndef COMMON_CONFIG_H
#define COMMON_CONFIG_H

#include "common/error.h"

#include <stddef.h>

/* Takes the value of key number `key`, set in `line`; returns -1 with `error` if it cannot be. */
typedef int config_set_fn(void *context, size_t key, const char *value, int line,
                          struct error *error);

/* Reads the settings at `path` in the order of the file, `names[0 .. count-1]` being the keys that
 * exist, and hands each to `set`. Returns -1 with `error` (file, line and key) at the first unknown
 * or repeated key, bad value or syntax error, and for a file that any user may write to. */
int config_read(const char *path, const char *const names[], size_t count, config_set_fn *set,
                void *context, struct error *error);

/* The same for text that is already in memory and called `path` in complaints. */
int config_parse(const char *path, const char *text, const char *const names[], size_t count,
                 config_set_fn *set, void *context, struct error *error);

#endif
