/* run_copy.h - a RUN that outlives the message it came in. */
#ifndef PROTOCOL_RUN_COPY_H
#define PROTOCOL_RUN_COPY_H

#include "protocol/master_worker.h"

/* `copy` gets texts and arrays of its own, until run_copy_clear. */
void run_copy(const struct msg_run *run, struct msg_run *copy);
void run_copy_clear(struct msg_run *copy);

#endif
