/* dispatch.h - brings incarnations of jobs to workers and sees them to their end.
 *
 * Knows the holder of each GPU. At each heartbeat the wanted state of a part is compared with the
 * state that its worker reports, and commands for the difference are sent. So a message that is
 * lost, or comes twice, does no harm.
 *
 *   - A part begins when all parts of its incarnation are ready, no other incarnation of the job is
 *     left, and its GPUs are free.
 *   - A GPU is free again when its part is confirmed to be gone: its worker says so, or its lease,
 *     which ends with the worker's last answered heartbeat, is over by LEASE_MARGIN_MS.
 *   - A part that the dispatch does not know is stopped at once; until it is gone nothing begins on
 * that node, nor any other part of its job.
 *   - A master before this one may have left jobs on workers that have not come back yet: until as
 *     many as are expected have registered, or the leases of those are over, nothing begins at all.
 *     A dispatch that keeps such jobs lets them run until they are adopted or let go.
 *
 * Has no socket and no clock: messages and times (microseconds of a clock that never goes back)
 * come as arguments, and messages to send go to a table of functions. */
#ifndef MASTER_DISPATCH_H
#define MASTER_DISPATCH_H

#include "master/incarnation.h"
#include "master/registry.h"
#include "protocol/timing.h"

typedef struct dispatch dispatch_t;

/* Sends messages to the worker of a node. */
struct worker_calls {
    void (*welcome)(void *owner, const struct worker_node *, const struct msg_worker_welcome *);
    void (*lease)(void *owner, const struct worker_node *, const struct msg_lease *);
    void (*run)(void *owner, const struct worker_node *, const struct msg_run *);
    void (*begin)(void *owner, const struct worker_node *, const struct msg_begin *);
    void (*update)(void *owner, const struct worker_node *, const struct msg_update *);
    void (*stop)(void *owner, const struct worker_node *, const struct msg_stop *);
    void (*group)(void *owner, const struct worker_node *, const struct msg_group *);
    void (*restart)(void *owner, const struct worker_node *);
};

/* Hears of changes. Called from dispatch_flush only, which every dispatch_ function that takes in a
 * message of a worker ends with. */
struct dispatch_watch {
    /* Phase, fault or figures of `incarnation` changed. An incarnation that is over is reported
     * once more and freed after the call. */
    void (*changed)(void *owner, struct incarnation *incarnation, int64_t now_us);
    /* An incarnation of `job` that was given up when its lease expired turns out to have been done:
     * the last worker that was away reports its part as done. All parts were done at `done_us`.
     * NULL if unused. */
    void (*done_late)(void *owner, uint64_t job, int64_t step, int64_t done_us, int64_t now_us);
    /* The node came up or went down. */
    void (*node_changed)(void *owner, const struct worker_node *node, int64_t now_us);
    /* The step that `incarnation` begins from; asked at the last moment. */
    int64_t (*begin_step)(void *owner, const struct incarnation *incarnation);
    /* A GROUP was made; NULL if the owner never sends one. */
    void (*grouped)(void *owner, const struct worker_node *node, const struct msg_report *report,
                    int64_t now_us);
};

struct dispatch_setting {
    int64_t heartbeat_us;
    int64_t lease_us;
    int64_t started_us;
    size_t workers_expected;
    /* The longest time from the BEGIN of an incarnation until it is stable, beyond the overhead
     * that its RUN names for an emulated start; afterwards the incarnation has failed. 0: no
     * limit. */
    int64_t stable_within_us;
    /* Incarnations that an earlier master left run on until dispatch_let_go. */
    bool keeps;
};

dispatch_t *dispatch_new(const struct dispatch_setting *setting, const struct worker_calls *calls,
                         void *calls_owner, const struct dispatch_watch *watch, void *watch_owner);
void dispatch_destroy(dispatch_t **self);

registry_t *dispatch_registry(const dispatch_t *self);

