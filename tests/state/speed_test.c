/* speed_test.c - how fast a job is held to be: a median of windows. */
#include "scheduler/state/job.h"
#include "tests/support/test.h"

static void work(struct speed *speed, double pace, int windows)
{
    for (int i = 0; i < windows; i++)
        speed_hear(speed, pace, SPEED_WINDOW_S);
}

TEST(without_news_the_profile_stands)
{
    const struct speed speed = {.lag = 0};

    assert_true(speed_factor(&speed) == 1);
}

TEST(a_speed_is_known_once_most_windows_are_heard)
{
    struct speed speed = {.lag = 0};
    const struct job job = {.speed = &speed};

    work(&speed, 0.5, 2);
    assert_false(job_speed_is_known(&job));
    work(&speed, 0.5, 1);
    assert_true(job_speed_is_known(&job));
    assert_true(speed_factor(&speed) == 0.5);
}

TEST(a_job_of_which_nothing_is_heard_is_as_profiled)
{
    const struct job starts = {.attained_s = SPEED_WINDOW_S};
    const struct job runs = {.attained_s = (int64_t)SPEED_WINDOWS_KNOWN * SPEED_WINDOW_S};

    assert_false(job_speed_is_known(&starts));
    assert_true(job_speed_is_known(&runs));
}

TEST(a_job_that_is_over_tells_what_was_heard_of_it)
{
    struct speed speed = {.lag = 0};
    struct job job = {.speed = &speed};
    double lag;

    assert_false(job_tells_lag(&job, &lag));
    work(&speed, 0.5, 1);
    assert_true(job_tells_lag(&job, &lag));
    assert_true(lag == 0.5);
    work(&speed, 0.75, 1);
    assert_true(job_tells_lag(&job, &lag));
    assert_true(lag == 0.5);
    work(&speed, 0.75, 3);
    assert_true(job_tells_lag(&job, &lag));
    assert_true(lag == 0.25);
    job = (struct job){.attained_s = SPEED_WINDOW_S - 1};
    assert_false(job_tells_lag(&job, &lag));
    job.attained_s++;
    assert_true(job_tells_lag(&job, &lag));
    assert_true(lag == 0);
}

TEST(the_slowest_window_is_remembered_until_it_is_old)
{
    struct speed speed = {.lag = 0};

    assert_true(speed_slowest(NULL) == 1);
    assert_true(speed_slowest(&speed) == 1);
    work(&speed, 0.75, 1);
    assert_true(speed_factor(&speed) == 1);
    assert_true(speed_slowest(&speed) == 0.75);
    work(&speed, 2, SPEED_WINDOWS - 1);
    assert_true(speed_slowest(&speed) == 0.75);
    work(&speed, 2, 1);
    assert_true(speed_slowest(&speed) == 1);
    work(&speed, 0.001, 1);
    assert_true(speed_slowest(&speed) == SPEED_FACTOR_MIN);
}

TEST(stalls_are_not_slowness)
{
    struct speed speed = {.lag = 0};

    work(&speed, 0.0097, 2);
    assert_true(speed_factor(&speed) == 1);
    work(&speed, 1, SPEED_WINDOWS);
    work(&speed, 0.0097, 2);
    work(&speed, 1, 1);
    assert_true(speed_factor(&speed) == 1);
}

TEST(slowness_that_lasts_is_believed_and_forgotten)
{
    struct speed speed = {.lag = 0};

    work(&speed, 0.75, 3);
    assert_true(speed_factor(&speed) == 0.75);
    work(&speed, 1, 3);
    assert_true(speed_factor(&speed) == 1);
}

TEST(what_stands_still_says_nothing)
{
    struct speed speed = {.lag = 0};

    work(&speed, 0, 10);
    speed_hear(&speed, 0.5, 0);
    assert_true(speed_factor(&speed) == 1);
    assert_int_equal(speed.worked_s, 0);
}

/* News that are late slow one short interval down to little and leave the next ones as they are. */
TEST(short_intervals_make_one_window)
{
    struct speed speed = {.lag = 0};

    for (int window = 0; window < 3; window++) {
        speed_hear(&speed, 0.25, 20);
        speed_hear(&speed, 1, 39);
        assert_int_equal(speed.worked_s, 59);
        speed_hear(&speed, 1, 1);
        assert_int_equal(speed.worked_s, 0);
    }
    assert_true(speed_factor(&speed) == 0.75);
}

TEST(faster_than_profiled_is_as_profiled)
{
    struct speed speed = {.lag = 0};

    work(&speed, 3, SPEED_WINDOWS);
    assert_true(speed_factor(&speed) == 1);
}

TEST(a_factor_is_never_nothing)
{
    struct speed speed = {.lag = 0};

    work(&speed, 1e-9, SPEED_WINDOWS);
    assert_true(speed_factor(&speed) > 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
