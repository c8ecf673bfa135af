/* use_curve_test.c - GPUs used over time, in parts that get longer as the run does. */
#include "scheduler/report/use_curve.h"
#include "tests/support/test.h"

#include <math.h>

TEST(means_are_those_of_equal_parts)
{
    struct use_curve curve = {.part_s = 0};
    double means[4];

    use_curve_step(&curve, 100, 4, 8);
    use_curve_step(&curve, 110, 8, 8);
    use_curve_step(&curve, 115, 0, 6);
    use_curve_step(&curve, 120, 8, 6);
    use_curve_means(&curve, 4, means);
    assert_true(means[0] == 4 && means[1] == 4 && means[2] == 8 && means[3] == 0);
    use_curve_means(&curve, 1, means);
    assert_true(means[0] == 4);
    assert_int_equal(curve.gpus_most, 8);
}

TEST(nothing_is_used_before_time_moves)
{
    struct use_curve curve = {.part_s = 0};
    double means[3] = {1, 1, 1};

    use_curve_means(&curve, 3, means);
    assert_true(means[0] == 0 && means[1] == 0 && means[2] == 0);
    use_curve_step(&curve, 5, 2, 2);
    use_curve_step(&curve, 5, 1, 2);
    means[0] = 1;
    use_curve_means(&curve, 1, means);
    assert_true(means[0] == 0);
}

/* Whatever the lengths of the steps, no GPU second is lost, and a mean is never more than what was
 * used. */
TEST(gpu_seconds_stay_as_the_parts_grow)
{
    struct use_curve curve = {.part_s = 0};
    double means[50];
    double expected = 0;
    double sum = 0;
    int64_t now_s = 7;

    use_curve_step(&curve, now_s, 3, 16);
    for (int i = 1; i <= 2000; i++) {
        const int64_t length_s = i % 7 == 0 ? 1000003 : i % 13;

        expected += (double)length_s * curve.gpus_used;
        now_s += length_s;
        use_curve_step(&curve, now_s, i % 17, 16);
    }
    use_curve_means(&curve, 50, means);
    for (int i = 0; i < 50; i++) {
        assert_true(means[i] >= 0 && means[i] <= 16);
        sum += means[i] * (double)(now_s - 7) / 50;
    }
    assert_true(fabs(sum - expected) <= 1e-9 * expected);
}

/* A step as long as time can be. */
TEST(the_longest_run_fits)
{
    struct use_curve curve = {.part_s = 0};
    double mean;

    use_curve_step(&curve, 0, 5, 5);
    use_curve_step(&curve, INT64_C(4000000000000), 0, 5);
    use_curve_means(&curve, 1, &mean);
    assert_true(fabs(mean - 5) < 1e-9);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
