/* source.h - the port through which nodes appear, leave and report, and are told what to run.
 *
 * A source has the nodes: it calls capacity_hear_... with what it hears, and is called with what it
 * is to do. A plan is the whole truth, not a difference: which jobs hold which GPUs from now on.
 * Messages of the link to a master (protocol/scheduler_master.h) are the words of the port, as
 * plain structs. master_source.h is one source. */
#ifndef CAPACITY_SOURCE_H
#define CAPACITY_SOURCE_H

#include "protocol/scheduler_master.h"

typedef struct capacity capacity_t;

struct capacity_source {
    void *self;

    /* Begins to hear nodes and trainers, and tells `capacity`, in turns of the driver's loop. -1
     * with `error`. */
    int (*attach)(void *self, capacity_t *capacity, struct error *error);

    /* -1, with `error`, if the source is of no use, and never will be; NULL: it always is. */
    int (*check)(const void *self, struct error *error);

    /* The program of a job that a plan after it names; lent for the call. */
    void (*program)(void *self, const struct msg_program *program);

    /* The plan in force from here on: a packed struct msg_plan, lent for the call. It may be the
     * one that the source has. */
    void (*order)(void *self, const struct writer *plan);

    /* A step takes long, and no turn of the loop comes: five times a second; NULL for nothing. */
    void (*attend)(void *self);

    /* Nothing is told from here on. The run is over if that is `over`: its jobs end; otherwise they
     * go on, for a process that attaches later. */
    void (*detach)(void *self, const char *why, bool over);
};

/* The source is there: these are its terms. All that it has to say follows. */
void capacity_hear_welcome(capacity_t *self, const struct msg_scheduler_welcome *welcome);

/* The source is away, and may come back. */
void capacity_hear_away(capacity_t *self);

/* Nodes that changed, by numbers that the source gives. -1, with `error`, if a number is none. */
int capacity_hear_nodes(capacity_t *self, const struct msg_nodes *nodes, struct error *error);

/* The node of that number, which was heard of, is known to be there until `until_s` of the run's
 * clock only, NEVER_S if that is open. */
void capacity_hear_until(capacity_t *self, int32_t number, int64_t until_s);

/* A change of a job; a job that is done was so `ago_s` seconds of real time ago. */
void capacity_hear_report(capacity_t *self, const struct msg_job_report *report, double ago_s);

/* How far all parts are: once an interval. The first one says which parts there are. */
void capacity_hear_heartbeat(capacity_t *self, const struct msg_master_heartbeat *heartbeat);

/* The plan of that round is carried out. */
void capacity_hear_settled(capacity_t *self, uint64_t round);

#endif
