/* info_json.h - a trace's summary as JSON. */
#ifndef TRACE_TOOLS_INFO_JSON_H
#define TRACE_TOOLS_INFO_JSON_H

#include "tools/trace_tools/summary.h"

#include <jansson.h>

/* The version of the JSON, raised when a member is renamed, removed or changes its meaning. */
#define INFO_SCHEMA_VERSION 1

/* The summary of the trace at `path`; the caller owns the JSON. A quantity missing in the trace is
 * null. */
json_t *info_json(const char *path, const struct summary *summary);

#endif
