/* small_round.h - a round of a planner on one node of 8 GPUs. Each job runs on one GPU, at one
 * iteration a second. */
#ifndef TESTS_PLANNER_SMALL_ROUND_H
#define TESTS_PLANNER_SMALL_ROUND_H

#include "scheduler/planner/pricing.h"

#define SMALL_GPUS  8
#define SMALL_NOW_S 1000
#define SMALL_TASKS 8

struct small_round {
    cluster_t *cluster;
    prices_t *prices;
    arena_t *arena;
    struct node_order order;
    struct scaling scaling;
    struct view view;
    struct planner planner;
    struct demand demand;
    struct task_list promised;
    struct pricing pricing;
    struct submission submissions[SMALL_TASKS];
    struct job_level levels[SMALL_TASKS][3];
    struct parent parents[SMALL_TASKS][SMALL_TASKS];
    struct job jobs[SMALL_TASKS];
    struct task tasks[SMALL_TASKS];
    size_t count;
};

void small_round_open(struct small_round *self);
void small_round_close(struct small_round *self);

/* Adds a job that needs `need_s` seconds, with its start, and has its deadline in `window_s`
 * seconds, 0 for none. Its number is 100 plus its place. Returns its place. */
size_t small_round_add(struct small_round *self, double need_s, int64_t window_s);

#endif
