/* dispatch.h - brings incarnations of jobs to workers and sees them to their end.
 *
 * Knows the holder of each GPU. What is wanted of a part and what its worker says of it are
 * compared at each heartbeat, and the difference is what is sent: a message that was lost, or came
 * twice, heals itself.
 *
 *   - A part begins when all parts of its incarnation are ready, no other incarnation of the job is
 *     left, and its GPUs are free.
 *   - A GPU is free again when its part is confirmed to be gone: its worker says so, or its lease,
 *     which ends with the worker's last answered heartbeat, is over by LEASE_MARGIN_MS.
 *   - What a worker holds and the dispatch does not know is stopped at once; until it is gone
 *     nothing begins on that node, nor its job anywhere.
 *   - A master before this one may have left jobs on workers that have not come back yet: until as
 *     many as are expected have registered, or the leases of those are over, nothing begins at all.
 *     If it keeps what was left, that runs on until it is adopted or let go.
 *
 * Knows no socket and no clock: it is told what came and when (microseconds of a clock that never
 * goes back), and hands what is to be sent to a table of functions. */
#ifndef MASTER_DISPATCH_H
#define MASTER_DISPATCH_H

#include "master/incarnation.h"
#include "master/registry.h"
#include "protocol/timing.h"

typedef struct dispatch dispatch_t;

/* Where messages to the worker of a node go. */
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

/* Is told what became of it all. Called from dispatch_flush only, which every dispatch_ function
 * that takes in something from a worker ends with. */
struct dispatch_watch {
    /* Phase, fault or figures of `incarnation` changed. After it is over it does not come again,
     * and is freed when this returns. */
    void (*changed)(void *owner, struct incarnation *incarnation, int64_t now_us);
    /* A worker that was away says that its part of an incarnation of `job`, which is over since its
     * lease was, was done in time; all of it was, at `done_us`. NULL where that does not matter. */
    void (*done_late)(void *owner, uint64_t job, int64_t step, int64_t done_us, int64_t now_us);
    /* The node came up or went down. */
    void (*node_changed)(void *owner, const struct worker_node *node, int64_t now_us);
    /* The step that `incarnation` begins from; asked at the last moment. */
    int64_t (*begin_step)(void *owner, const struct incarnation *incarnation);
    /* A GROUP was made; NULL where none is ever sent. */
    void (*grouped)(void *owner, const struct worker_node *node, const struct msg_report *report,
                    int64_t now_us);
};

struct dispatch_setting {
    int64_t heartbeat_us;
    int64_t lease_us;
    int64_t started_us;
    size_t workers_expected;
    /* The longest time from the BEGIN of an incarnation until it is stable, beyond the overhead
     * that its RUN names for an emulated start; then it has failed. 0: for ever. */
    int64_t stable_within_us;
    /* Incarnations that a master before this one left run on until dispatch_let_go. */
    bool keeps;
};

dispatch_t *dispatch_new(const struct dispatch_setting *setting, const struct worker_calls *calls,
                         void *calls_owner, const struct dispatch_watch *watch, void *watch_owner);
void dispatch_destroy(dispatch_t **self);

registry_t *dispatch_registry(const dispatch_t *self);

/* ---- what comes from workers ---- */

/* The node of a worker that says hello, NULL with `error` if it is refused. dispatch_hello must
 * follow. */
struct worker_node *dispatch_admit(dispatch_t *self, const char *name,
                                   const struct msg_worker_hello *hello, struct error *error);
void dispatch_hello(dispatch_t *self, struct worker_node *node,
                    const struct msg_worker_hello *hello, int64_t now_us);

enum gone_how {
    GONE_BROKEN, /* it may come back at once, and then nothing has happened */
    GONE_FOR_GOOD,
};

void dispatch_gone(dispatch_t *self, struct worker_node *node, enum gone_how how, const char *cause,
                   int64_t now_us);
void dispatch_heartbeat(dispatch_t *self, struct worker_node *node,
                        const struct msg_worker_heartbeat *heartbeat, int64_t now_us);
void dispatch_report(dispatch_t *self, struct worker_node *node, const struct msg_report *report,
                     int64_t now_us);

/* The worker of the node has other GPUs from here on. Incarnations on those that are gone fail. */
void dispatch_gpus(dispatch_t *self, struct worker_node *node, const struct msg_gpus *gpus,
                   int64_t now_us);

/* The GPU, for which no incarnation waits, is planned no more, or again. dispatch_flush must
 * follow. */
void dispatch_leave_out(dispatch_t *self, struct worker_node *node, int32_t gpu, bool left_out);

/* Whatever is due: leases that are over, connections that did not come back, programs that are not
 * stable. */
void dispatch_tick(dispatch_t *self, int64_t now_us);

/* ---- what a master before this one left ---- */

/* Whether workers may still come that hold something of it. */
bool dispatch_gathers(const dispatch_t *self);

/* When its leases are over at the latest. */
int64_t dispatch_leases_over_us(const dispatch_t *self);

/* Told of an incarnation; returns what becomes its item. */
typedef void *adopted_fn(void *owner, struct incarnation *incarnation);

/* Every job's latest incarnation of which all parts are there goes on as one of this dispatch.
 * dispatch_flush must follow. */
void dispatch_adopt(dispatch_t *self, adopted_fn *adopted, void *owner, int64_t now_us);

/* All the rest is stopped, with checkpoints. */
void dispatch_let_go(dispatch_t *self);

/* Of `job`; made if there is none. */
struct lineage *dispatch_lineage(dispatch_t *self, uint64_t job);

/* ---- what is wanted: dispatch_flush must follow ---- */

/* Prepares an incarnation and numbers it. Lent until it is over. */
struct incarnation *dispatch_start(dispatch_t *self, const struct job_launch *launch,
                                   int64_t now_us);

/* From now on `incarnation` may begin. */
void dispatch_allow(dispatch_t *self, struct incarnation *incarnation);

/* A fast-forwarded one is at `step` now. */
void dispatch_update(dispatch_t *self, struct incarnation *incarnation, int64_t step);

/* Ends it; nothing happens if it is ending or over. */
void dispatch_stop(dispatch_t *self, struct incarnation *incarnation, const struct ending *ending,
                   int64_t now_us);

/* The trainers of every node restart as soon as nothing runs there; what is started meanwhile
 * waits. */
void dispatch_restart(dispatch_t *self);

/* Sends a GROUP to the worker of `node`. */
void dispatch_group(dispatch_t *self, const struct worker_node *node,
                    const struct msg_group *group);

/* Tells the watch of everything that changed. */
void dispatch_flush(dispatch_t *self, int64_t now_us);

/* ---- what is so ---- */

/* The part that holds the GPU that has that rank while none of its node is gone; NULL if it is
 * free. */
const struct remote_part *dispatch_holder(const dispatch_t *self, int32_t rank);

/* How often a worker spoke of what was over already. */
uint64_t dispatch_stale(const dispatch_t *self);

#endif
