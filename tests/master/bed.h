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

/* Workers send a heartbeat each second. Leases last ten seconds. */
#define BED_HEARTBEAT_US BED_SECOND_US
#define BED_LEASE_US     (10 * BED_SECOND_US)
#define BED_STABLE_US    (30 * BED_SECOND_US)
#define BED_FENCE_US     (BED_LEASE_US + LEASE_MARGIN_MS * INT64_C(1000))

typedef struct bed bed_t;

bed_t *bed_new(void);

/* A bed whose master begins no job before `workers` workers have come. The master of bed_new
 * expects one worker. */
bed_t *bed_new_expecting(size_t workers);

/* A bed whose master gives a job up that is not stable within BED_STABLE_US. Other masters wait
 * without limit. */
bed_t *bed_new_bounded(void);

/* A bed without a run of plans. `watch`, called with `owner`, hears of the jobs instead. */
bed_t *bed_new_for(const struct dispatch_watch *watch, void *owner);
void bed_destroy(bed_t **self);

dispatch_t *bed_dispatch(bed_t *self);
plan_run_t *bed_plan_run(bed_t *self);
int64_t bed_now_us(const bed_t *self);

/* Moves the clock by `us`, and gives the master a turn. */
void bed_pass(bed_t *self, int64_t us);

/* The worker "wN" says hello with `gpus` GPUs and holds `parts`. Returns its node, or -1 if the
 * master refuses it. */
int bed_hello(bed_t *self, int worker, int gpus, const char *parts);

/* Workers that say hello from now on hold the lock `lock`, 0 for none. */
void bed_lock(bed_t *self, uint32_t lock);

/* From now on the workers' clocks are `ahead_us` ahead of the master's, and their messages take
 * `late_us`. Both are 0 at first. */
void bed_clocks(bed_t *self, int64_t ahead_us, int64_t late_us);

/* A worker says hello to a new master. Worker N was node N of the former master, whose nodes had
 * `gpus` GPUs each. All parts are work of a plan that is not slow. Each part has all GPUs of its
 * node. With "of N" it is one of N parts, on the nodes from 0 on. */
int bed_return(bed_t *self, int worker, int gpus, const char *parts);

/* The worker reports the UUIDs of its GPUs. "!g1" is a GPU that is gone. */
void bed_gpus(bed_t *self, int node, const char *gpus);
void bed_goodbye(bed_t *self, int node);
void bed_break(bed_t *self, int node);
void bed_silent(bed_t *self, int node);
void bed_beat(bed_t *self, int node, const char *parts);
void bed_says(bed_t *self, int node, const char *part);

/* The worker reports that a group of the incarnation was made in `took_ms`. */
void bed_grouped(bed_t *self, int node, uint64_t job, uint32_t incarnation, int64_t took_ms);

/* The part of the incarnation on each of `nodes` reports `part`, one node after the other. */
void bed_all_say(bed_t *self, const int nodes[], size_t count, const char *part);

void bed_scheduler(bed_t *self, const char *name);
void bed_scheduler_gone(bed_t *self, bool goodbye);
void bed_program(bed_t *self, uint64_t job, const char *file); /* a program without arguments */
int bed_plan(bed_t *self, uint64_t round, const char *plan);

/* The reason for which the last hello or plan was refused. */
const char *bed_refusal(const bed_t *self);

/* Checks that exactly `lines` were sent since the last call. */
void bed_expect(bed_t *self, const char *lines);

/* Forgets the lines that were sent. */
void bed_skip(bed_t *self);

/* Whether a line that was sent begins like `line`. Forgets no line. */
bool bed_sent(const bed_t *self, const char *line);

size_t bed_leases(const bed_t *self); /* number of answered heartbeats */

#endif
