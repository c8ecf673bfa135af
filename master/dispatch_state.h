/* dispatch_state.h - what the files of the dispatch share, in the order in which they know each
 * other: worker_node.c brings nodes up, worker_orders.c sends, remote_part.c knows what becomes of
 * a part, patience.c which takes too long, strays.c deals with parts that this master did not
 * start, remains.c takes those over that a master before it left, dispatch.c does what is wanted,
 * inbox.c takes in what comes from workers. None knows those after it. */
#ifndef MASTER_DISPATCH_STATE_H
#define MASTER_DISPATCH_STATE_H

#include "common/log.h"
#include "master/dispatch.h"
#include "master/dispatch_news.h"
#include "master/lineage.h"

struct dispatch {
    struct dispatch_setting setting;
    const struct worker_calls *calls;
    void *calls_owner;
    const struct dispatch_watch *watch;
    void *watch_owner;

    registry_t *registry;
    struct remote_part *parts; /* by key: those that are not over */
    struct lineage *lineages;
    const struct remote_part **holders; /* by first rank of the node + GPU */
    size_t holder_capacity;
    size_t fenced;    /* parts and strays that are fenced */
    bool alone;       /* no worker can hold more from a master before this one than is known */
    bool keeps;       /* what such a one left runs on until it is known what is wanted of it */
    uint32_t numbers; /* that a master before this one may have given, to any job */
    uint64_t stale;

    struct dispatch_news news; /* for the watch */
    struct incarnation *due;   /* perhaps they may begin, when the watch has been told of all */
};

/* A part that a worker holds and that this master did not start: of another master, or one that
 * came late. */
struct stray {
    struct msg_part said; /* its worker's last word of it, without a cause; dated by the master's
                           * clock */
    bool remains;         /* a master before this one left it: `run` is what it does */
    bool over;            /* nothing is left of it */
    bool adopted;         /* it is a part of an incarnation now */
    struct msg_run run;   /* a copy: */
    void *run_memory;     /* its texts and arrays */
    uint64_t listed_beat;
    uint64_t stop_beat;
    int64_t fence_us; /* as of a part */
};

/* ---- worker_node.c ---- */

struct log_subject node_subject(const struct worker_node *node);

/* Tells the worker of the node its place. */
void node_welcome(dispatch_t *self, struct worker_node *node);

/* Makes room for a holder of every rank that the registry has given. */
void holders_fit_ranks(dispatch_t *self);

/* Gives a node that holds nothing ranks for all its GPUs, and tells its worker. Whether it has
 * others now. */
bool node_make_room(dispatch_t *self, struct worker_node *node);

/* Whether a stray is not in the way of a node that comes up: it is over, or may go on. */
bool stray_is_kept(const dispatch_t *self, const struct stray *stray);

/* A node that was away is up again as soon as nothing is left of what it held. */
void node_check(dispatch_t *self, struct worker_node *node);

/* ---- worker_orders.c ---- */

void order_run(dispatch_t *self, struct remote_part *part);
void order_begin(dispatch_t *self, struct remote_part *part);
void order_update(dispatch_t *self, struct remote_part *part);
void order_stop(dispatch_t *self, struct remote_part *part);

/* Sends what its worker seems not to know yet. */
void order_again(dispatch_t *self, struct remote_part *part);

/* The trainers of `node` restart if that is due and nothing runs there. Then the node gets the
 * parts that had to wait. */
void order_restart(dispatch_t *self, struct worker_node *node);

/* ---- remote_part.c ---- */

struct remote_part *part_find(const dispatch_t *self, const struct worker_node *node, uint64_t job,
                              uint32_t incarnation);

/* The worker of `part` says `said` of the part. */
void part_observe(dispatch_t *self, struct remote_part *part, const struct msg_part *said,
                  int64_t now_us);

/* Nothing is left of it: its worker said so, or its lease is over. */
void part_end(dispatch_t *self, struct remote_part *part, const char *by, int64_t now_us);

/* Whether all these GPUs of `node` are there and free. */
bool gpus_are_free(const dispatch_t *self, const struct worker_node *node, const int32_t gpus[],
                   size_t count);

/* A master before this one started it: its worker has it, and, if its incarnation has begun, it
 * has its GPUs. */
void part_adopt(dispatch_t *self, struct remote_part *part);

/* The session with its worker is over: from here on its lease runs out. */
void part_lose_sight(dispatch_t *self, struct remote_part *part);

/* The part was seen, and its worker does not speak of the part any more. */
void part_forgotten(dispatch_t *self, struct remote_part *part, int64_t now_us);

void incarnation_fail(dispatch_t *self, struct incarnation *incarnation,
                      enum incarnation_fault fault, bool retry, const char *cause);

/* Something that was in the way of it, or on `node`, is gone: it may begin as soon as the watch,
 * which may want something else by then, has been told of everything. */
void incarnation_due(dispatch_t *self, struct incarnation *incarnation);
void node_due(dispatch_t *self, const struct worker_node *node);

/* Begins it if nothing is in the way. */
void incarnation_try(dispatch_t *self, struct incarnation *incarnation, int64_t now_us);

/* ---- patience.c ---- */

/* Incarnations whose first part is on `node` fail if they began longer ago than the setting has it
 * and are not stable. */
void patience_end(dispatch_t *self, const struct worker_node *node, int64_t now_us);

/* ---- strays.c ---- */

/* A worker speaks of an incarnation that is unknown here: its number must not come again. */
void number_seen(dispatch_t *self, const struct worker_node *node, const struct msg_part *said);

/* The worker of `node` holds something that this master did not start; `run` is NULL if it did not
 * say what it does. */
void stray_found(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run);

/* The worker says that nothing is left of it. */
void stray_ended(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run);

/* The worker of `node` says that a part was done whose lease was over before the master heard of
 * the end. */
void done_late(dispatch_t *self, const struct worker_node *node, const struct msg_part *said,
               int64_t now_us);

/* A number beyond this was given neither by this master nor by one before it. */
#define NUMBER_MAX ((uint32_t)1 << 31)

void stray_stop(dispatch_t *self, const struct worker_node *node, struct stray *stray);

/* Takes out the one at `place`; the last one takes its place. */
void stray_forget(dispatch_t *self, struct worker_node *node, size_t place);

/* After a heartbeat or hello: those that were not listed are gone, the others are told again. */
void strays_review(dispatch_t *self, struct worker_node *node);

/* The session with their worker is over: from here on its lease runs out. */
void strays_lose_sight(dispatch_t *self, struct worker_node *node);
void strays_end_leases(dispatch_t *self, struct worker_node *node, int64_t now_us);

/* The worker of `node` vouches that the strays that its hello did not list are gone. */
void strays_vouched_for(dispatch_t *self, struct worker_node *node);

/* Frees what they hold. */
void strays_clear(dispatch_t *self);

/* How many heartbeats the effect of a command may take before it is sent again. */
#define BEATS_TO_TAKE_EFFECT 2

#endif
