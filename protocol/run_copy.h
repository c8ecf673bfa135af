/* run_copy.h - copies a RUN, so that it outlives its message. */
#ifndef PROTOCOL_RUN_COPY_H
#define PROTOCOL_RUN_COPY_H

#include "protocol/master_worker.h"

/* `copy`, which may be `run` itself, gets its own texts, arrays and program in the returned memory,
 * which the caller frees after the last use of the copy. */
void *run_copy(const struct msg_run *run, struct msg_run *copy) __attribute__((returns_nonnull));

#endif
