/* capacity.h - where jobs run: which nodes there are, what trainers on them say, and the plan that
 * they are told. Whatever has the nodes is a source (source.h): a master, or in tests a source
 * without processes.
 *
 * What a source says becomes occurrences, which the engine is told with the next step; the decision
 * of a step becomes the plan in force. A driver owns loop, clock and journal, and lends them. */
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

/* A place of the run's cluster, or of nodes that wait for a place: the node that has it, as its
 * source has the node, and what the engine was told of the place. */
struct capacity_node {
    bool known;     /* a node has or had the place: it is of that name */
    int32_t number; /* by which the source knows the node; -1 if it knows it no more */
    uint64_t left;  /* when the node went last, in the order in which nodes did */
    char name[NODE_NAME_MAX];
    char type[NODE_TYPE_MAX]; /* of its GPUs, "" if its source does not say */
    bool up;
    int gpus;
    int first_rank;
    int64_t until_s; /* of the run's clock: it is known to be there until then; NEVER_S if open */
    char cause[NODE_CAUSE_MAX];
    char user[NODE_NAME_MAX]; /* whose programs its worker runs, "" if that is not known */
    char only[NODE_NAME_MAX]; /* why those of no other user, "" if it does */
    bool went;                /* since the engine was told, be it back or not */
    char why_went[NODE_CAUSE_MAX];
    bool told_gone;
    int told_gpus; /* of those that the run's cluster has */
    int64_t told_until_s;
};

struct capacity_setting {
    const struct cluster_spec *cluster;
    struct run_clock *clock; /* lent */
    bool fast_forward;
    double time_scale;    /* seconds of the run to a second of real time; fast-forwarded of the
                             emulated starts, 0: no waiting */
    int64_t heartbeat_ms; /* until the source says another */

    /* Something came that a step may be made for; NULL if the driver looks by itself. */
    void (*wake)(void *owner);

    /* Whether a job of which the source holds parts is one of this driver's. Where this is asked,
     * no order leaves before the source said what it holds, nor after it held a job that is not
     * known. NULL: the parts of others are stopped. */
    bool (*knows)(void *owner, uint64_t job);

    /* Sets `program` to the program that `job` executes, good by program_check and lent until the
     * next call; to NULL where the job executes the worker's own program or is emulated. -1, with
     * `error`, if that is not to be known: the capacity is of no use then. NULL if no job has a
     * program. */
    int (*program_of)(void *owner, uint64_t job, const struct msg_program **program,
                      struct error *error);

    /* Whether a node that is there may be used; otherwise `why` has a sentence's end. NULL: each
     * may. */
    bool (*may_use)(void *owner, const struct capacity_node *node, char *why, size_t size);

    /* Told what becomes of jobs before the capacity takes it in; that trainers failed and are
     * started again once only. NULL if that is of no interest. */
    void (*heard)(void *owner, const struct msg_job_report *report);

