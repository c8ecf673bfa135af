/* scaling_test.c - the levels of a job: which fit, which the cluster has, which it may use. */
#include "scheduler/state/scaling.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static const struct throughput_row doubling = {.model = "model",
                                               .batch_size = 64,
                                               .level_count = 7,
                                               .gpus = {1, 2, 4, 8, 16, 32, 64},
                                               .iters_per_s = {1, 2, 3, 4, 5, 6, 7}};

static struct scaling scaling_for(const struct throughput_row *row, int gpus_max, int cluster_gpus)
{
    struct scaling scaling;
    struct error error;

    if (scaling_init(&scaling, row, gpus_max, cluster_gpus, &error) < 0)
        fail_msg("%s", error.text);
    return scaling;
}

TEST(the_cap_ends_the_levels)
{
    const struct scaling scaling = scaling_for(&doubling, 16, 64);

    assert_int_equal(scaling.top, 5);
    assert_int_equal(scaling.reach, 5);
    assert_int_equal(scaling.whole, 5);
    assert_int_equal(scaling.gpus[0], 0);
    assert_int_equal(scaling.gpus[5], 16);
    assert_true(scaling.rate[0] == 0 && scaling.rate[5] == 5);
    assert_true(scaling.regular);
}

TEST(the_cluster_ends_what_can_be_reached)
{
    const struct scaling scaling = scaling_for(&doubling, 64, 8);

    assert_int_equal(scaling.top, 7);
    assert_int_equal(scaling.reach, 4);
    assert_int_equal(scaling.whole, 4);
}

TEST(a_cluster_size_that_is_no_level_is_no_whole)
{
    const struct scaling scaling = scaling_for(&doubling, 64, 12);
    struct error error;

    assert_int_equal(scaling.whole, -1);
    assert_int_equal(scaling.reach, 4);
    assert_false(scaling.regular);
    assert_int_equal(scaling_complain(&scaling, -1, &error), -1);
    assert_non_null(strstr(error.text, "no column for 12 GPUs"));
}

TEST(the_highest_level_that_fits_is_used)
{
    const struct scaling scaling = scaling_for(&doubling, 16, 64);
    static const int fits[][2] = {{0, 0}, {1, 1},  {2, 2},  {3, 2},  {4, 3},    {7, 3},
                                  {8, 4}, {15, 4}, {16, 5}, {31, 5}, {1000, 5}, {1048576, 5}};

    for (size_t i = 0; i < COUNT(fits); i++)
        assert_int_equal(scaling_fit(&scaling, fits[i][0]), fits[i][1]);
}

TEST(the_only_level_may_be_any_number_and_fits_as_the_next_power_of_two)
{
    const struct throughput_row twenty = {
        .model = "model", .batch_size = 64, .level_count = 1, .gpus = {20}, .iters_per_s = {5}};
    const struct scaling scaling = scaling_for(&twenty, 64, 32);
    static const int blocks[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 4}, {4, 4}, {20, 32}, {32, 32}};
    struct error error;

    assert_int_equal(scaling.gpus[1], 20);
    assert_int_equal(scaling.block[1], 32);
    assert_int_equal(scaling_fit(&scaling, 31), 0);
    assert_int_equal(scaling_fit(&scaling, 32), 1);
    assert_int_equal(scaling.reach, 1);
    assert_int_equal(scaling_for(&twenty, 64, 31).reach, 0);
    assert_false(scaling_is_in_blocks(&scaling));
    assert_int_equal(scaling_complain_of_size(&scaling, &error), -1);
    assert_non_null(strstr(error.text, "found 20"));
    for (size_t i = 0; i < COUNT(blocks); i++)
        assert_int_equal(scaling_block(blocks[i][0]), blocks[i][1]);
}

TEST(rates_that_fall_make_no_regular_scaling)
{
    struct throughput_row row = doubling;
    struct scaling scaling;

    row.iters_per_s[3] = 2.5;
    scaling = scaling_for(&row, 64, 64);
    assert_false(scaling.regular);
    assert_true(scaling.peak[4] == 3 && scaling.peak[5] == 5);
    assert_true(scaling_for(&row, 4, 64).regular);
    assert_true(scaling_for(&row, 64, 4).regular);
}

TEST(a_rate_that_is_not_there_makes_no_regular_scaling)
{
    struct throughput_row row = doubling;
    struct scaling scaling;
    struct error error;

    row.iters_per_s[6] = (double)NAN;
    scaling = scaling_for(&row, 64, 64);
    assert_false(scaling.regular);
    assert_true(isinf(scaling.peak[7])); /* so that no search passes over it unseen */
    assert_int_equal(scaling_complain(&scaling, 7, &error), -1);
    assert_string_equal(error.text, "model model, batch size 64: the throughput table has no "
                                    "usable rate on 64 GPUs");
}

/* What EDF needs to plan a job, whatever is free. */
TEST(a_rate_on_each_level_from_one_gpu_on_is_complete)
{
    struct throughput_row slower = doubling;
    struct throughput_row gap = doubling;
    struct throughput_row wide = {.model = "model",
                                  .batch_size = 64,
                                  .level_count = 2,
                                  .gpus = {2, 4},
                                  .iters_per_s = {2, 3}};

    slower.iters_per_s[3] = 0.5;
    gap.iters_per_s[3] = 0;
    assert_true(scaling_for(&doubling, 64, 64).complete);
    assert_true(scaling_for(&slower, 64, 64).complete);
    assert_false(scaling_for(&slower, 64, 64).regular);
    assert_false(scaling_for(&gap, 64, 64).complete);
    assert_true(scaling_for(&gap, 4, 64).complete);
    assert_false(scaling_for(&wide, 4, 64).complete);
    assert_false(scaling_for(&doubling, 64, 12).complete);
    gap.iters_per_s[3] = NAN;
    assert_false(scaling_for(&gap, 64, 64).complete);
}

TEST(a_level_that_is_no_power_of_two_is_refused)
{
    struct throughput_row row = doubling;
    struct scaling scaling;
    struct error error;

    /* EF-Q2 */
    row.gpus[2] = 3;
    assert_int_equal(scaling_init(&scaling, &row, 64, 64, &error), -1);
    assert_non_null(strstr(error.text, "model model: GPU counts must be powers of two"));
    assert_int_equal(scaling_init(&scaling, &row, 2, 64, &error), 0);
}

TEST(a_refused_count_is_found_in_its_file)
{
    struct throughput_row row = doubling;
    struct scaling scaling;
    struct error error;

    row.gpus[2] = 3;
    row.file = "tables/A100.csv";
    row.line = 7;
    assert_int_equal(scaling_init(&scaling, &row, 64, 64, &error), -1);
    assert_non_null(strstr(error.text, "tables/A100.csv:7: model model: GPU counts must be"));
    assert_non_null(strstr(error.text, "found 3;"));
}

TEST(any_counts_are_levels_for_those_who_take_them)
{
    struct throughput_row row = doubling;
    struct scaling scaling;

    row.gpus[2] = 3;
    scaling_fill(&scaling, &row, 3, 64);
    assert_int_equal(scaling.top, 3);
    assert_int_equal(scaling.gpus[3], 3);
    assert_int_equal(scaling.block[3], 4);
    assert_int_equal(scaling_fit(&scaling, 3), 2);
    assert_int_equal(scaling_fit(&scaling, 4), 3);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
