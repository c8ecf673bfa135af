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

FIXTURE(set_up)
{
    rings = 0;
    loop = zloop_new();
    bell = alarm_new(loop, on_ring, NULL);
    return 0;
}

FIXTURE(tear_down)
{
    zloop_destroy(&loop);
    alarm_destroy(&bell);
    return 0;
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(it_rings_once)
{
    const int64_t now_us = clock_boot_us();

    alarm_set(bell, now_us, now_us);
    (void)zloop_start(loop);
    (void)zloop_timer(loop, 0, 1, leave, NULL);
    (void)zloop_start(loop);
    assert_int_equal(rings, 1);
}

READY(the_last_time_counts)
{
    const int64_t now_us = clock_boot_us();

    alarm_set(bell, now_us + INT64_C(3600) * 1000000, now_us);
    alarm_set(bell, now_us - 1, now_us); /* past: at once */
    (void)zloop_start(loop);
    assert_int_equal(rings, 1);
}

READY(it_can_be_taken_back)
{
    const int64_t now_us = clock_boot_us();

    alarm_set(bell, now_us, now_us);
    alarm_set(bell, INT64_MAX, now_us);
    (void)zloop_timer(loop, 0, 1, leave, NULL);
    (void)zloop_start(loop);
    assert_int_equal(rings, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
