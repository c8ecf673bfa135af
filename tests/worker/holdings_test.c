/* holdings_test.c - what happens to a whole node: its lease is over, all restart, all end. */
#include "tests/worker/holdings_bed.h"

#include "tests/support/test.h"

#include <string.h>

#define SECOND_US INT64_C(1000000)

static struct holdings_bed bed;

/* Welcomed at second 100 with a lease of ten seconds; GPU 0 has a part that is ready. */
FIXTURE(set_up)
{
    const struct msg_run run = holdings_bed_run(1, 0);

    holdings_bed_make(&bed);
    holdings_welcome(bed.holdings, 3, 10000);
    holdings_renew_lease(bed.holdings, 100 * SECOND_US);
    holdings_trainer_up(bed.holdings, 0, 100 * SECOND_US);
    assert_int_equal(parts_run(holdings_parts(bed.holdings), &run), EFFECT_APPLIED);
    holdings_bed_rank_is(&bed, 1, 0, PART_READY);
    bed.reported[0] = '\0';
    return 0;
}

FIXTURE(tear_down)
{
    holdings_bed_clear(&bed);
    return 0;
}

#define READY(name) TEST_WITH(name, set_up, tear_down)

READY(all_parts_fail_when_the_lease_is_over)
{
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

READY(an_answer_of_the_master_keeps_them)
{
    holdings_renew_lease(bed.holdings, 105 * SECOND_US);
    holdings_look_at_lease(bed.holdings, 114 * SECOND_US);
    assert_string_equal(bed.reported, "");
    assert_int_equal(parts_live(holdings_parts(bed.holdings)), 1);
}

READY(a_restart_stops_all_parts_and_the_node_stays)
{
    holdings_restart(bed.holdings, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_false(holdings_is_closing(bed.holdings));
    assert_false(holdings_is_down(bed.holdings));
}

READY(a_node_that_is_shut_down_takes_no_trainer)
{
    const struct msg_run run = holdings_bed_run(2, 1);

    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_true(holdings_is_closing(bed.holdings));
    assert_int_equal(parts_run(holdings_parts(bed.holdings), &run), EFFECT_APPLIED);
    holdings_trainer_up(bed.holdings, 1, 101 * SECOND_US);
    assert_false(
        parts_sent(holdings_parts(bed.holdings), 1)); /* it waits for a trainer that never comes */
}

READY(it_is_down_when_no_trainer_is_left)
{
    assert_false(holdings_is_down(bed.holdings));
    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_true(holdings_is_down(bed.holdings)); /* none was ever started */
}

READY(a_node_that_can_start_no_trainer_says_so_and_closes)
{
    struct error error;

    assert_int_equal(holdings_tick(bed.holdings, 101 * SECOND_US, &error), -1);
    assert_non_null(strstr(error.text, "/nowhere/trainer"));
    assert_true(holdings_is_down(bed.holdings));
}

READY(it_wakes_up_for_what_is_due_first)
{
    assert_int_equal(holdings_due_us(bed.holdings), 0); /* trainers are to be started */
    holdings_shut_down(bed.holdings, 101 * SECOND_US);
    assert_int_equal(holdings_due_us(bed.holdings), 110 * SECOND_US); /* the lease of what stops */
    holdings_bed_rank_is(&bed, 1, 0, PART_STOPPED);
    assert_int_equal(holdings_due_us(bed.holdings), INT64_MAX);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
