/* holdings_test.c - what happens to a whole node: its lease is over, all restart, all end. */
#include "tests/worker/holdings_bed.h"

#include "tests/support/test.h"

#include <string.h>

#define SECOND_US INT64_C(1000000)

static struct holdings_bed bed;

/* Welcomed at second 100 with a lease of ten seconds; GPU 0 has a part that is ready. */
static int set_up(void **state)
{
    const struct msg_run run = holdings_bed_run(1, 0);

    (void)state;
    holdings_bed_make(&bed);
    holdings_welcome(bed.holdings, 3, 10000);
    holdings_renew_lease(bed.holdings, 100 * SECOND_US);
    holdings_trainer_up(bed.holdings, 0, 100 * SECOND_US);
    assert_int_equal(parts_run(holdings_parts(bed.holdings), &run), EFFECT_APPLIED);
    holdings_bed_rank_is(&bed, 1, 0, PART_READY);
    bed.reported[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    holdings_bed_clear(&bed);
    return 0;
}

static void all_parts_fail_when_the_lease_is_over(void **state)
{
    (void)state;
    holdings_look_at_lease(bed.holdings, 109 * SECOND_US);
    assert_string_equal(bed.reported, "");
    holdings_look_at_lease(bed.holdings, 110 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_string_equal(bed.cause, "lease over");
    holdings_look_at_lease(bed.holdings, 110 * SECOND_US + 1);
    holdings_bed_rank_is(&bed, 1, 0, PART_STOPPED);
    assert_string_equal(bed.reported, "stopping failed ");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 0);
}

static void an_answer_of_the_master_keeps_them(void **state)
{
    (void)state;
    holdings_renew_lease(bed.holdings, 105 * SECOND_US);
    holdings_look_at_lease(bed.holdings, 114 * SECOND_US);
    assert_string_equal(bed.reported, "");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
}

static void a_restart_stops_all_parts_and_the_node_stays(void **state)
{
    (void)state;
    holdings_restart(bed.holdings, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_false(holdings_is_closing(bed.holdings));
    assert_false(holdings_is_down(bed.holdings));
}

static void a_node_that_is_shut_down_takes_no_trainer(void **state)
{
    const struct msg_run run = holdings_bed_run(2, 1);

    (void)state;
    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_true(holdings_is_closing(bed.holdings));
    assert_int_equal(parts_run(holdings_parts(bed.holdings), &run), EFFECT_APPLIED);
    holdings_trainer_up(bed.holdings, 1, 101 * SECOND_US);
    assert_false(
        parts_sent(holdings_parts(bed.holdings), 1)); /* it waits for a trainer that never comes */
}

static void it_is_down_when_no_trainer_is_left(void **state)
{
    (void)state;
    assert_false(holdings_is_down(bed.holdings));
    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_true(holdings_is_down(bed.holdings)); /* none was ever started */
}

static void a_node_that_can_start_no_trainer_says_so_and_closes(void **state)
{
    struct error error;

    (void)state;
    assert_int_equal(holdings_tick(bed.holdings, 101 * SECOND_US, &error), -1);
    assert_non_null(strstr(error.text, "/nowhere/trainer"));
    assert_true(holdings_is_down(bed.holdings));
}

static void it_wakes_up_for_what_is_due_first(void **state)
{
    (void)state;
    assert_int_equal(holdings_due_us(bed.holdings), 0); /* trainers are to be started */
    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_int_equal(holdings_due_us(bed.holdings), 110 * SECOND_US); /* the lease of what stops */
    holdings_bed_rank_is(&bed, 1, 0, PART_STOPPED);
    assert_int_equal(holdings_due_us(bed.holdings), INT64_MAX);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_parts_fail_when_the_lease_is_over),
        TEST(an_answer_of_the_master_keeps_them),
        TEST(a_restart_stops_all_parts_and_the_node_stays),
        TEST(a_node_that_is_shut_down_takes_no_trainer),
        TEST(it_is_down_when_no_trainer_is_left),
        TEST(a_node_that_can_start_no_trainer_says_so_and_closes),
        TEST(it_wakes_up_for_what_is_due_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
