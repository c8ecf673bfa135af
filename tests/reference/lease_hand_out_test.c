/* lease_hand_out_test.c - which job gets what is free, in which order, and which pays for a start.
 *
 * It is 240, after the round of slot 1. Where nothing else is said a job is estimated at 1.102
 * times its duration, on one GPU, and at 1.107 times on four. */
#include "tests/reference/lease_stage.h"
#include "tests/support/capacity.h"
#include "tests/support/test.h"

static struct lease_stage *stage;

static void set_stage(int gpus, const char *rules)
{
    lease_stage_destroy(&stage);
    stage = lease_stage_new(gpus, rules);
    lease_stage_behind_round(stage, 240);
}

FIXTURE(tear_down)
{
    lease_stage_destroy(&stage);
    return 0;
}

/* A job that waits, of best effort if the deadline is 0. */
static struct lease *add(const char *id, int64_t duration_s, int gpus, int64_t deadline_s,
                         enum lease_class class)
{
    return lease_stage_add(
        stage, &(struct lease_job){id, 0, duration_s, gpus, {{deadline_s, 10}}, false}, class);
}

static void check_lists(const char *running, const char *pending)
{
    assert_string_equal(lease_stage_names(&stage->book->running), running);
    assert_string_equal(lease_stage_names(&stage->book->pending), pending);
}

#define ON_STAGE(name) TEST_WITH(name, NULL, tear_down)

ON_STAGE(those_who_have_least_to_do_come_first)
{
    set_stage(16, NULL);
    add("a", 300, 1, 9000, LEASE_UNACCEPTED);
    add("b", 100, 4, 9000, LEASE_UNACCEPTED); /* 440 GPU seconds: more than 330 */
    add("c", 200, 1, 0, LEASE_BEST_EFFORT);
    add("d", 500, 1, 9000, LEASE_UNACCEPTED);
    stage->jobs[3].attained_s = 400; /* 551 - 400 */
    lease_hand_out(&stage->look);
    check_lists("d c a b", "");
}

ON_STAGE(whoever_outlived_his_estimate_goes_before_all)
{
    set_stage(16, NULL);
    add("a", 100, 1, 9000, LEASE_UNACCEPTED);
    add("b", 900, 1, 9000, LEASE_UNACCEPTED)->boosted = true;
    lease_hand_out(&stage->look);
    check_lists("b a", "");
}

/* 300 s from 240 on: `b` misses its deadline by 130 s and `c` by 20, or 80 on its GPUs; `a` is done
 * in time, if with the last second. */
