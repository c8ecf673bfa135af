/* slice_sets_test.c - sets of nodes and the queues on them: every node is in one set or free, and
 * free ones are given out in the order in which they came free. */
#include "common/rng.h"
#include "scheduler/reference/slice_sets.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

static slice_sets_t *sets;

FIXTURE(drop_sets)
{
    slice_sets_destroy(&sets);
    return 0;
}

static struct slice_set *open(int gpus)
{
    return slice_sets_open(sets, slice_sets_class(sets, gpus));
}

static void check_nodes(const struct slice_set *set, const int *nodes, int count)
{
    assert_non_null(set);
    assert_int_equal(set->node_count, count);
    assert_memory_equal(set->nodes, nodes, (size_t)count * sizeof(*nodes));
}

#define ON_SETS(name) TEST_WITH(name, NULL, drop_sets)

ON_SETS(a_set_has_the_nodes_that_one_of_its_jobs_needs)
{
    sets = slice_sets_new(6, 4);
    check_nodes(open(1), (const int[]){0}, 1);
    check_nodes(open(4), (const int[]){1}, 1);
    check_nodes(open(16), (const int[]){2, 3, 4, 5}, 4);
    assert_int_equal(slice_sets_class(sets, 1)->sets[0]->capacity, 4);
    assert_int_equal(slice_sets_class(sets, 4)->sets[0]->capacity, 1);
    assert_int_equal(slice_sets_class(sets, 16)->sets[0]->capacity, 1);
    assert_int_equal(slice_sets_class(sets, 16)->sets[0]->gpus, 16);
}

ON_SETS(nodes_that_a_job_does_not_fill_are_its_own_all_the_same)
{
    sets = slice_sets_new(3, 3);
    assert_int_equal(slice_sets_class(sets, 2)->nodes, 1);
    assert_int_equal(slice_sets_class(sets, 4)->nodes, 2);
    assert_int_equal(open(2)->capacity, 1);
    check_nodes(open(4), (const int[]){1, 2}, 2);
}

ON_SETS(a_set_that_finds_too_few_nodes_is_not_opened)
{
    struct slice_set_class *wide;

    sets = slice_sets_new(2, 2);
    wide = slice_sets_class(sets, 4);
    assert_non_null(open(1));
    assert_null(slice_sets_open(sets, wide));
    assert_int_equal(wide->count, 0);
    assert_non_null(open(1));
    assert_null(open(1));
    assert_int_equal(slice_sets_class(sets, 1)->count, 2);
}

ON_SETS(nodes_are_given_out_in_the_order_in_which_they_came_free)
{
    struct slice_set_class *class;

    sets = slice_sets_new(4, 2);
    class = slice_sets_class(sets, 2);
    for (int i = 0; i < 3; i++)
        assert_non_null(open(2));
    slice_sets_close(sets, class, 1, 1);
    slice_sets_close(sets, class, 0, 1);
    assert_int_equal(class->count, 1);
    check_nodes(class->sets[0], (const int[]){2}, 1);
    check_nodes(open(4), (const int[]){3, 1}, 2);
    check_nodes(open(2), (const int[]){0}, 1);
    assert_null(open(1));
}

ON_SETS(sets_are_sorted_by_load_and_equal_ones_keep_their_order)
{
    static const int loads[] = {3, 1, 2, 1, 3, 0};
    static const int sorted[] = {5, 1, 3, 2, 0, 4};
    static const int rotated[] = {1, 3, 2, 0, 4, 5};
    struct slice_set_class *class;

    sets = slice_sets_new(COUNT(loads), 1);
    class = slice_sets_class(sets, 1);
    for (size_t i = 0; i < COUNT(loads); i++)
        open(1)->load = loads[i];
    slice_set_class_sort(class);
    for (size_t i = 0; i < COUNT(loads); i++)
        check_nodes(class->sets[i], &sorted[i], 1);
    slice_set_class_rotate(class);
    for (size_t i = 0; i < COUNT(loads); i++)
        check_nodes(class->sets[i], &rotated[i], 1);
}

ON_SETS(jobs_take_turns)
{
    static const struct job jobs[5];
    struct slice_set *set;

    sets = slice_sets_new(1, 2);
    set = open(1);
    assert_int_equal(slice_set_running(set), 0);
    for (size_t i = 0; i < COUNT(jobs); i++) {
        slice_sets_append(sets, set, &jobs[i]);
        assert_int_equal(slice_set_running(set), i < 2 ? i + 1 : 2);
    }
    slice_sets_rotate(sets, set, slice_set_running(set));
    assert_int_equal(set->job_count, COUNT(jobs));
    for (size_t i = 0; i < COUNT(jobs); i++)
        assert_ptr_equal(set->jobs[i], &jobs[(i + 2) % COUNT(jobs)]);
    slice_sets_rotate(sets, set, 0);
    slice_sets_rotate(sets, set, COUNT(jobs));
    assert_ptr_equal(set->jobs[0], &jobs[2]);
}

/* As many empty sets as there are nodes. */
static struct slice_set_class *open_all(slice_sets_t *of, int nodes)
{
    struct slice_set_class *class = slice_sets_class(of, 1);

    for (int i = 0; i < nodes; i++)
        assert_non_null(slice_sets_open(of, class));
    return class;
}

static void check_same(const struct slice_set *set, const struct slice_set *other)
{
    assert_int_equal(set->nodes[0], other->nodes[0]);
    assert_int_equal(set->load, other->load);
    assert_int_equal(set->job_count, other->job_count);
    for (size_t i = 0; i < set->job_count; i++)
        assert_ptr_equal(set->jobs[i], other->jobs[i]);
}

