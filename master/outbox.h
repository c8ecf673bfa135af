/* outbox.h - sends messages of the dispatch and of the run of plans to workers and scheduler. A
 * message to a peer that is not in session is dropped: the sender repeats it when the peer is
 * back. */
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

/* Tells all workers to end, and the scheduler that the run is over. */
void outbox_close(const struct peers *peers, const char *why);

#endif
