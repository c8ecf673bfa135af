/* alarm_test.c - an alarm rings once, for the time it was set to last. */
#include "worker/alarm.h"

#include "common/clock.h"
#include "tests/support/test.h"

static zloop_t *loop;
static alarm_t *bell;
static int rings;

static int leave(zloop_t *of, int timer, void *owner)
{
    (void)of;
    (void)timer;
    (void)owner;
    return -1;
}

static void on_ring(void *owner)
{
    (void)owner;
    rings++;
    (void)zloop_timer(loop, 0, 1, leave, NULL);
}

static int set_up(void **state)
{
    (void)state;
    rings = 0;
    loop = zloop_new();
    bell = alarm_new(loop, on_ring, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    zloop_destroy(&loop);
    alarm_destroy(&bell);
    return 0;
}

static void it_rings_once(void **state)
{
    const int64_t now_us = clock_boot_us();

    (void)state;
    alarm_set(bell, now_us, now_us);
    (void)zloop_start(loop);
    (void)zloop_timer(loop, 0, 1, leave, NULL);
    (void)zloop_start(loop);
    assert_int_equal(rings, 1);
}

static void the_last_time_counts(void **state)
{
    const int64_t now_us = clock_boot_us();

    (void)state;
    alarm_set(bell, now_us + INT64_C(3600) * 1000000, now_us);
    alarm_set(bell, now_us - 1, now_us); /* past: at once */
    (void)zloop_start(loop);
    assert_int_equal(rings, 1);
}

static void it_can_be_taken_back(void **state)
{
    const int64_t now_us = clock_boot_us();

    (void)state;
    alarm_set(bell, now_us, now_us);
    alarm_set(bell, INT64_MAX, now_us);
    (void)zloop_timer(loop, 0, 1, leave, NULL);
    (void)zloop_start(loop);
    assert_int_equal(rings, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_rings_once),
        TEST(the_last_time_counts),
        TEST(it_can_be_taken_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
