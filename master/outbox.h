/* outbox.h - what the dispatch and the run of plans send, as messages to the peers that it is for.
 * What is for one that is not in session is dropped: it is sent again when that is back. */
#ifndef MASTER_OUTBOX_H
#define MASTER_OUTBOX_H

#include "master/dispatch.h"
#include "master/peers.h"
#include "master/plan_run.h"

/* The owner is the `struct peers`. */
extern const struct worker_calls outbox_worker_calls;
extern const struct scheduler_calls outbox_scheduler_calls;

/* Tells a worker to end. */
void outbox_shutdown(link_peer_t *worker);

/* Tells all workers to end, and the scheduler that it is over. */
void outbox_close(const struct peers *peers, const char *why);

#endif
