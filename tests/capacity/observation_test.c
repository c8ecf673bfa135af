/* observation_test.c - when the engine is to hear of trainers that are slower than it expects. */
#include "common/clock.h"
#include "scheduler/capacity/capacity_state.h"
#include "tests/support/test.h"

/* A job that was to do 100 iterations since step 0 and did so many, at a pace of a half as the
 * engine was told last. */
static bool slows(int64_t done, bool known)
{
    static capacity_t capacity;
    const struct books books = {.iterations = 1000, .rate = 1};
    const struct trained_job job = {
        .training = true, .step = done, .heard_s = clock_s(), .expected_rate = 1, .pace = 0.5};

    capacity.heartbeat_ms = 1;
    return observe_slows(&capacity, &job, &books, 100, 0, known);
}

TEST(a_pace_that_changed_is_told)
{
    assert_true(slows(30, true));
    assert_true(slows(30, false));
    assert_true(slows(70, true));
}

TEST(a_pace_that_did_not_is_told_until_the_speed_is_known)
{
    assert_false(slows(51, true));
    assert_true(slows(51, false));
}

TEST(what_messages_are_late_by_is_not_told)
{
    assert_false(slows(99, true));
    assert_false(slows(99, false));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
