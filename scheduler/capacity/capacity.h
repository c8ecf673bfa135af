/* capacity.h - the nodes on which jobs run, reports of their trainers, and the plan sent to them.
 * The nodes belong to a source (source.h): a master, or in tests a source without processes.
 *
 * Reports of a source become occurrences for the engine's next step; the decision of a step becomes
 * the plan in force. A driver owns loop, clock and journal, and lends them. */
#ifndef CAPACITY_CAPACITY_H
#define CAPACITY_CAPACITY_H

#include "protocol/scheduler_master.h"
#include "scheduler/capacity/run_clock.h"
#include "scheduler/capacity/source.h"
#include "scheduler/capacity/trained_jobs.h"
#include "scheduler/engine/engine.h"
#include "scheduler/journal/journal.h"

#define NODE_NAME_MAX  256
#define NODE_CAUSE_MAX 256
#define NODE_TYPE_MAX  64

/* A place of the run's cluster, or of the nodes that wait for a place: the node that has it, as its
 * source describes the node, and what the engine was told of the place. */
struct capacity_node {
    bool known;     /* a node has or had the place; `name` is that node's */
    int32_t number; /* number of the node at its source; -1 if the source has forgotten it */
    uint64_t left;  /* when the node last left, in the order of all departures */
    char name[NODE_NAME_MAX];
    char type[NODE_TYPE_MAX]; /* type of its GPUs, "" if unknown */
    bool up;
    int gpus;
    int first_rank;
    int64_t until_s; /* the node is known to stay until this time of the run's clock; NEVER_S if
                        open */
    char cause[NODE_CAUSE_MAX];
    char user[NODE_NAME_MAX]; /* user whose programs its worker runs, "" if unknown */
    char only[NODE_NAME_MAX]; /* why its worker runs programs of no other user, "" if it does */
    bool went;                /* the node left since the engine was last told, even if it is back */
    char why_went[NODE_CAUSE_MAX];
    bool told_gone;
    int told_gpus; /* number of GPUs that the engine was told */
    int64_t told_until_s;
};

struct capacity_setting {
    const struct cluster_spec *cluster;
    struct run_clock *clock; /* lent */
    bool fast_forward;
    double time_scale;    /* seconds of the run to a second of real time; fast-forwarded of the
                             emulated starts, 0: no waiting */
    int64_t heartbeat_ms; /* interval of heartbeats until the source names another */

    /* Something arrived that may need a step; NULL if the driver checks by itself. */
    void (*wake)(void *owner);

    /* Whether a job of which the source holds parts belongs to this driver. If this function is
     * set, no order is sent before the source listed its parts, nor after it listed an unknown job.
     * NULL: parts of unknown jobs are stopped. */
    bool (*knows)(void *owner, uint64_t job);

    /* Sets `program` to the program that `job` executes, good by program_check and lent until the
     * next call; to NULL where the job executes the worker's own program or is emulated. -1, with
     * `error`, if the program cannot be found: the capacity is then unusable. NULL if no job has a
     * program. */
    int (*program_of)(void *owner, uint64_t job, const struct msg_program **program,
                      struct error *error);

    /* Whether a present node may be used; otherwise `why` is set to the end of a sentence. NULL:
     * all may. */
    bool (*may_use)(void *owner, const struct capacity_node *node, char *why, size_t size);

    /* Hears each report on a job before the capacity handles it; of failed and restarted trainers
     * only the first report. May be NULL. */
    void (*heard)(void *owner, const struct msg_job_report *report);

    /* Hears that the place at `position` has another node than before; may be NULL. */
    void (*replaced)(void *owner, int position);
    void *owner;
};

struct occurrences {
    struct occurrence *items;
    size_t count;
    size_t room;
    arena_t *texts;
};

/* `source` and what `setting` points to are lent until the end. */
capacity_t *capacity_new(const struct capacity_setting *setting,
                         const struct capacity_source *source);
void capacity_destroy(capacity_t **self);

/* Attaches to the source, which calls from then on in turns of its loop. -1 with `error`. */
int capacity_attach(capacity_t *self, struct error *error);

/* Called during steps that wait for another program, so that the source does not take this process
 * for dead. */
void capacity_attend(capacity_t *self);

/* Detaches from the source, which is told `why`; jobs end if the run is `over`. */
void capacity_detach(capacity_t *self, const char *why, bool over);

/* -1, with `error`, if the source is of no use, and never will be. */
int capacity_check(const capacity_t *self, struct error *error);

/* ---- what the source says ---- */

bool capacity_is_attached(const capacity_t *self);

/* Whether the source has listed its nodes; the parts of jobs that they hold; and, in a later
 * message, the steps of these parts. */
bool capacity_knows_nodes(const capacity_t *self);
bool capacity_knows_parts(const capacity_t *self);
bool capacity_knows_steps(const capacity_t *self);

/* A job that the source holds and that is unknown here, 0 for none. */
uint64_t capacity_unknown_job(const capacity_t *self);

