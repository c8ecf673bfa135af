/* json_path.h - a path as a text of JSON. */
#ifndef REPORT_JSON_PATH_H
#define REPORT_JSON_PATH_H

#include <jansson.h>

/* `path` as JSON, null for NULL. A path is bytes and JSON is UTF-8: other bytes become '?'. The
 * caller owns the value. */
json_t *json_path(const char *path);

#endif
