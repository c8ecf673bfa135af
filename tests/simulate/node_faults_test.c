/* node_faults_test.c - random faults of nodes: the same seed gives the same ones, in the mean they
 * are as far apart as was asked, and no more nodes are gone than may be; and those of a file. */
#include "scheduler/simulate/node_faults.h"
#include "tests/support/test.h"

#include <math.h>

#define NODES  50
#define FROM_S 1000
#define FAULTS 4000

static const struct world_setting usual = {
    .node_mtbf_s = 100000, .node_repair_s = 2000, .overhead_factor = 1, .seed = 7};

static node_faults_t *begin(const struct world_setting *setting)
{
    struct error error;
    node_faults_t *faults = node_faults_new(setting, NODES, &error);

    assert_non_null(faults);
    node_faults_begin(faults, FROM_S);
    return faults;
}

/* The next one, whenever it comes. */
static struct fault next(node_faults_t *faults)
{
    struct fault fault;

    while (!node_faults_take(faults, node_faults_next_s(faults), &fault))
        ;
    return fault;
}

TEST(the_same_seed_gives_the_same_faults)
{
    struct world_setting other_seed = usual;
    node_faults_t *faults[3];
    int differ = 0;

    other_seed.seed++;
    faults[0] = begin(&usual);
    faults[1] = begin(&usual);
    faults[2] = begin(&other_seed);
    for (int i = 0; i < FAULTS; i++) {
        const struct fault a = next(faults[0]);
        const struct fault b = next(faults[1]);
        const struct fault c = next(faults[2]);

        assert_true(a.at_s == b.at_s && a.node == b.node && a.gone == b.gone);
        differ += a.at_s != c.at_s;
    }
    assert_true(differ > FAULTS / 2);
    for (int i = 0; i < 3; i++)
        node_faults_destroy(&faults[i]);
}

/* What becomes of a node changes nothing for another. */
TEST(a_node_has_faults_of_its_own)
{
    struct world_setting repaired_later = usual;
    node_faults_t *faults[2];
    struct fault first[2];

    repaired_later.node_repair_s = 1000000;
    faults[0] = begin(&usual);
    faults[1] = begin(&repaired_later);
    for (int i = 0; i < 2; i++)
        do
            first[i] = next(faults[i]);
        while (first[i].node != 17);
    assert_true(first[0].gone && first[0].at_s == first[1].at_s);
    for (int i = 0; i < 2; i++)
        node_faults_destroy(&faults[i]);
}

/* A node is gone and up by turns. Of n exponential times the mean is wrong by 1/sqrt(n) of itself,
 * by five times that never. */
TEST(they_are_as_far_apart_as_was_asked)
{
    node_faults_t *faults = begin(&usual);
    int64_t since_s[NODES];
    bool gone[NODES] = {false};
    double sums_s[2] = {0, 0};
    int counts[2] = {0, 0};

    for (int i = 0; i < NODES; i++)
        since_s[i] = FROM_S;
    for (int i = 0; i < FAULTS; i++) {
        const struct fault fault = next(faults);

        assert_true(fault.gone != gone[fault.node] && fault.at_s > since_s[fault.node]);
        sums_s[fault.gone] += (double)(fault.at_s - since_s[fault.node]);
        counts[fault.gone]++;
        gone[fault.node] = fault.gone;
        since_s[fault.node] = fault.at_s;
    }
    assert_true(counts[0] > FAULTS / 3 && counts[1] > FAULTS / 3);
    assert_true(fabs(sums_s[1] / counts[1] / 100000 - 1) < 5 / sqrt(counts[1]));
    assert_true(fabs(sums_s[0] / counts[0] / 2000 - 1) < 5 / sqrt(counts[0]));
    node_faults_destroy(&faults);
}

TEST(no_more_nodes_are_gone_than_may_be)
{
    struct world_setting setting = usual;
    node_faults_t *faults;
    int gone = 0;
    int most = 0;

    setting.nodes_down = 2;
    setting.node_repair_s = 20000;
    faults = begin(&setting);
    for (int i = 0; i < FAULTS; i++) {
        gone += next(faults).gone ? 1 : -1;
        most = gone > most ? gone : most;
        assert_true(gone >= 0 && gone <= 2);
    }
    assert_int_equal(most, 2);
    node_faults_destroy(&faults);
}

TEST(those_of_a_file_come_when_it_says)
{
    const struct world_setting setting = {.faults = "tests/bad_input/faults/usual.csv"};
    node_faults_t *faults = begin(&setting);
    struct fault fault;

    assert_int_equal(node_faults_next_s(faults), 0);
    assert_true(node_faults_take(faults, 99, &fault) && fault.node == 3 && fault.gone);
    assert_false(node_faults_take(faults, 99, &fault));
    assert_true(node_faults_take(faults, 1000, &fault) && fault.node == 3 && !fault.gone);
    assert_true(node_faults_take(faults, 1000, &fault) && fault.node == 0 && fault.gone);
    assert_true(node_faults_take(faults, 1000, &fault) && fault.node == 2 && fault.gone);
    assert_int_equal(node_faults_next_s(faults), INT64_MAX);
    node_faults_destroy(&faults);
}

/* Where both are about a node, what changes nothing does not happen. */
TEST(those_of_a_file_and_random_ones_meet)
{
    struct world_setting setting = usual;
    bool gone[NODES] = {false};
    node_faults_t *faults;

    setting.faults = "tests/bad_input/faults/usual.csv";
    faults = begin(&setting);
    for (int i = 0; i < FAULTS; i++) {
        const struct fault fault = next(faults);

        assert_true(fault.gone != gone[fault.node]);
        gone[fault.node] = fault.gone;
    }
    node_faults_destroy(&faults);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