/* Gives the sets of `class` loads that rise, by up to two from one set to the next. */
static void load_sets(struct slice_set_class *class, int seed)
{
    int load = 0;

    for (size_t i = 0; i < class->count; i++, seed /= 3) {
        load += seed % 3;
        class->sets[i]->load = load;
    }
}

static void append_and_sort(slice_sets_t *of, struct slice_set_class *class, const struct job *job)
{
    slice_sets_append(of, class->sets[0], job);
    class->sets[0]->load++;
    slice_set_class_sort(class);
}

/* The sets have a job each before, and the loads of load_sets. */
static void check_dealing(const struct job jobs[], size_t count, int nodes, int seed)
{
    slice_sets_t *slow = slice_sets_new(nodes + 1, 1);
    struct slice_set_class *sorted = open_all(slow, nodes);
    struct slice_set_class *dealt;
    struct slice_set *from;

    sets = slice_sets_new(nodes + 1, 1);
    dealt = open_all(sets, nodes);
    from = open(1);
    dealt->count--;
    load_sets(dealt, seed);
    load_sets(sorted, seed);
    for (size_t i = 0; i < dealt->count; i++) {
        slice_sets_append(sets, dealt->sets[i], &jobs[i]);
        slice_sets_append(slow, sorted->sets[i], &jobs[i]);
    }
    for (size_t i = 0; i < count; i++) {
        slice_sets_append(sets, from, &jobs[i]);
        append_and_sort(slow, sorted, &jobs[i]);
    }
    slice_sets_move_out(sets, from);
    slice_sets_deal(sets, dealt);
    assert_int_equal(sets->moved_count, 0);
    for (size_t i = 0; i < dealt->count; i++)
        check_same(dealt->sets[i], sorted->sets[i]);
    dealt->count++;
    slice_sets_destroy(&slow);
    slice_sets_destroy(&sets);
}

ON_SETS(dealing_is_adding_to_the_first_set_and_sorting)
{
    static const struct job jobs[30];

    for (size_t count = 0; count <= COUNT(jobs); count++)
        for (int nodes = 1; nodes <= 5; nodes++)
            for (int seed = 0; seed < 3 * 3 * 3 * 3 * 3; seed++)
                check_dealing(jobs, count, nodes, seed);
}

/* A queue that is turned, added to and loses jobs at random, beside a plain array. */
static void check_queue(rng_t *rng, struct job jobs[], size_t count)
{
    const struct job *queue[2000];
    struct slice_set *set;
    size_t length = 0;

    sets = slice_sets_new(1, 4);
    set = open(1);
    for (size_t i = 0; i < count; i++) {
        const size_t front = length > 0 ? rng_below(rng, length + 1) : 0;
        size_t kept = 0;

        jobs[i].state = JOB_RUNNING;
        if (rng_below(rng, 3) == 0 && front > 0) {
            jobs[queue[0] - jobs].state = JOB_DONE;
            for (size_t k = 0; k < length; k++)
                if (k >= front || job_is_live(queue[k]))
                    queue[kept++] = queue[k];
            assert_int_equal(slice_sets_drop_done(sets, set, front), front - (length - kept));
            length = kept;
        }
        queue[length++] = &jobs[i];
        slice_sets_append(sets, set, &jobs[i]);
        for (size_t k = 0; k < length / 2; k++)
            queue[length + k] = queue[k];
        memmove(queue, queue + length / 2, length * sizeof(*queue));
        slice_sets_rotate(sets, set, length / 2);
        assert_int_equal(set->job_count, length);
        for (size_t k = 0; k < length; k++)
            assert_ptr_equal(set->jobs[k], queue[k]);
    }
    slice_sets_destroy(&sets);
}

ON_SETS(a_queue_keeps_its_order_through_turns_and_ends)
{
    rng_t rng = rng_new(test_seed(), "queues of slice sets");
    struct job jobs[300] = {{.state = JOB_RUNNING}};

    for (long k = 0; k < test_times(50); k++)
        check_queue(&rng, jobs, 1 + rng_below(&rng, COUNT(jobs)));
}

/* How often each node is in a set. */
static void count_uses(int uses[], int node_count)
{
    memset(uses, 0, (size_t)node_count * sizeof(*uses));
    for (int c = 0; c < SLICE_SET_CLASSES; c++)
        for (size_t k = 0; k < sets->classes[c].count; k++)
            for (int i = 0; i < sets->classes[c].sets[k]->node_count; i++)
                uses[sets->classes[c].sets[k]->nodes[i]]++;
}

static void check_partition(int node_count)
{
    int uses[32];

    count_uses(uses, node_count);
    for (int i = 0; i < sets->free_count; i++)
        uses[sets->free_nodes[(sets->free_first + i) % node_count]]++;
    for (int i = 0; i < node_count; i++)
        assert_int_equal(uses[i], 1);
}

ON_SETS(every_node_is_in_one_set_or_free)
{
    rng_t rng = rng_new(test_seed(), "slice sets");

    for (long k = 0; k < test_times(100); k++) {
        const int nodes = 1 + (int)rng_below(&rng, 32);

        sets = slice_sets_new(nodes, 1 + (int)rng_below(&rng, 8));
        for (int step = 0; step < 100; step++) {
            struct slice_set_class *class = slice_sets_class(sets, 1 << rng_below(&rng, 6));

            if (class->count > 0 && rng_below(&rng, 2) == 0)
                slice_sets_close(sets, class, rng_below(&rng, class->count), 1);
            else
                (void)slice_sets_open(sets, class);
            check_partition(nodes);
        }
        slice_sets_destroy(&sets);
    }
}

ON_SETS(destroying_none_is_nothing)
{
    sets = NULL;
    slice_sets_destroy(&sets);
    assert_null(sets);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
