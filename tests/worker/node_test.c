/* node_test.c - what happens to a whole node: its lease is over, all restart, all end. */
#include "tests/worker/node_bed.h"

#include "tests/support/test.h"

#include <string.h>

#define SECOND_US INT64_C(1000000)

static struct node_bed bed;

/* Welcomed at second 100 with a lease of ten seconds; GPU 0 has a part that is ready. */
static int set_up(void **state)
{
    const struct msg_run run = node_bed_run(1, 0);

    (void)state;
    node_bed_make(&bed);
    node_welcome(bed.node, 3, 10000);
    node_renew_lease(bed.node, 100 * SECOND_US);
    node_trainer_up(bed.node, 0, 100 * SECOND_US);
    assert_int_equal(parts_run(node_parts(bed.node), &run), EFFECT_APPLIED);
    node_bed_rank_is(&bed, 1, 0, PART_READY);
    bed.reported[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    node_bed_clear(&bed);
    return 0;
}

static void all_parts_fail_when_the_lease_is_over(void **state)
{
    (void)state;
    node_look_at_lease(bed.node, 109 * SECOND_US);
    assert_string_equal(bed.reported, "");
    node_look_at_lease(bed.node, 110 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_string_equal(bed.cause, "lease over");
    node_look_at_lease(bed.node, 110 * SECOND_US + 1);
    node_bed_rank_is(&bed, 1, 0, PART_STOPPED);
    assert_string_equal(bed.reported, "stopping failed ");
    assert_int_equal(parts_live(node_parts(bed.node)), 0);
}

static void an_answer_of_the_master_keeps_them(void **state)
{
    (void)state;
    node_renew_lease(bed.node, 105 * SECOND_US);
    node_look_at_lease(bed.node, 114 * SECOND_US);
    assert_string_equal(bed.reported, "");
    assert_int_equal(parts_live(node_parts(bed.node)), 1);
}

static void a_restart_stops_all_parts_and_the_node_stays(void **state)
{
    (void)state;
    node_restart(bed.node, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_false(node_is_closing(bed.node));
    assert_false(node_is_down(bed.node));
}

static void a_node_that_is_shut_down_takes_no_trainer(void **state)
{
    const struct msg_run run = node_bed_run(2, 1);

    (void)state;
    node_shut_down(bed.node, 101 * SECOND_US);
    assert_string_equal(bed.reported, "stopping ");
    assert_true(node_is_closing(bed.node));
    assert_int_equal(parts_run(node_parts(bed.node), &run), EFFECT_APPLIED);
    node_trainer_up(bed.node, 1, 101 * SECOND_US);
    assert_false(parts_held(node_parts(bed.node), 1)); /* it waits for a trainer that never comes */
}

static void it_is_down_when_no_trainer_is_left(void **state)
{
    (void)state;
    assert_false(node_is_down(bed.node));
    node_shut_down(bed.node, 101 * SECOND_US);
    assert_true(node_is_down(bed.node)); /* none was ever started */
}

static void a_node_that_can_start_no_trainer_says_so_and_closes(void **state)
{
    struct error error;

    (void)state;
    assert_int_equal(node_tick(bed.node, 101 * SECOND_US, &error), -1);
    assert_non_null(strstr(error.text, "/nowhere/trainer"));
    assert_true(node_is_down(bed.node));
}

static void it_wakes_up_for_what_is_due_first(void **state)
{
    (void)state;
    assert_int_equal(node_due_us(bed.node), 0); /* trainers are to be started */
    node_shut_down(bed.node, 101 * SECOND_US);
    assert_int_equal(node_due_us(bed.node), 110 * SECOND_US); /* the lease of what stops */
    node_bed_rank_is(&bed, 1, 0, PART_STOPPED);
    assert_int_equal(node_due_us(bed.node), INT64_MAX);
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
