/* reserve_test.c - a promise survives one loss less when its job is hit, and its course pays for
 * what the loss still costs until the job does something again. */
#include "scheduler/planner/reserve.h"
#include "tests/support/test.h"

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 3,
                                          .gpus = {1, 2, 4},
                                          .iters_per_s = {1, 2, 3}};
static const struct reserving after_100_s = {.since_s = 100, .losses = 2, .node_loss_s = 700};

static struct scaling scaling;
static struct job job;
static struct task task;
static struct reserve reserve;

/* A promised job that survives two losses holds 2 GPUs, with 10,000 iterations left. */
FIXTURE(hold_two)
{
    struct error error;

    assert_int_equal(scaling_init(&scaling, &row, 4, 4, &error), 0);
    job = (struct job){.scaling = &scaling, .iterations_left = 10000};
    task = (struct task){.job = &job, .scaling = &scaling, .promised = true, .losses = 2};
    task.now.level = 2;
    reserve_note(&reserve, &task);
    return 0;
}

static void go_on(int held, double left)
{
    task.held = held;
    task.left = job.iterations_left = left;
    reserve_enter(&reserve, &after_100_s, &task);
}

TEST_WITH(a_job_that_goes_on_keeps_what_it_has, hold_two, NULL)
{
    go_on(2, 9800);
    assert_int_equal(task.losses, 2);
    assert_true(task.owed_s == 0);
}

/* The job lost 300 iterations more than the 200 that it did, which is 250 s of work. */
TEST_WITH(a_loss_is_paid_for_once_and_owes_the_rest, hold_two, NULL)
{
    go_on(0, 10300);
    assert_int_equal(task.losses, 1);
    assert_true(task.owed_s == 700 - 250);
}

/* In 100 s more, in which it held nothing. */
TEST_WITH(what_is_owed_falls_while_the_job_waits, hold_two, NULL)
{
    go_on(0, 10300);
    task.now.level = 0;
    reserve_note(&reserve, &task);
    go_on(0, 10300);
    assert_int_equal(task.losses, 1); /* the same loss */
    assert_true(task.owed_s == 350);
}

TEST_WITH(nothing_is_owed_once_it_does_something, hold_two, NULL)
{
    go_on(0, 10300);
    reserve_note(&reserve, &task);
    go_on(2, 10299);
    assert_true(task.owed_s == 0);
}

TEST_WITH(a_new_promise_is_to_survive_what_is_asked, hold_two, NULL)
{
    reserve.losses = 0;
    task.promised = false;
    go_on(2, 9800);
    assert_int_equal(task.losses, 2);
}

TEST_WITH(what_is_owed_is_spent_first, hold_two, NULL)
{
    go_on(0, 10300);
    assert_true(reserve_spend(&task));
    assert_true(task.owed_s == 0);
    assert_true(reserve_spend(&task));
    assert_int_equal(task.losses, 0);
    assert_false(reserve_spend(&task));
}

/* Two nodes of 4 GPUs: the last one, in reserve or not, is gone. */
static struct node_order order_with(int spares)
{
    static int gpus[2] = {4, 0};
    static int nodes[2] = {0, 1};

    return (struct node_order){
        .nodes = nodes, .gpus = gpus, .count = 2, .per_node = 4, .spares = spares};
}

TEST_WITH(all_survive_one_loss_less_where_more_nodes_are_gone_than_are_in_reserve, hold_two, NULL)
{
    const struct node_order short_of = order_with(0);
    const struct node_order enough = order_with(1);
    arena_t *arena = arena_new();
    struct task_list tasks = task_list_open(arena, 1, task_unit_price);
    int *losses;

    task_list_append(&tasks, &task);
    losses = reserve_losses(&tasks, arena);
    assert_false(reserve_spend_all(&tasks, &enough));
    assert_int_equal(task.losses, 2);
    assert_true(reserve_spend_all(&tasks, &short_of));
    assert_true(reserve_spend_all(&tasks, &short_of));
    assert_int_equal(task.losses, 0);
    assert_false(reserve_spend_all(&tasks, &short_of));
    reserve_restore(&tasks, losses);
    assert_int_equal(task.losses, 2);
    arena_destroy(&arena);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