ON_STAGE(those_who_are_late_come_last_by_how_late_they_are)
{
    struct lease *lease;

    set_stage(16, NULL);
    add("c", 300, 4, 520, LEASE_UNACCEPTED);
    lease = add("b", 300, 1, 410, LEASE_UNACCEPTED);
    add("a", 300, 1, 540, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("a c b", "");
    assert_int_equal(lease->class, LEASE_LOWEST);
    assert_int_equal(lease->urgency, -(410 - 240 - 330));
    assert_int_equal(lease_stage_lease(stage, 0)->urgency, -4 * (520 - 240 - 332));
    assert_int_equal(lease_stage_lease(stage, 2)->class, LEASE_UNACCEPTED);
}

ON_STAGE(the_accepted_do_not_use_what_is_free)
{
    set_stage(16, NULL);
    add("a", 300, 1, 9000, LEASE_ACCEPTED);
    add("b", 300, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("b", "a");
}

ON_STAGE(whoever_does_not_fit_is_passed_over)
{
    set_stage(4, NULL);
    add("a", 100, 2, 9000, LEASE_UNACCEPTED);
    add("b", 100, 4, 9000, LEASE_UNACCEPTED);
    add("c", 900, 2, 9000, LEASE_UNACCEPTED);
    add("d", 900, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("a d", "b c");
    assert_int_equal(lease_book_free_gpus(stage->book), 1);
}

/* Sorted by class before, which keeps best effort in front. */
ON_STAGE(equals_are_sorted_by_class_and_then_by_arrival)
{
    set_stage(2, NULL);
    add("a", 300, 1, 9000, LEASE_UNACCEPTED);
    add("b", 300, 1, 0, LEASE_BEST_EFFORT);
    add("c", 300, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("b a", "c");
}

ON_STAGE(the_earlier_arrival_of_equals_starts)
{
    set_stage(1, NULL);
    add("a", 300, 1, 9000, LEASE_UNACCEPTED);
    add("b", 300, 1, 9000, LEASE_UNACCEPTED);
    stage->submissions[0].submit_s = 200;
    stage->submissions[1].submit_s = 100;
    lease_hand_out(&stage->look);
    check_lists("b", "a");
}

/* By falling class, urgency and arrival. */
ON_STAGE(those_who_wait_are_sorted_also_where_nothing_is_free)
{
    set_stage(1, NULL);
    lease_stage_add_running(stage, &(struct lease_job){"x", 0, 300, 1, {{9000, 10}}, false},
                            LEASE_UNACCEPTED);
    add("a", 300, 1, 300, LEASE_UNACCEPTED);
    add("b", 300, 1, 9000, LEASE_ACCEPTED);
    add("c", 900, 1, 9000, LEASE_UNACCEPTED);
    add("d", 300, 1, 9000, LEASE_UNACCEPTED);
    add("e", 300, 1, 9000, LEASE_UNACCEPTED);
    add("f", 900, 1, 0, LEASE_BEST_EFFORT);
    stage->submissions[5].submit_s = 100;
    lease_hand_out(&stage->look);
    check_lists("x", "f e d c b a");
}

ON_STAGE(a_promise_that_cannot_be_kept_gives_up_its_plan)
{
    struct lease *lease;

    set_stage(4, NULL);
    lease_stage_add_running(stage, &(struct lease_job){"x", 0, 300, 4, {{9000, 10}}, false},
                            LEASE_UNACCEPTED);
    lease = add("a", 300, 1, 539, LEASE_ACCEPTED);
    lease_stage_plan(stage, lease, 2, 3);
    lease_hand_out(&stage->look);
    assert_int_equal(lease->class, LEASE_LOWEST);
    assert_false(lease->planned);
    assert_int_equal(capacity_at(&stage->book->capacity, 2), 4);
}

ON_STAGE(from_now_on_is_the_time_that_counts)
{
    set_stage(1, NULL);
    add("a", 300, 1, 9000, LEASE_UNACCEPTED)->since_s = 17;
    add("b", 900, 1, 9000, LEASE_UNACCEPTED)->since_s = 17;
    lease_hand_out(&stage->look);
    check_lists("a", "b");
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(lease_stage_lease(stage, i)->since_s, 240);
        assert_int_equal(lease_stage_lease(stage, i)->waited_s, 0);
    }
    assert_true(lease_stage_lease(stage, 0)->running);
    assert_false(lease_stage_lease(stage, 0)->held);
}

/* `a` runs and goes on; `b` ran until this very moment; `c` did not run. */
static void check_starts(const char *rules, int64_t a, int64_t b, int64_t c)
{
    struct lease *goes_on;

    set_stage(4, rules);
    goes_on = lease_stage_add_running(
        stage, &(struct lease_job){"a", 0, 300, 1, {{9000, 10}}, false}, LEASE_UNACCEPTED);
    goes_on->ran_before = true;
    add("b", 300, 1, 9000, LEASE_UNACCEPTED)->ran_before = true;
    add("c", 300, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    assert_int_equal(lease_stage_lease(stage, 0)->starts, a);
    assert_int_equal(lease_stage_lease(stage, 1)->starts, b);
    assert_int_equal(lease_stage_lease(stage, 2)->starts, c);
}

ON_STAGE(whoever_starts_pays_also_if_he_ran_until_now)
{
    /* CH-Q8 */
    check_starts(NULL, 0, 1, 1);
    check_starts("CH-Q8", 0, 0, 1);
}

ON_STAGE(whoever_outlived_his_estimate_goes_first_also_when_it_is_too_late)
{
    /* CH-Q17 */
    set_stage(1, NULL);
    add("a", 300, 1, 300, LEASE_UNACCEPTED)->boosted = true;
    add("b", 300, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("a", "b");
    set_stage(1, "CH-Q17");
    add("a", 300, 1, 300, LEASE_UNACCEPTED)->boosted = true;
    add("b", 300, 1, 9000, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("b", "a");
    assert_false(lease_stage_lease(stage, 0)->boosted);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
