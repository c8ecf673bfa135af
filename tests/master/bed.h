/* clang-format off */
/* bed.h - a master without sockets: its clock stands still until a test moves it, its workers and
 * its scheduler say what the test has them say, and what it sends is a text to compare.
 *
 * What it sends, a line each:
 *
 *     n0 welcome            n0 restart
 *     n0 run 7.1 gpus 0,1 ranks 0,1 of 4 at a0:9000 step 0
 *     n0 begin 7.1 step 0   n0 update 7.1 step 5    n0 stop 7.1 paused step 5 grace -1
 *     n0 group 7.1 ranks 0,1 source -1
 *     scheduler welcome     nodes up down     settled 1     progress 7.1 at 5
 *     nodes up with 3 (why its GPUs are others) down
 *     job 7.1 stable step 0 overhead 2000 rate 2.5          job 7.1 lost step 0: cause
 *
 * and "job 7.1 done step 9 ended 5 s before" where the end was heard so long after it.
 *
 * Answers to heartbeats are counted only. A part is written "7.1 ready", with "step N", "checkpoint
 * N", "overhead MS", "rate R", "noretry", "gpu N", "cause WORD" and "before S", its end to the
 * message in seconds of the worker's clock, after it; several with commas between. A plan is
 * written "7 on 0,1,2,3 from 100; 8 on 4; stop 9 done 50; restart; slow": `slow` is one in real
 * time. */
/* clang-format on */
#ifndef TESTS_MASTER_BED_H
#define TESTS_MASTER_BED_H

#include "master/dispatch.h"
#include "master/plan_run.h"

#define BED_SECOND_US INT64_C(1000000)

/* The workers' heartbeats come once a second, and leases last ten. */
#define BED_HEARTBEAT_US BED_SECOND_US
#define BED_LEASE_US     (10 * BED_SECOND_US)
#define BED_STABLE_US    (30 * BED_SECOND_US)
#define BED_FENCE_US     (BED_LEASE_US + LEASE_MARGIN_MS * INT64_C(1000))

typedef struct bed bed_t;

bed_t *bed_new(void);

/* A master that begins nothing before `workers` workers have come; bed_new's master expects one. */
bed_t *bed_new_expecting(size_t workers);

/* What begins has to be stable within BED_STABLE_US; the other masters give it all the time there
 * is. */
bed_t *bed_new_bounded(void);

/* Without a run of plans: `watch`, called with `owner`, is told what becomes of things. */
bed_t *bed_new_for(const struct dispatch_watch *watch, void *owner);
void bed_destroy(bed_t **self);

dispatch_t *bed_dispatch(bed_t *self);
plan_run_t *bed_plan_run(bed_t *self);
int64_t bed_now_us(const bed_t *self);

/* Moves the clock, and lets the master look at it. */
void bed_pass(bed_t *self, int64_t us);

/* The worker "wN" says hello with `gpus` GPUs, holding `parts`. Returns its node, -1 if it is
 * refused. */
int bed_hello(bed_t *self, int worker, int gpus, const char *parts);

/* From here on a worker that says hello holds this lock, 0 for none. */
void bed_lock(bed_t *self, uint32_t lock);

/* From here on the workers' clocks are ahead of the master's, which is so by 0 before, and their
 * messages take so long. */
void bed_clocks(bed_t *self, int64_t ahead_us, int64_t late_us);

/* The same for a master that is new: worker N was node N of the one before, whose nodes had `gpus`
 * GPUs each. All parts are of the work of a plan that is not slow: each has all its node's GPUs and
 * is, with "of N", one of N on the nodes from 0 on. */
int bed_return(bed_t *self, int worker, int gpus, const char *parts);

/* The worker says which GPUs its node has, by their UUIDs; "!g1" is gone. */
void bed_gpus(bed_t *self, int node, const char *gpus);
void bed_goodbye(bed_t *self, int node);
void bed_break(bed_t *self, int node);
void bed_silent(bed_t *self, int node);
void bed_beat(bed_t *self, int node, const char *parts);
void bed_says(bed_t *self, int node, const char *part);

/* The worker says that a group of the incarnation was made. */
void bed_grouped(bed_t *self, int node, uint64_t job, uint32_t incarnation, int64_t took_ms);

/* All parts of `job`.`incarnation` on these nodes say so, one after the other. */
void bed_all_say(bed_t *self, const int nodes[], size_t count, const char *part);

void bed_scheduler(bed_t *self, const char *name);
void bed_scheduler_gone(bed_t *self, bool goodbye);
void bed_program(bed_t *self, uint64_t job, const char *file); /* without arguments */
int bed_plan(bed_t *self, uint64_t round, const char *plan);

/* Why the last hello or plan was refused. */
const char *bed_refusal(const bed_t *self);

/* What was sent since the last call is exactly this. */
void bed_expect(bed_t *self, const char *lines);

/* Forgets what was sent. */
void bed_skip(bed_t *self);

/* Whether a line of what was sent begins like this. Keeps it. */
bool bed_sent(const bed_t *self, const char *line);

size_t bed_leases(const bed_t *self); /* answered heartbeats */

#endif
