/* source.h - the port through which nodes appear, leave and report, and are told what to run.
 *
 * A source has the nodes: it reports by calling capacity_hear_..., and takes orders through this
 * port. A plan is complete, not a difference: it says which jobs hold which GPUs from now on.
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

    /* -1, with `error`, if the source can never be used; NULL: no check. */
    int (*check)(const void *self, struct error *error);

    /* Takes the program of a job in a later plan; lent for the call. */
    void (*program)(void *self, const struct msg_program *program);

    /* The plan in force from here on: a packed struct msg_plan, lent for the call. The source may
     * have the same plan already. */
    void (*order)(void *self, const struct writer *plan);

    /* Called five times a second during a long step, when the loop does not turn; may be NULL. */
    void (*attend)(void *self);

    /* Detaches: no further calls follow. If `over`, the jobs end with the run; otherwise they go
     * on, for a process that attaches later. */
    void (*detach)(void *self, const char *why, bool over);
};

/* The source is ready, on these terms; its reports follow. */
void capacity_hear_welcome(capacity_t *self, const struct msg_scheduler_welcome *welcome);

/* The source is away, and may come back. */
void capacity_hear_away(capacity_t *self);

/* Nodes that changed, by the source's own numbers. -1, with `error`, for an invalid number. */
int capacity_hear_nodes(capacity_t *self, const struct msg_nodes *nodes, struct error *error);

/* The known node with that number stays until `until_s` of the run's clock only, NEVER_S if
 * open. */
void capacity_hear_until(capacity_t *self, int32_t number, int64_t until_s);

/* A change of a job; a done job ended `ago_s` seconds of real time ago. */
void capacity_hear_report(capacity_t *self, const struct msg_job_report *report, double ago_s);

/* The steps of all parts, once an interval. The first call lists the parts. */
void capacity_hear_heartbeat(capacity_t *self, const struct msg_master_heartbeat *heartbeat);

/* The plan of that round is fully carried out. */
void capacity_hear_settled(capacity_t *self, uint64_t round);

#endif
