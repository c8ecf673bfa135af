/* run_copy.h - a RUN that outlives the message it came in. */
#ifndef PROTOCOL_RUN_COPY_H
#define PROTOCOL_RUN_COPY_H

#include "protocol/master_worker.h"

/* `copy`, which may be `run` itself, gets texts, arrays and a program of its own: all of them are
 * in the memory that this returns, which the caller frees once the copy is not needed any more. */
void *run_copy(const struct msg_run *run, struct msg_run *copy) __attribute__((returns_nonnull));

#endif
