/* peer_clock_test.c - what a peer dates by its own clock is dated here, as well as messages tell.
 */
#include "protocol/peer_clock.h"
#include "tests/support/test.h"

#define SECOND_US INT64_C(1000000)

/* The message of a peer whose clock is `ahead_us` ahead, sent at `sent_us` of the clock here. */
static void hear(struct peer_clock *clock, int64_t ahead_us, int64_t sent_us, int64_t late_us)
{
    peer_clock_hear(clock, sent_us + ahead_us, sent_us + late_us);
}

TEST(without_a_stamp_everything_is_now)
{
    const struct peer_clock clock = {0};

    assert_int_equal(peer_clock_here(&clock, 5, 1000), 1000);
}

TEST(clocks_may_be_hours_apart_either_way)
{
    static const int64_t ahead_us[] = {0, 7200 * SECOND_US, -7200 * SECOND_US};

    for (size_t i = 0; i < 3; i++) {
        struct peer_clock clock = {0};

        hear(&clock, ahead_us[i], 100 * SECOND_US, 0);
        assert_int_equal(peer_clock_here(&clock, 60 * SECOND_US + ahead_us[i], 101 * SECOND_US),
                         60 * SECOND_US);
    }
}

/* A process that was stopped finds messages that waited for it: their stamps are old. */
TEST(messages_that_waited_date_nothing_later)
{
    struct peer_clock clock = {0};
    int64_t here_us;

    hear(&clock, SECOND_US, 10 * SECOND_US, 3000);
    for (int i = 1; i <= 600; i++)
        hear(&clock, SECOND_US, (10 + i) * SECOND_US, (600 - i) * SECOND_US + 3000);
    here_us = peer_clock_here(&clock, (50 + 1) * SECOND_US, 610 * SECOND_US);
    assert_true(here_us >= 50 * SECOND_US && here_us <= 51 * SECOND_US);
}

/* A clock that ticks a little slower than the one here, for a month. */
TEST(clocks_that_drift_are_followed)
{
    struct peer_clock clock = {0};
    int64_t here_us = 0;
    int64_t there_us = 0;
    int64_t found_us;

    for (int i = 0; i < 30 * 24 * 60; i++) {
        here_us += 60 * SECOND_US;
        there_us += 60 * SECOND_US - INT64_C(60) * 200; /* 200 in a million */
        peer_clock_hear(&clock, there_us, here_us + 2000);
    }
    found_us = peer_clock_here(&clock, there_us, here_us + SECOND_US);
    assert_true(found_us >= here_us && found_us <= here_us + 100000);
}

TEST(nothing_is_to_come)
{
    struct peer_clock clock = {0};

    hear(&clock, 0, 100, 0);
    assert_int_equal(peer_clock_here(&clock, 500, 120), 120);
}

TEST(stamps_that_no_clock_has_are_not_believed)
{
    static const int64_t wrong_us[] = {INT64_MIN, INT64_MAX, -(INT64_C(1) << 60), INT64_C(1) << 60};
    struct peer_clock clock = {0};

    for (size_t i = 0; i < 4; i++) {
        peer_clock_hear(&clock, wrong_us[i], 100);
        assert_false(clock.known);
    }
    hear(&clock, 0, 100, 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(peer_clock_here(&clock, wrong_us[i], 120), 120);
    peer_clock_hear(&clock, (INT64_C(1) << 60) - 1, 200);
    assert_true(peer_clock_here(&clock, 1 - (INT64_C(1) << 60), 300) < 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
