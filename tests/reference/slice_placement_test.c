/* slice_placement_test.c - jobs get the nodes of their slice sets, and the free nodes of the
 * cluster are none of gandiva's business. */
#include "scheduler/reference/gandiva_rounds.h"
#include "tests/support/test.h"

/* What the stage looks at of an engine, and nothing else. */
static struct gandiva_memory memory;
static struct engine engine;
static slice_sets_t *sets;
static cluster_t *cluster;

static const struct submission submissions[] = {{.number = 0}, {.number = 1}, {.number = 2}};
static struct job *jobs[3];

FIXTURE(set_up)
{
    const struct cluster_spec two_switches = CLUSTER_OF(2, 2, 2);

    cluster = cluster_new(&two_switches);
    sets = slice_sets_new(4, 2);
    memory = (struct gandiva_memory){.sets = sets};
    engine = (struct engine){.memory = &memory,
                             .jobs = job_table_new(),
                             .cluster = cluster,
                             .live = {jobs, COUNT(jobs), COUNT(jobs)}};
    for (uint32_t i = 0; i < 3; i++)
        jobs[i] = job_table_add(engine.jobs, &submissions[i]);
    return 0;
}

FIXTURE(tear_down)
{
    slice_sets_destroy(&sets);
    job_table_destroy(&engine.jobs);
    cluster_destroy(&cluster);
    return 0;
}

static const struct layout *place(void)
{
    struct error error;

    engine.layout_is_old = true;
    assert_int_equal(gandiva_place(&engine, &error), 0);
    assert_false(engine.layout_is_old);
    return cluster_layout(cluster);
}

TEST_WITH(jobs_of_a_set_lie_side_by_side_on_its_nodes, set_up, tear_down)
{
    struct slice_set *small = slice_sets_open(sets, slice_sets_class(sets, 1));
    struct slice_set *wide = slice_sets_open(sets, slice_sets_class(sets, 4));
    const struct layout *layout;

    slice_sets_append(sets, small, jobs[0]);
    slice_sets_append(sets, small, jobs[1]);
    slice_sets_append(sets, wide, jobs[2]);
    layout = place();
    assert_int_equal(layout->set_count, 2);
    assert_int_equal(layout->set_of_node[0], 0);
    assert_int_equal(layout->set_of_node[1], 1);
    assert_int_equal(layout->set_of_node[2], 1);
    assert_int_equal(layout->set_of_node[3], -1);
    assert_ptr_equal(layout->held[layout->sets[0].first_held].job, jobs[0]);
    assert_ptr_equal(layout->held[layout->sets[0].last_held].job, jobs[1]);
    assert_int_equal(layout->sets[0].used, 2);
    assert_int_equal(layout->sets[1].used, 4);
}

TEST_WITH(whoever_waits_for_his_turn_holds_nothing, set_up, tear_down)
{
    struct slice_set *set = slice_sets_open(sets, slice_sets_class(sets, 2));

    (void)slice_sets_open(sets, slice_sets_class(sets, 2));
    slice_sets_append(sets, set, jobs[0]);
    slice_sets_append(sets, set, jobs[1]);
    assert_int_equal(place()->set_count, 1);
    assert_int_equal(jobs[0]->held, 0);
    assert_int_equal(jobs[1]->held, -1);
    slice_sets_rotate(sets, set, 1);
    assert_int_equal(place()->set_count, 1);
    assert_int_equal(jobs[0]->held, -1);
    assert_int_equal(jobs[1]->held, 0);
}

/* Nodes that gandiva chose were never taken off the list of free ones: EF-Q4. */
TEST_WITH(chosen_nodes_stay_in_the_list_of_free_ones, set_up, tear_down)
{
    struct slice_set *set;
    const int *nodes;
    int count;

    (void)slice_sets_open(sets, slice_sets_class(sets, 4));
    set = slice_sets_open(sets, slice_sets_class(sets, 2));
    slice_sets_append(sets, set, jobs[0]);
    for (int round = 0; round < 3; round++)
        assert_int_equal(place()->set_of_node[2], 0);
    cluster_vacate(cluster);
    (void)cluster_clear(cluster, 1);
    nodes = cluster_free_nodes(cluster, &count);
    assert_int_equal(count, 4);
    for (int i = 0; i < count; i++)
        assert_int_equal(nodes[i], i);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
