/* tables.h - the throughput table that a verb works with. */
#ifndef TRACE_TOOLS_TABLES_H
#define TRACE_TOOLS_TABLES_H

#include "common/error.h"
#include "scheduler/state/throughput.h"

/* The table of `gpu_type` below `folder`, or below the folder that came with the program if
 * `folder` is NULL; the caller destroys it. NULL, with `error` set, if there is none. */
throughput_table_t *tables_read(const char *folder, const char *gpu_type, struct error *error);

#endif