/* capacity_node_count: the places of the run's cluster. capacity_node: the node at a place. A node
 * that is gone keeps its place while other places are free; a node without a place waits for
 * one. */
int capacity_node_count(const capacity_t *self);
const struct capacity_node *capacity_node(const capacity_t *self, int position);
int capacity_nodes_up(const capacity_t *self);

/* The number of GPUs present on the node at `position`, of those that the run's cluster has; and
 * the GPUs. */
int capacity_node_gpus(const capacity_t *self, int position);
int capacity_place_gpus(const capacity_t *self, int position);

/* The number of nodes that the source waits for before anything is planned, and whether all are
 * present. */
int64_t capacity_expected(const capacity_t *self);
bool capacity_is_complete(const capacity_t *self);

/* Whether a resumed run may go on: a restarted source first gets its nodes back and, in real time,
 * reports the steps of trainers. */
bool capacity_may_go_on(const capacity_t *self);

/* -1, with `error`, if a node has fewer GPUs than the run's cluster says. */
int capacity_check_nodes(const capacity_t *self, struct error *error);

/* Takes the nodes as known up to here; but in a resumed run, nodes that differ from those that the
 * engine was told call for a step. */
void capacity_take_nodes(capacity_t *self);

/* The state of a job's trainers; NULL for a job that was never planned, or is over. */
const struct trained_job *capacity_job(const capacity_t *self, uint64_t number);

/* capacity_is_settled: whether the plan in force is fully carried out. capacity_all_wait: whether
 * its jobs only wait for leases of nodes that are gone. */
bool capacity_is_settled(const capacity_t *self);
bool capacity_all_wait(const capacity_t *self);

/* The number of implausible reports. */
uint64_t capacity_distrusted(const capacity_t *self);

/* ---- news.c: what the engine is told ---- */

/* The occurrences gathered since capacity_begin_news; lent until the next. */
const struct occurrences *capacity_news(const capacity_t *self);
void capacity_begin_news(capacity_t *self);

/* Adds occurrences for nodes that left or came since the engine was told; at first also for places
 * without a node. */
void capacity_tell_nodes(capacity_t *self);

/* Adds occurrences for starts that took another time than charged. */
void capacity_tell_starts(capacity_t *self, const engine_t *engine, int64_t now_s);

/* Adds the progress of jobs up to `now_s`, and failed jobs; afterwards nothing calls for a step. -1
 * with `error`. */
int capacity_tell_jobs(capacity_t *self, engine_t *engine, int64_t now_s, struct error *error);

/* capacity_calls_for_step: whether nodes, or jobs that failed or ended, call for a step.
 * capacity_has_starts: whether starts may have taken another time than charged. */
bool capacity_calls_for_step(const capacity_t *self);
bool capacity_has_starts(const capacity_t *self);

/* As capacity_calls_for_step, and also for a job that has become too slow for its plan since the
 * decision at `decided_s`. Slow jobs are looked for once a slot, and never if time is
 * fast-forwarded. */
bool capacity_looks_for_step(capacity_t *self, engine_t *engine, int64_t decided_s, int64_t slot_s);

/* Whether a job that holds GPUs has ended without the engine knowing. Never if time is
 * fast-forwarded. */
bool capacity_has_end(const capacity_t *self, const engine_t *engine);

/* A job is expected to be done by `now_s`, the present time: whether to wait a moment for its
 * trainers to report the end. */
bool capacity_awaits_end(capacity_t *self, const engine_t *engine, int64_t now_s);

/* How old reports on trainers may be, in seconds of the run. */
double capacity_tolerance_s(const capacity_t *self);

/* ---- orders.c: what the source is told ---- */

/* Makes `decision` the plan in force. -1, with `error`, if no real cluster can carry it out. */
int capacity_order(capacity_t *self, const engine_t *engine, const struct decision *decision,
                   struct error *error);

/* Sends no order from now on, until capacity_pass_orders: the decision must be on disk first. */
void capacity_hold_orders(capacity_t *self);

/* Allows orders again, and sends the plan in force, after the programs of its jobs, to a source
 * that lacks it. */
void capacity_pass_orders(capacity_t *self);

/* As capacity_pass_orders, unless orders are held: once a turn, for a source that came back. */
void capacity_send_orders(capacity_t *self);

/* ---- keeping.c: what outlives the process ---- */

/* Commits the transaction at hand of `journal` with the state of the capacity. -1, with `error`, on
 * failure: the state is then part of the next commit. */
int capacity_commit(capacity_t *self, journal_t *journal, struct error *error);

/* Restores the state, clock included, that an earlier process left in the journal, if any. -1 with
 * `error`. */
int capacity_recall(capacity_t *self, journal_t *journal, struct error *error);

/* capacity_is_resumed: whether there was such a state. capacity_round: the number of the last
 * plan. */
bool capacity_is_resumed(const capacity_t *self);
uint64_t capacity_round(const capacity_t *self);

#endif
