/* assignment.h - what the scheduler wants, made true: the jobs of the plan in force are compared with the
 * incarnations that the dispatch looks after, and what became of them is reported.
 *
 * A plan is the whole truth: a job that is not in it stops, one whose work and GPUs are as before goes on
 * untouched, every other one gets a new incarnation. A job whose part failed is tried again on the same GPUs from
 * its last confirmed checkpoint, at most RETRIES_MAX times, then held; one whose node went down waits for
 * the next plan.
 *
 * Knows no socket and no clock, like the dispatch. */
#ifndef MASTER_ASSIGNMENT_H
#define MASTER_ASSIGNMENT_H

#include "master/dispatch.h"
#include "protocol/scheduler_master.h"

typedef struct assignment assignment_t;

/* Where messages to the scheduler go. None is called while there is no scheduler. */
struct scheduler_calls {
    void (*welcome)(void *owner, const struct msg_scheduler_welcome *);
    void (*nodes)(void *owner, const struct msg_nodes *);
    void (*job_report)(void *owner, const struct msg_job_report *);
    void (*settled)(void *owner, const struct msg_settled *);
    void (*progress)(void *owner, const struct msg_master_heartbeat *);
};

/* The dispatch made with this watch, and the assignment as its owner, must be handed to assignment_use. */
extern const struct dispatch_watch assignment_watch;

assignment_t *assignment_new(const struct msg_scheduler_welcome *welcome,
                             const struct scheduler_calls *calls, void *owner);
void assignment_destroy(assignment_t **self);
void assignment_use(assignment_t *self, dispatch_t *dispatch);

/* A scheduler says hello; only one at a time may. It is the one before if it has the name and its first plan the round
 * of that one; otherwise whatever runs is stopped when its first plan comes. */
void assignment_hello(assignment_t *self, const char *name);

/* It went away. After a goodbye every job is stopped; otherwise they go on. */
void assignment_gone(assignment_t *self, bool goodbye, int64_t now_us);

/* The master ends: every job is stopped, and no more plans are taken. */
void assignment_end(assignment_t *self, int64_t now_us);

/* A plan came. -1, with `error` and nothing done, if it makes no sense. One of an earlier round is ignored, one that
 * comes again only answered again. */
int assignment_plan(assignment_t *self, const struct msg_plan *plan, int64_t now_us,
                    struct error *error);

/* Tells the scheduler how far running jobs are. */
void assignment_heartbeat(assignment_t *self);

/* Plans that came late, so far. */
uint64_t assignment_stale(const assignment_t *self);

#endif
