/* elastic_placement_test.c - elastic placement on the worked examples of the behavioural
 * specification (section 20.2), and on random sizes against the oracle. */
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "tests/oracle/oracle.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS_MAX 40
#define GPUS_MAX 64

static cluster_t *cluster;
static const struct submission submission = {.id = "job"};
static struct job jobs[JOBS_MAX];
static struct error error;

FIXTURE(drop_cluster)
{
    cluster_destroy(&cluster);
    return 0;
}

/* Places jobs of these sizes on an empty cluster; returns how many found a place. */
static size_t place(const struct cluster_spec *spec, const int sizes[], size_t count)
{
    struct placement_request requests[JOBS_MAX];
    struct layout *layout;
    int result;

    cluster_destroy(&cluster);
    cluster = cluster_new(spec);
    layout = cluster_clear(cluster, JOBS_MAX);
    for (size_t i = 0; i < count; i++) {
        jobs[i] = (struct job){.submission = &submission, .held = -1};
        requests[i] = (struct placement_request){.job = &jobs[i], .gpus = sizes[i]};
    }
    result = placement_find("elastic")->place(cluster, requests, count, layout, &error);
    assert_int_equal(result == 0, layout->held_count == (int)count);
    return (size_t)layout->held_count;
}

static const struct node_set *set_of(size_t index)
{
    const struct layout *layout = cluster_layout(cluster);

    assert_true(jobs[index].held >= 0);
    return &layout->sets[layout->held[jobs[index].held].set];
}

/* Which job has each GPU, -1 for none. */
static void find_owners(int owners[], int gpus)
{
    const struct layout *layout = cluster_layout(cluster);
    const int per_node = cluster_gpus_per_node(cluster);

    for (int rank = 0; rank < gpus; rank++)
        owners[rank] = -1;
    for (int node = 0; node < cluster_node_count(cluster); node++) {
        const int set = layout->set_of_node[node];
        int rank = node * per_node;

        for (int i = set < 0 ? -1 : layout->sets[set].first_held; i >= 0; i = layout->held[i].next)
            for (int k = 0; k < layout->held[i].gpus && k < per_node; k++)
                owners[rank++] = (int)(layout->held[i].job - jobs);
    }
}

/* "JOB@RANKxGPUS" for each run of GPUs, jobs named by their index. */
static void print_layout(char *text, size_t size)
{
    const int gpus = cluster_gpus(cluster);
    int owners[GPUS_MAX];
    size_t length = 0;

    assert_true(gpus <= GPUS_MAX);
    find_owners(owners, gpus);
    for (int rank = 0, end; rank < gpus; rank = end) {
        for (end = rank + 1; end < gpus && owners[end] == owners[rank];)
            end++;
        if (owners[rank] >= 0)
            length += (size_t)snprintf(text + length, size - length, "%s%d@%dx%d",
                                       length > 0 ? " " : "", owners[rank], rank, end - rank);
    }
}

static void check_layout(const char *expected)
{
    char text[2000] = "";

    print_layout(text, sizeof(text));
    assert_string_equal(text, expected);
}

TEST_WITH(a_node_set_moves_through_the_classes_as_it_fills, NULL, drop_cluster)
{
    static const struct cluster_spec node = CLUSTER_OF(1, 1, 8);
    static const int sizes[] = {4, 2, 1, 1};
    static const int labels[] = {4, 2, 1, 1};
    static const int used[] = {4, 6, 7, 8};

    for (size_t count = 1; count <= COUNT(sizes); count++) {
        assert_int_equal(place(&node, sizes, count), count);
        assert_int_equal(set_of(count - 1)->class_label, labels[count - 1]);
        assert_int_equal(set_of(count - 1)->used, used[count - 1]);
    }
    check_layout("0@0x4 1@4x2 2@6x1 3@7x1");
}

