/* dispatch_state.h - the state that the files of the dispatch share, in the order in which they
 * depend on each other: worker_node.c brings nodes up, worker_orders.c sends commands,
 * remote_part.c follows a part to its end, patience.c ends parts that take too long, strays.c deals
 * with parts that this master did not start, remains.c adopts parts that an earlier master left,
 * dispatch.c carries out what its owner wants, inbox.c takes in messages of workers. No file uses a
 * later one. */
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
    struct remote_part *parts; /* parts that are not over, by key */
    struct lineage *lineages;
    const struct remote_part *
        *holders; /* the holder of each GPU, by first rank of the node + index of the GPU */
    size_t holder_capacity;
    size_t fenced;    /* number of parts and strays that only a lease keeps */
    bool alone;       /* no worker can hold further parts of an earlier master */
    bool keeps;       /* parts of an earlier master run on until they are adopted or let go */
    uint32_t numbers; /* the highest number that an earlier master may have given an incarnation of
                         any job */
    uint64_t stale;

    struct dispatch_news news; /* for the watch */
    struct incarnation *due; /* incarnations that may be able to begin, once the watch has been told
                                of all news */
};

/* A part on a worker that this master did not start: of an earlier master, or one that came
 * late. */
struct stray {
    struct msg_part said; /* the last report of its worker, without a cause; dated by the master's
                           * clock */
    bool remains;         /* an earlier master left the part; `run` says what it trains */
    bool over;            /* no process of the part is left */
    bool adopted;         /* the part belongs to an incarnation of this master now */
    struct msg_run run;   /* a copy: */
    void *run_memory;     /* memory of texts and arrays of `run` */
    uint64_t listed_beat;
    uint64_t stop_beat;
    int64_t fence_us; /* end of its lease, as in struct remote_part */
};

/* ---- worker_node.c ---- */

struct log_subject node_subject(const struct worker_node *node);

/* Tells the worker of the node its place. */
void node_welcome(dispatch_t *self, struct worker_node *node);

/* Grows `holders` to all ranks that the registry has given. */
void holders_fit_ranks(dispatch_t *self);

/* Gives a node that holds nothing ranks for all its GPUs, and tells its worker. Returns whether its
 * ranks changed. */
bool node_make_room(dispatch_t *self, struct worker_node *node);

/* Whether a stray is not in the way of a node that comes up: the stray is over, or may run on. */
bool stray_is_kept(const dispatch_t *self, const struct stray *stray);

/* Brings a node that was away up again if no part that it held is left. */
void node_check(dispatch_t *self, struct worker_node *node);

/* ---- worker_orders.c ---- */

void order_run(dispatch_t *self, struct remote_part *part);
void order_begin(dispatch_t *self, struct remote_part *part);
void order_update(dispatch_t *self, struct remote_part *part);
void order_stop(dispatch_t *self, struct remote_part *part);

/* Sends the commands for `part` that its worker seems to have missed. */
void order_again(dispatch_t *self, struct remote_part *part);

/* Restarts the trainers of `node` if a restart is due and nothing runs there, then sends the node
 * the parts that had to wait. */
void order_restart(dispatch_t *self, struct worker_node *node);

/* ---- remote_part.c ---- */

struct remote_part *part_find(const dispatch_t *self, const struct worker_node *node, uint64_t job,
                              uint32_t incarnation);

/* The worker of `part` says `said` of the part. */
void part_observe(dispatch_t *self, struct remote_part *part, const struct msg_part *said,
                  int64_t now_us);

/* The part is over: its worker reported its end, or its lease expired. */
void part_end(dispatch_t *self, struct remote_part *part, const char *by, int64_t now_us);

/* Whether all `gpus` of `node` are present and free. */
bool gpus_are_free(const dispatch_t *self, const struct worker_node *node, const int32_t gpus[],
                   size_t count);

/* Adopts a part of an earlier master: its worker has the part, and a part whose incarnation has
 * begun holds its GPUs. */
void part_adopt(dispatch_t *self, struct remote_part *part);

/* The session with the part's worker is over: from here on its lease runs out. */
void part_lose_sight(dispatch_t *self, struct remote_part *part);

/* The part was seen before, and its worker does not list it any more. */
void part_forgotten(dispatch_t *self, struct remote_part *part, int64_t now_us);

void incarnation_fail(dispatch_t *self, struct incarnation *incarnation,
                      enum incarnation_fault fault, bool retry, const char *cause);

/* An obstacle to `incarnation`, or on `node`, is gone: the incarnation may begin once the watch has
 * been told of all news, unless the watch then wants otherwise. */
void incarnation_due(dispatch_t *self, struct incarnation *incarnation);
void node_due(dispatch_t *self, const struct worker_node *node);

/* Begins `incarnation` if nothing is in its way. */
void incarnation_try(dispatch_t *self, struct incarnation *incarnation, int64_t now_us);

/* ---- patience.c ---- */

/* Incarnations whose first part is on `node` fail if they are not stable within the time that the
 * setting gives after their begin. */
void patience_end(dispatch_t *self, const struct worker_node *node, int64_t now_us);

/* ---- strays.c ---- */

/* A worker names an unknown incarnation: its number must not be given again. */
void number_seen(dispatch_t *self, const struct worker_node *node, const struct msg_part *said);

/* The worker of `node` holds a part that this master did not start; `run` is NULL if the worker did
 * not say what the part trains. */
void stray_found(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run);

/* The worker of `node` reports that no process of the stray is left. */
void stray_ended(dispatch_t *self, struct worker_node *node, const struct msg_part *said,
                 const struct msg_run *run);

/* The worker of `node` reports that a part whose lease had expired before was done. */
void done_late(dispatch_t *self, const struct worker_node *node, const struct msg_part *said,
               int64_t now_us);

/* A number beyond this was given neither by this master nor by an earlier one. */
#define NUMBER_MAX ((uint32_t)1 << 31)

void stray_stop(dispatch_t *self, const struct worker_node *node, struct stray *stray);

/* Removes the stray at `place`; the last stray takes its place. */
void stray_forget(dispatch_t *self, struct worker_node *node, size_t place);

/* After a heartbeat or hello: strays that were not listed are gone; the others get their commands
 * again. */
void strays_review(dispatch_t *self, struct worker_node *node);

/* The session with the worker of `node` is over: from here on the leases of its strays run out. */
void strays_lose_sight(dispatch_t *self, struct worker_node *node);
void strays_end_leases(dispatch_t *self, struct worker_node *node, int64_t now_us);

/* The worker of `node` vouches that the strays that its hello did not list are gone. */
void strays_vouched_for(dispatch_t *self, struct worker_node *node);

/* Frees the strays of all nodes. */
void strays_clear(dispatch_t *self);

/* How many heartbeats the effect of a command may take before it is sent again. */
#define BEATS_TO_TAKE_EFFECT 2

#endif
