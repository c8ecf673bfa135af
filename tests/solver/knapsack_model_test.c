/* knapsack_model_test.c - the allocation of nodes to elastic tasks as a model with sets, against
 * the exact multiple-choice knapsack that it amounts to.
 *
 * Source: BFTrainer (Liu et al., HPDC 2021): each task grows or shrinks, never both, pays for
 * either, and earns what a piecewise linear function of its nodes says. Nodes are alike, so that
 * only the counts matter; the big number of the model lets no task change by more than half of the
 * pool at once. */
#include "common/rng.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define TASKS 3
#define NODES 12
#define KNOTS 5

struct task {
    int held;
    int fewest;
    int most;
    double knots[KNOTS]; /* nodes, rising from 0 */
    double rates[KNOTS];
    double growth_s;
    double shrinking_s;
};

struct pool {
    int tasks;
    int nodes;
    double look_ahead_s;
    struct task task[TASKS];
};

static double rate_at(const struct task *task, double nodes)
{
    for (int i = 1; i < KNOTS; i++)
        if (nodes <= task->knots[i])
            return task->rates[i - 1] + (task->rates[i] - task->rates[i - 1]) *
                                            (nodes - task->knots[i - 1]) /
                                            (task->knots[i] - task->knots[i - 1]);
    return NAN;
}

static double rate_now(const struct task *task)
{
    return task->held >= task->fewest ? rate_at(task, task->held) : 0;
}

/* -- the knapsack -- */

static bool may_hold(const struct pool *pool, const struct task *task, int nodes)
{
    if (nodes > task->knots[KNOTS - 1] || 2 * abs(nodes - task->held) > pool->nodes + 1)
        return false;
    return nodes == 0 || (nodes >= task->fewest && nodes <= task->most);
}

static double gain(const struct pool *pool, const struct task *task, int nodes)
{
    const double cost_s = nodes > task->held   ? task->growth_s
                          : nodes < task->held ? task->shrinking_s
                                               : 0;

    return pool->look_ahead_s * rate_at(task, nodes) - rate_now(task) * cost_s;
}

/* The most that the tasks from `first` on gain with so many nodes; -infinite if they cannot be
 * served. */
static double best_gain(const struct pool *pool, int first, int nodes)
{
    double best = -INFINITY;

    if (first == pool->tasks)
        return 0;
    for (int i = 0; i <= nodes; i++)
        if (may_hold(pool, &pool->task[first], i))
            best = fmax(best,
                        gain(pool, &pool->task[first], i) + best_gain(pool, first + 1, nodes - i));
    return best;
}

/* -- the model -- */

/* Adds a row lower <= ... <= upper of `count` equal terms from column `first` on. */
static int add_sum(milp_t *milp, int first, int count, double lower, double upper)
{
    const int row = milp_add_row(milp, lower, upper);

    for (int i = 0; i < count; i++)
        milp_add_term(milp, row, first + i, 1);
    return row;
}

/* The columns of a task: where its nodes and their changes begin, and its switches. */
struct columns {
    int nodes;
    int changes;
    int is_off;
    int is_below; /* the switch of the upper bound */
    int shrinks;
    int grown;
    int shrunk;
    int weights;
};

static int add_switches(milp_t *milp, int count, double objective)
{
    const int first = milp_columns(milp);

    for (int i = 0; i < count; i++)
        (void)milp_add_column(milp, 0, 1, objective, true);
    return first;
}

static struct columns add_columns(milp_t *milp, const struct pool *pool, const struct task *task)
{
    const double rate = rate_now(task);
    const struct columns columns = {
        .nodes = add_switches(milp, pool->nodes, 0),
        .changes = add_switches(milp, pool->nodes, 0),
        .is_off = add_switches(milp, 1, 0),
        .is_below = add_switches(milp, 1, 0),
        .shrinks = add_switches(milp, 1, 0),
        .grown = add_switches(milp, 1, -rate * task->growth_s),
        .shrunk = add_switches(milp, 1, -rate * task->shrinking_s),
        .weights = milp_columns(milp),
    };