/* ---- what comes from workers ---- */

/* The node of a worker that says hello; NULL with `error` if the worker is refused. dispatch_hello
 * must follow. */
struct worker_node *dispatch_admit(dispatch_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error);
void dispatch_hello(dispatch_t *self, struct worker_node *node,
                    const struct msg_worker_hello *hello, int64_t now_us);

enum gone_how {
    GONE_BROKEN, /* the worker may reconnect at once, and then nothing changes */
    GONE_FOR_GOOD,
};

void dispatch_gone(dispatch_t *self, struct worker_node *node, enum gone_how how, const char *cause,
                   int64_t now_us);
void dispatch_heartbeat(dispatch_t *self, struct worker_node *node,
                        const struct msg_worker_heartbeat *heartbeat, int64_t now_us);
void dispatch_report(dispatch_t *self, struct worker_node *node, const struct msg_report *report,
                     int64_t now_us);

/* The worker of the node has other GPUs from now on. Incarnations on GPUs that are gone fail. */
void dispatch_gpus(dispatch_t *self, struct worker_node *node, const struct msg_gpus *gpus,
                   int64_t now_us);

/* The GPU, for which no incarnation waits, is planned no more, or again. dispatch_flush must
 * follow. */
void dispatch_leave_out(dispatch_t *self, struct worker_node *node, int32_t gpu, bool left_out);

/* Handles everything that is due: expired leases, connections that did not come back, programs that
 * are not stable in time. */
void dispatch_tick(dispatch_t *self, int64_t now_us);

/* ---- what a master before this one left ---- */

/* Whether workers that hold jobs of an earlier master may still come. */
bool dispatch_gathers(const dispatch_t *self);

/* The latest time at which leases of an earlier master expire. */
int64_t dispatch_leases_over_us(const dispatch_t *self);

/* Hears of an adopted incarnation; returns its `item`. */
typedef void *adopted_fn(void *owner, struct incarnation *incarnation);

/* Adopts, for every job that an earlier master left, the latest incarnation whose parts are all
 * there. dispatch_flush must follow. */
void dispatch_adopt(dispatch_t *self, adopted_fn *adopted, void *owner, int64_t now_us);

/* Stops all other parts of earlier masters, with checkpoints. */
void dispatch_let_go(dispatch_t *self);

/* The lineage of `job`, created if missing. */
struct lineage *dispatch_lineage(dispatch_t *self, uint64_t job);

/* ---- what is wanted: dispatch_flush must follow ---- */

/* Prepares an incarnation and numbers it. Lent until the incarnation is over. */
struct incarnation *dispatch_start(dispatch_t *self, const struct job_launch *launch,
                                   int64_t now_us);

/* From now on `incarnation` may begin. */
void dispatch_allow(dispatch_t *self, struct incarnation *incarnation);

/* A fast-forwarded incarnation is at `step` now. */
void dispatch_update(dispatch_t *self, struct incarnation *incarnation, int64_t step);

/* Ends `incarnation`; does nothing if it is ending or over. */
void dispatch_stop(dispatch_t *self, struct incarnation *incarnation, const struct ending *ending,
                   int64_t now_us);

/* The trainers of every node restart as soon as nothing runs there; incarnations started meanwhile
 * wait. */
void dispatch_restart(dispatch_t *self);

/* Sends a GROUP to the worker of `node`. */
void dispatch_group(dispatch_t *self, const struct worker_node *node,
                    const struct msg_group *group);

/* Tells the watch of all changes. */
void dispatch_flush(dispatch_t *self, int64_t now_us);

/* ---- what is so ---- */

/* The part that holds the GPU of `rank`, unless the part is known to be gone; NULL if the GPU is
 * free. */
const struct remote_part *dispatch_holder(const dispatch_t *self, int32_t rank);

/* The number of messages from workers about parts that were over already. */
uint64_t dispatch_stale(const dispatch_t *self);

#endif
