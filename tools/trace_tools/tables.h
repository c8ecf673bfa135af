/* tables.h - the throughput table of a verb. */
#ifndef TRACE_TOOLS_TABLES_H
#define TRACE_TOOLS_TABLES_H

#include "common/error.h"
#include "scheduler/state/throughput.h"

/* Reads the table of `gpu_type` below `folder`, or below the program's own folder if `folder` is
 * NULL; the caller destroys the table. Returns NULL, with `error`, if no such table exists. */
throughput_table_t *tables_read(const char *folder, const char *gpu_type, struct error *error);

#endif
