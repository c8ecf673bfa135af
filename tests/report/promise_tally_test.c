/* promise_tally_test.c - promises are counted by how they end, by week, user and cause. */
#include "scheduler/report/promise_tally.h"
#include "tests/support/test.h"

#include <string.h>

static json_int_t whole(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static json_t *tell(const struct promise_record records[], size_t count)
{
    promise_tally_t *tally = promise_tally_new();
    json_t *told;

    for (size_t i = 0; i < count; i++)
        promise_tally_add(tally, &records[i]);
    told = promise_tally_tell(tally);
    promise_tally_destroy(&tally);
    assert_null(tally);
    return told;
}

static const struct promise_record records[] = {
    {.user = "bob", .week = "week 10", .end = PROMISE_END_KEPT, .slack_s = 30, .was_at_risk = true},
    {.user = "ann",
     .week = "week 9",
     .end = PROMISE_END_KEPT,
     .slack_s = 0,
     .withdrawals = {[WITHDRAWN_FOR_NODE] = 2, [WITHDRAWN_FOR_SPEED] = 1},
     .falls = 1},
    {.user = "ann",
     .week = "week 10",
     .end = PROMISE_END_LATE,
     .slack_s = -7,
     .was_at_risk = true,
     .withdrawals = {[WITHDRAWN_FOR_NODE] = 1},
     .falls = 2},
    {.user = "ann", .week = "week 10", .end = PROMISE_END_FAILED, .slack_s = 1e9},
    {.user = "ann", .week = "week 10", .end = PROMISE_END_OPEN},
};

TEST(all_are_counted_by_their_ends)
{
    json_t *told = tell(records, COUNT(records));
    const json_t *all = json_object_get(told, "all");

    assert_int_equal(whole(all, "promised"), 5);
    assert_int_equal(whole(all, "kept"), 2);
    assert_int_equal(whole(all, "late"), 1);
    assert_int_equal(whole(all, "failed"), 1);
    assert_int_equal(whole(all, "open"), 1);
    assert_int_equal(whole(all, "cancelled"), 0);
    assert_int_equal(whole(all, "withdrawn"), 2);
    assert_int_equal(whole(all, "withdrawals"), 4);
    assert_int_equal(whole(all, "fell"), 2);
    assert_int_equal(whole(all, "falls"), 3);
    assert_int_equal(whole(all, "at_risk"), 2);
    assert_int_equal(whole(all, "at_risk_kept"), 1);
    assert_int_equal(whole(all, "slack_least_s"), -7);
    assert_int_equal(whole(all, "slack_median_s"), 0);
    json_decref(told);
}

TEST(weeks_and_users_are_in_order)
{
    json_t *told = tell(records, COUNT(records));
    const json_t *weeks = json_object_get(told, "weeks");
    const json_t *users = json_object_get(told, "users");

    assert_int_equal(json_array_size(weeks), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(weeks, 0), "week")),
                        "week 9");
    assert_int_equal(whole(json_array_get(weeks, 0), "promised"), 1);
    assert_int_equal(whole(json_array_get(weeks, 0), "falls"), 1);
    assert_int_equal(whole(json_array_get(weeks, 1), "promised"), 4);
    assert_int_equal(json_array_size(users), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(users, 1), "user")),
                        "bob");
    assert_int_equal(whole(json_array_get(users, 0), "promised"), 4);
    assert_int_equal(whole(json_array_get(users, 1), "slack_least_s"), 30);
    json_decref(told);
}

/* A job counts once for each cause. */
TEST(withdrawals_are_counted_by_cause)
{
    json_t *told = tell(records, COUNT(records));
    const json_t *causes = json_object_get(told, "causes");
    const json_t *node = json_array_get(causes, 0);

    assert_int_equal(json_array_size(causes), 2);
    assert_string_equal(json_string_value(json_object_get(node, "cause")), "node");
    assert_int_equal(whole(node, "withdrawals"), 3);
    assert_int_equal(whole(node, "withdrawn"), 2);
    assert_int_equal(whole(node, "kept"), 1);
    assert_int_equal(whole(node, "late"), 1);
    assert_int_equal(whole(json_array_get(causes, 1), "withdrawals"), 1);
    json_decref(told);
}

TEST(without_promises_there_is_no_slack)
{
    json_t *told = tell(NULL, 0);
    const json_t *all = json_object_get(told, "all");

    assert_int_equal(whole(all, "promised"), 0);
    assert_true(json_is_null(json_object_get(all, "slack_least_s")));
    assert_true(json_is_null(json_object_get(all, "slack_median_s")));
    assert_int_equal(json_array_size(json_object_get(told, "users")), 0);
    json_decref(told);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
