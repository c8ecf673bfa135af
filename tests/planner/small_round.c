/* small_round.c - see small_round.h. */
#include "tests/planner/small_round.h"

#include "tests/support/test.h"

static const struct throughput_row row = {
    .model = "model", .batch_size = 64, .level_count = 1, .gpus = {1}, .iters_per_s = {1}};

void small_round_open(struct small_round *self)
{
    const struct cluster_spec spec = CLUSTER_OF(1, 1, SMALL_GPUS);
    struct error error;

    *self = (struct small_round){
        .cluster = cluster_new(&spec), .prices = prices_new(SMALL_GPUS, 0), .arena = arena_new()};
    node_order_open(&self->order, 1, SMALL_GPUS, 0);
    node_order_renew(&self->order, self->cluster);
    self->view = (struct view){.now_s = SMALL_NOW_S,
                               .slot_end_s = SMALL_NOW_S,
                               .gpu_count = SMALL_GPUS,
                               .cluster = self->cluster,
                               .all_prices = self->prices};
    planner_open(&self->planner, &self->view, &self->order, 0, self->arena);
    planner_clear(&self->planner, SMALL_NOW_S);
    self->promised = task_list_open(self->arena, SMALL_TASKS, task_latest_start);
    self->pricing = (struct pricing){
        .planner = &self->planner, .demand = &self->demand, .promised = &self->promised};
    assert_int_equal(scaling_init(&self->scaling, &row, SMALL_GPUS, SMALL_GPUS, &error), 0);
}

void small_round_close(struct small_round *self)
{
    arena_destroy(&self->arena);
    node_order_close(&self->order);
    prices_destroy(&self->prices);
    cluster_destroy(&self->cluster);
}

size_t small_round_add(struct small_round *self, double need_s, int64_t window_s)
{
    const size_t i = self->count++;
    const int64_t deadline_s = window_s > 0 ? SMALL_NOW_S + window_s : DEADLINE_NONE_S;

    self->levels[i][0] = (struct job_level){deadline_s, LEVEL_VALUE_FULL};
    self->submissions[i] = (struct submission){.submit_s = SMALL_NOW_S,
                                               .parents = self->parents[i],
                                               .levels = self->levels[i],
                                               .level_count = window_s > 0,
                                               .deadline_s = deadline_s,
                                               .best_effort = window_s == 0};
    self->jobs[i] =
        (struct job){.number = 100 + i,
                     .submission = &self->submissions[i],
                     .scaling = &self->scaling,
                     .iterations_left = need_s - planner_price_later(&self->planner, 1)};
    self->tasks[i] = (struct task){.job = &self->jobs[i], .scaling = &self->scaling};
    planner_enter(&self->tasks[i]);
    pricing_until(&self->pricing, &self->tasks[i], task_stated_s(&self->tasks[i]));
    return i;
}