    for (int i = 0; i < KNOTS; i++)
        (void)milp_add_column(milp, 0, 1, pool->look_ahead_s * task->rates[i], false);
    return columns;
}

/* The sum of nodes, plus `factor` times a switch, is between these. */
static void bound_nodes(milp_t *milp, const struct pool *pool, const struct columns *columns,
                        int column, double factor, double lower, double upper)
{
    milp_add_term(milp, add_sum(milp, columns->nodes, pool->nodes, lower, upper), column, factor);
}

static void add_size(milp_t *milp, const struct pool *pool, const struct task *task,
                     const struct columns *columns)
{
    const double big = pool->nodes + 1;

    bound_nodes(milp, pool, columns, columns->is_off, big, task->fewest, MILP_INFINITY);
    bound_nodes(milp, pool, columns, columns->is_off, big, -MILP_INFINITY, big);
    bound_nodes(milp, pool, columns, columns->is_below, -big, -MILP_INFINITY, task->most);
    bound_nodes(milp, pool, columns, columns->is_below, big, -MILP_INFINITY, big);
}

/* A node is changed if the task has it and did not, or the other way round. */
static void add_changes(milp_t *milp, const struct pool *pool, const struct columns *columns,
                        const bool *held)
{
    for (int i = 0; i < pool->nodes; i++) {
        const int row = milp_add_row(milp, held[i], held[i]);

        milp_add_term(milp, row, columns->nodes + i, held[i] ? 1 : -1);
        milp_add_term(milp, row, columns->changes + i, 1);
    }
}

/* Growing, the task keeps what it has; shrinking, it takes nothing. */
static void add_direction(milp_t *milp, const struct pool *pool, const struct task *task,
                          const struct columns *columns)
{
    const double big = pool->nodes + 1;
    const int grows = add_sum(milp, columns->nodes, pool->nodes, task->held, MILP_INFINITY);
    const int shrinks =
        add_sum(milp, columns->nodes, pool->nodes, -MILP_INFINITY, task->held + big);

    for (int i = 0; i < pool->nodes; i++) {
        milp_add_term(milp, grows, columns->changes + i, -1);
        milp_add_term(milp, shrinks, columns->changes + i, 1);
    }
    milp_add_term(milp, grows, columns->shrinks, big);
    milp_add_term(milp, shrinks, columns->shrinks, big);
}

static void add_rate(milp_t *milp, const struct pool *pool, const struct task *task,
                     const struct columns *columns)
{
    const int nodes = add_sum(milp, columns->nodes, pool->nodes, 0, 0);
    int weights[KNOTS];

    (void)add_sum(milp, columns->weights, KNOTS, 1, 1);
    for (int i = 0; i < KNOTS; i++) {
        weights[i] = columns->weights + i;
        milp_add_term(milp, nodes, weights[i], -task->knots[i]);
    }
    milp_add_sos(milp, 2, weights, KNOTS);
}

static void add_flags(milp_t *milp, const struct pool *pool, const struct task *task,
                      const struct columns *columns)
{
    const double big = pool->nodes + 1;
    const double held = task->held;

    bound_nodes(milp, pool, columns, columns->grown, held - big, -MILP_INFINITY, held);
    bound_nodes(milp, pool, columns, columns->grown, -(held + 1), 0, MILP_INFINITY);
    bound_nodes(milp, pool, columns, columns->shrunk, big - held + 1, -MILP_INFINITY, big);
    bound_nodes(milp, pool, columns, columns->shrunk, held, held, MILP_INFINITY);
}

static void build(milp_t *milp, const struct pool *pool)
{
    struct columns columns[TASKS];
    int first_held = 0;

    milp_clear(milp);
    milp_set_maximise(milp, true);
    for (int i = 0; i < pool->tasks; i++) {
        const struct task *task = &pool->task[i];
        bool held[NODES];

        for (int node = 0; node < pool->nodes; node++)
            held[node] = node >= first_held && node < first_held + task->held;
        first_held += task->held;
        columns[i] = add_columns(milp, pool, task);
        add_size(milp, pool, task, &columns[i]);
        add_changes(milp, pool, &columns[i], held);
        add_direction(milp, pool, task, &columns[i]);
        add_rate(milp, pool, task, &columns[i]);
        add_flags(milp, pool, task, &columns[i]);
    }
    for (int node = 0; node < pool->nodes; node++) {
        const int row = milp_add_row(milp, -MILP_INFINITY, 1);

        for (int i = 0; i < pool->tasks; i++)
            milp_add_term(milp, row, columns[i].nodes + node, 1);
    }
}