    /* Told that the place at `position` has another node than before; NULL as above. */
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

/* The source is heard from here on, in turns of the loop that it was given. -1 with `error`. */
int capacity_attach(capacity_t *self, struct error *error);

/* For steps that wait for another program: the source is kept from taking this process for gone. */
void capacity_attend(capacity_t *self);

/* Parts from the source, which is told `why`; jobs end with that if the run is `over`. */
void capacity_detach(capacity_t *self, const char *why, bool over);

/* -1, with `error`, if the source is of no use, and never will be. */
int capacity_check(const capacity_t *self, struct error *error);

/* ---- what the source says ---- */

bool capacity_is_attached(const capacity_t *self);

/* The source said which nodes there are; which parts of jobs they hold; with a later word, where
 * these are. */
bool capacity_knows_nodes(const capacity_t *self);
bool capacity_knows_parts(const capacity_t *self);
bool capacity_knows_steps(const capacity_t *self);

/* A job that the source holds and that is none of ours, 0 for none. */
uint64_t capacity_unknown_job(const capacity_t *self);

/* Nodes that the run's cluster has places for; the one at a place; how many of these are there.
 * Nodes come and go without end: one keeps its place while others are left, and then gives it up
 * when it is gone. A node for which there is no place waits until there is one. */
int capacity_node_count(const capacity_t *self);
const struct capacity_node *capacity_node(const capacity_t *self, int position);
int capacity_nodes_up(const capacity_t *self);

/* GPUs of the node at `position` that are there, of those that the run's cluster has; and these. */
int capacity_node_gpus(const capacity_t *self, int position);
int capacity_place_gpus(const capacity_t *self, int position);

/* How many nodes the source waits for before it plans anything, and whether all are there. */
int64_t capacity_expected(const capacity_t *self);
bool capacity_is_complete(const capacity_t *self);

/* Whether a run that goes on may: a source that was started anew gets its nodes back first, and in
 * real time it says where trainers are. */
bool capacity_may_go_on(const capacity_t *self);

/* -1, with `error`, if a node has fewer GPUs than the run's cluster says. */
int capacity_check_nodes(const capacity_t *self, struct error *error);

/* Changes of nodes up to here are no news; but where a run goes on, nodes other than the engine was
 * told before call for a step. */
void capacity_take_nodes(capacity_t *self);

/* The doings of a job's trainers; NULL for one that was never planned, or is over. */
const struct trained_job *capacity_job(const capacity_t *self, uint64_t number);

/* Whether all of the plan in force is carried out; whether its jobs only wait for leases of nodes
 * that are gone. */
bool capacity_is_settled(const capacity_t *self);
bool capacity_all_wait(const capacity_t *self);

/* Reports that were not believed. */
uint64_t capacity_distrusted(const capacity_t *self);

/* ---- news.c: what the engine is told ---- */

/* The occurrences gathered since capacity_begin_news; lent until the next. */
const struct occurrences *capacity_news(const capacity_t *self);
void capacity_begin_news(capacity_t *self);

/* Nodes that went or came since the engine was told; at first also those that were never there. */
void capacity_tell_nodes(capacity_t *self);

/* Starts that cost other than expected. */
void capacity_tell_starts(capacity_t *self, const engine_t *engine, int64_t now_s);

/* The progress of jobs up to `now_s`, and the jobs that failed: nothing calls for a step after it.
 * -1 with `error`. */
int capacity_tell_jobs(capacity_t *self, engine_t *engine, int64_t now_s, struct error *error);

/* Whether nodes, or jobs that failed or ended, call for a step; whether starts may have cost other
 * than expected. */
bool capacity_calls_for_step(const capacity_t *self);
bool capacity_has_starts(const capacity_t *self);

/* The same, where a job that has become so slow since the decision at `decided_s` that it is to be
 * planned anew calls for a step, too. That is looked for once a slot, and never if time is
 * fast-forwarded. */
bool capacity_looks_for_step(capacity_t *self, engine_t *engine, int64_t decided_s, int64_t slot_s);

/* Whether a job that holds GPUs has ended, and the engine was not told of the end yet.
 * Never if time is fast-forwarded. */
bool capacity_has_end(const capacity_t *self, const engine_t *engine);

/* The clock says that a job is done by `now_s`, which is now: whether its trainers are about to say
 * so, for which they are given a moment. */
bool capacity_awaits_end(capacity_t *self, const engine_t *engine, int64_t now_s);

/* How late what is heard of trainers may be, in seconds of the run. */
double capacity_tolerance_s(const capacity_t *self);

/* ---- orders.c: what the source is told ---- */

/* Makes the plan that `decision` is, which stays until the next. -1, with `error`, if no real
 * cluster can do it. */
int capacity_order(capacity_t *self, const engine_t *engine, const struct decision *decision,
                   struct error *error);

/* No order leaves from here on, whatever the source says, until they are sent: they are kept
 * first. */
void capacity_hold_orders(capacity_t *self);

/* Lets orders leave, and sends the plan in force to a source that does not know it, after the
 * programs of its jobs. */
void capacity_pass_orders(capacity_t *self);

/* The same, if orders are not held: once a turn, for a source that came back. */
void capacity_send_orders(capacity_t *self);

/* ---- keeping.c: what outlives the process ---- */

/* Commits the transaction at hand of `journal` with all that is known beside the engine. -1, with
 * `error`, if it is not kept: it is part of the next try. */
int capacity_commit(capacity_t *self, journal_t *journal, struct error *error);

/* Puts back what a process before kept, clock included, if there was one. -1 with `error`. */
int capacity_recall(capacity_t *self, journal_t *journal, struct error *error);

/* Whether there was one; and the number of the last plan. */
bool capacity_is_resumed(const capacity_t *self);
uint64_t capacity_round(const capacity_t *self);

#endif
