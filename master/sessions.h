/* sessions.h - the sockets of the master: accepts peers and passes on their messages. */
#ifndef MASTER_SESSIONS_H
#define MASTER_SESSIONS_H

#include "master/dispatch.h"
#include "master/peers.h"
#include "master/plan_run.h"

typedef struct sessions sessions_t;

struct sessions_setting {
    const char *endpoint;
    int64_t heartbeat_ms;
    const keys_t *keys; /* NULL: connections from this machine only */
    int64_t (*now_us)(void);
};

/* Events for the owner of the sessions. */
struct sessions_calls {
    void (*worker_went)(void *owner);
    void (*scheduler_came)(void *owner);
    void (*scheduler_went)(void *owner, bool goodbye);
};

/* NULL, with `error`, if the endpoint cannot be bound. */
sessions_t *sessions_new(zloop_t *loop, const struct sessions_setting *setting,
                         const struct sessions_calls *calls, void *owner, struct error *error);
void sessions_destroy(sessions_t **self);

/* The receivers of messages. Without a run of plans no scheduler is accepted. */
void sessions_use(sessions_t *self, dispatch_t *dispatch, plan_run_t *plan_run);

/* The peers in session, for the outbox; lent. */
struct peers *sessions_peers(sessions_t *self);

const char *sessions_endpoint(const sessions_t *self);
size_t sessions_workers(const sessions_t *self); /* number of workers in session */

/* Tells every worker, even those that connect later, to end, and the scheduler that the run is
 * over. */
void sessions_close(sessions_t *self, const char *why);

/* The counts of messages and peers that were dropped so far: "bad=0 repeated=3 strangers=0 silent=0
 * excess=0". */
void sessions_describe(const sessions_t *self, char *text, size_t size);

#endif