/* -- both -- */

static struct task draw_task(rng_t *rng, int most_held)
{
    static const double knots[KNOTS] = {0, 1, 2, 4, 8};
    struct task task = {
        .held = (int)rng_below(rng, (uint64_t)most_held + 1),
        .fewest = 1 + (int)rng_below(rng, 3),
        .growth_s = (double)rng_below(rng, 40),
        .shrinking_s = (double)rng_below(rng, 10),
    };

    task.most = task.fewest + (int)rng_below(rng, 8);
    for (int i = 0; i < KNOTS; i++) {
        task.knots[i] = knots[i];
        task.rates[i] = i == 0 ? 0 : task.rates[i - 1] + (double)rng_below(rng, 9);
    }
    return task;
}

static struct pool draw_pool(rng_t *rng, int tasks, int nodes)
{
    struct pool pool = {
        .tasks = tasks, .nodes = nodes, .look_ahead_s = 10 * (1 + (double)rng_below(rng, 12))};
    int left = nodes;

    for (int i = 0; i < tasks; i++) {
        pool.task[i] = draw_task(rng, left < 8 ? left : 8);
        left -= pool.task[i].held;
    }
    return pool;
}

static void check_equal(milp_t *milp, const struct pool *pool, long which)
{
    const double best = best_gain(pool, 0, pool->nodes);
    struct milp_result result;

    build(milp, pool);
    result = solve_with_cbc(milp);
    if (isinf(best)) {
        check_answer(&result, MILP_INFEASIBLE);
        return;
    }
    check_answer(&result, MILP_OPTIMAL);
    if (fabs(result.objective - best) > 1e-6 * fmax(1, fabs(best)))
        fail_msg("pool %ld: %.9g and not %.9g", which, result.objective, best);
}

TEST(the_model_finds_what_the_knapsack_finds)
{
    rng_t rng = rng_new(test_seed(), "pools");
    const long times = test_times(24);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int tasks = 1 + (int)(i % TASKS);
        const int nodes = 2 + (int)rng_below(&rng, NODES - 1);
        const struct pool pool = draw_pool(&rng, tasks, nodes);

        check_equal(milp, &pool, i);
    }
    milp_destroy(&milp);
}

/* One task that could use all of ten nodes and has none: it gets five. */
TEST(nobody_changes_by_more_than_half_of_the_pool)
{
    struct pool pool = {
        .tasks = 1,
        .nodes = 10,
        .look_ahead_s = 100,
        .task = {{.fewest = 1, .most = 10, .knots = {0, 1, 2, 5, 10}, .rates = {0, 1, 2, 5, 10}}},
    };
    milp_t *milp = milp_new();
    struct milp_result result;

    build(milp, &pool);
    result = solve_with_cbc(milp);
    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, 500);
    check_near(best_gain(&pool, 0, pool.nodes), 500);
    pool.task[0].held = 10;
    pool.task[0].most = 3; /* it would have to shrink by seven */
    check_equal(milp, &pool, 0);
    milp_destroy(&milp);
}

/* The big number is too small for a task of so many nodes, even where it could be off. */
TEST(a_task_that_needs_much_more_than_the_pool_spoils_it)
{
    struct pool pool = {
        .tasks = 1,
        .nodes = 3,
        .look_ahead_s = 100,
        .task = {{.fewest = 4, .most = 10, .knots = {0, 1, 2, 5, 10}, .rates = {0, 1, 2, 5, 10}}},
    };
    milp_t *milp = milp_new();
    struct milp_result result;

    check_equal(milp, &pool, 0); /* it stays off */
    pool.task[0].fewest = 5;
    build(milp, &pool);
    result = solve_with_cbc(milp);
    check_answer(&result, MILP_INFEASIBLE);
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