TEST_WITH(a_small_job_placed_first_leaves_no_place_for_a_larger_one, NULL, drop_cluster)
{
    /* EF-Q40: 7 GPUs are free, but in a class of 1 */
    assert_int_equal(place(&(struct cluster_spec)CLUSTER_OF(1, 1, 8), (const int[]){1, 4}, 2), 1);
    assert_non_null(strstr(error.text, "no place for its 4 GPUs"));
    check_layout("0@0x1");
}

TEST_WITH(jobs_fill_a_node_of_their_own_size_first, NULL, drop_cluster)
{
    assert_int_equal(
        place(&(struct cluster_spec)CLUSTER_OF(1, 2, 4), (const int[]){2, 1, 2, 2, 1}, 5), 5);
    check_layout("0@0x2 1@2x1 4@3x1 2@4x2 3@6x2");
    assert_int_equal(set_of(3)->class_label, 2);
    assert_int_equal(set_of(3)->used, 4);
    assert_int_equal(set_of(4)->class_label, 1);
    assert_int_equal(set_of(4)->used, 4);
}

TEST_WITH(a_large_job_takes_whole_nodes, NULL, drop_cluster)
{
    assert_int_equal(place(&(struct cluster_spec)CLUSTER_OF(1, 4, 4), (const int[]){8, 2, 4}, 3),
                     3);
    check_layout("0@0x8 1@8x2 2@12x4");
}

TEST_WITH(a_size_without_a_class_has_no_place, NULL, drop_cluster)
{
    assert_int_equal(place(&(struct cluster_spec)CLUSTER_OF(1, 4, 4), (const int[]){3}, 1), 0);
    assert_non_null(strstr(error.text, "no size class for 3 GPUs"));
}

TEST_WITH(nobody_is_placed_without_complaint, NULL, drop_cluster)
{
    assert_int_equal(place(&(struct cluster_spec)CLUSTER_OF(1, 4, 4), NULL, 0), 0);
    check_layout("");
}

static void compare(rng_t *rng, const struct oracle_cluster *shape)
{
    const struct cluster_spec spec =
        CLUSTER_OF(shape->switches, shape->nodes_per_switch, shape->gpus_per_node);
    const size_t count = 1 + rng_below(rng, JOBS_MAX);
    struct oracle_place_result result;
    int sizes[JOBS_MAX];
    size_t placed;

    for (size_t i = 0; i < count; i++)
        sizes[i] = 1 << rng_below(rng, rng_below(rng, 4) == 0 ? 7 : 3);
    oracle_place_sizes(shape, sizes, count, &result);
    placed = place(&spec, sizes, count);
    assert_int_equal(placed, result.step_count);
    if (placed > 0) { /* the oracle looks right after each job, so only the last is as it was */
        assert_int_equal(set_of(placed - 1)->class_label, result.steps[placed - 1].class_label);
        assert_int_equal(set_of(placed - 1)->used, result.steps[placed - 1].used_gpus);
    }
    check_layout(result.layout.text);
    oracle_place_result_clear(&result);
}

TEST_WITH(random_sizes_are_placed_as_the_oracle_does, NULL, drop_cluster)
{
    static const struct oracle_cluster shapes[] = {{1, 1, 8}, {1, 2, 4},  {1, 8, 8}, {2, 4, 4},
                                                   {4, 2, 2}, {1, 16, 4}, {1, 4, 1}, {1, 3, 16}};
    rng_t rng = rng_new(test_seed(), "placement");

    for (int i = 0; i < 3000; i++)
        compare(&rng, &shapes[rng_below(&rng, COUNT(shapes))]);
}

TEST(schemes_are_found_by_their_names)
{
    const char *const *names = placement_names();

    assert_non_null(names[0]);
    for (size_t i = 0; names[i]; i++) {
        const struct placement *scheme = placement_find(names[i]);

        assert_true(!strcmp(scheme->name, names[i]) || !strcmp(scheme->alias, names[i]));
        assert_int_equal(scheme->by_policy, !scheme->revise);
        assert_false(scheme->by_policy && scheme->place);
    }
    assert_null(placement_find("random"));
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
