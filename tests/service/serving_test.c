/* serving_test.c - the heart of the service from request to plan and back: jobs are taken,
 * promised, run, held and changed, nodes come and go, and a start goes on where the last one stood.
 */
#include "tests/support/heart.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <string.h>

#define NODES 2
#define GPUS  4
#define JOB                                                                                        \
    "\"model\": \"resnet50\", \"batch_size\": 128, \"verdict_only\": true, \"iterations\": 10000"

static struct heart *heart;

FIXTURE(set_up)
{
    heart = heart_new(NODES, GPUS);
    assert_int_equal(fake_source_add(heart->source, "a", GPUS), 0);
    assert_int_equal(fake_source_add(heart->source, "b", GPUS), 1);
    heart_go_to(heart, 1);
    return 0;
}

FIXTURE(tear_down)
{
    heart_destroy(&heart);
    return 0;
}

static void submit(const char *more)
{
    heart_ask(heart, heart->alice, "submit", "{" JOB "%s}", more);
    if (heart->code == ANSWER_BAD)
        fail_msg("%s", heart_says(heart, "error"));
}

/* The state of a job, as its user sees it. */
static const char *state_of(uint32_t row)
{
    heart_ask(heart, heart->alice, "show", "{\"job\": %u}", row);
    return heart_says(heart, "state");
}

static const char *node_state(int node)
{
    json_t *told = heart_ask(heart, heart->root, "nodes", "{}");

    return json_string_value(
        json_object_get(json_array_get(json_object_get(told, "nodes"), (size_t)node), "state"));
}

static const char *node_name(int node)
{
    json_t *told = heart_ask(heart, heart->root, "nodes", "{}");

    return json_string_value(
        json_object_get(json_array_get(json_object_get(told, "nodes"), (size_t)node), "name"));
}

/* Time goes on until the job is in `state`; the test fails if that takes too long. */
static void go_on_until(uint32_t row, const char *state)
{
    int64_t now_s = serving_now_s(heart->serving);

    for (int i = 0; i < 1000 && strcmp(state_of(row), state) != 0; i++)
        heart_go_to(heart, now_s += 10);
    assert_string_equal(state_of(row), state);
}

/* ---- jobs ---- */

TEST_WITH(a_job_is_promised_and_runs_until_it_is_done, set_up, tear_down)
{
    submit(", \"deadline_in\": 3000");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_string_equal(heart_says(heart, "verdict"), "promised");
    assert_in_range(fake_source_gpus(heart->source, heart_job(heart, 1)), 1, NODES * GPUS);
    assert_string_equal(state_of(1), "running");
    go_on_until(1, "done");
    assert_int_equal(fake_source_gpus(heart->source, heart_job(heart, 1)), 0);
    assert_in_range(serving_now_s(heart->serving), 1, 3001);
}

TEST_WITH(a_deadline_that_cannot_be_kept_is_not_promised, set_up, tear_down)
{
    submit(", \"deadline_in\": 3, \"promise_or_decline\": true");
    assert_int_equal(heart->code, ANSWER_DECLINED);
    assert_string_equal(heart_says(heart, "verdict"), "declined");
    assert_int_equal(fake_source_gpus(heart->source, heart_job(heart, 1)), 0);
}

TEST_WITH(the_same_key_is_the_same_job, set_up, tear_down)
{
    submit(", \"key\": \"k\"");
    submit(", \"key\": \"k\"");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "job")), 1);
    assert_int_equal(ledger_next(heart->serving->ledger), 2);
}

TEST_WITH(a_job_that_fails_holds_nothing, set_up, tear_down)
{
    submit(", \"deadline_in\": 3000");
    fake_source_fail(heart->source, heart_job(heart, 1), "its program ended with 1");
    heart_go_to(heart, 20);
    assert_string_equal(state_of(1), "failed");
    assert_int_equal(fake_source_plan(heart->source)->job_count, 0);
}

/* ---- steering ---- */

TEST_WITH(a_job_that_is_cancelled_is_stopped, set_up, tear_down)
{
    submit("");
    assert_int_equal(fake_source_plan(heart->source)->job_count, 1);
    heart_ask(heart, heart->alice, "cancel", "{\"job\": 1}");
    assert_string_equal(heart_says(heart, "state"), "cancelled");
    assert_int_equal(fake_source_plan(heart->source)->job_count, 0);
}

TEST_WITH(a_job_that_is_held_goes_on_with_what_it_did, set_up, tear_down)
{
    int64_t done;

    submit("");
    heart_go_to(heart, 200);
    heart_ask(heart, heart->alice, "hold", "{\"job\": 1}");
    assert_string_equal(heart_says(heart, "state"), "held");
    assert_int_equal(fake_source_plan(heart->source)->job_count, 0);
    heart_go_to(heart, 300);
    done = ledger_find(heart->serving->ledger, 1)->iterations_done;
    assert_true(done > 0);
    heart_ask(heart, heart->alice, "release", "{\"job\": 1}");
    assert_int_equal(fake_source_plan(heart->source)->job_count, 1);
    assert_int_equal(fake_source_plan(heart->source)->jobs[0].step, done);
}

TEST_WITH(a_job_is_steered_by_its_user_only, set_up, tear_down)
{
    submit("");
    heart_ask(heart, heart->bob, "cancel", "{\"job\": 1}");
    assert_int_equal(heart->code, ANSWER_NOT_ALLOWED);
    assert_int_equal(fake_source_plan(heart->source)->job_count, 1);
    heart_ask(heart, heart->bob, "drain", "{\"node\": \"a\"}");
    assert_int_equal(heart->code, ANSWER_NOT_ALLOWED);
    heart_ask(heart, heart->root, "cancel", "{\"job\": 1}");
    assert_string_equal(heart_says(heart, "state"), "cancelled");
}

TEST_WITH(a_deadline_is_changed_to_one_that_is_promised, set_up, tear_down)
{
    submit(", \"deadline_in\": 3000");
    heart_ask(heart, heart->alice, "change", "{\"job\": 1, \"deadline_in\": 2500}");
    assert_string_equal(heart_says(heart, "verdict"), "promised");
    heart_ask(heart, heart->alice, "change", "{\"job\": 1, \"deadline_in\": 2}");
    assert_int_equal(heart->code, ANSWER_DECLINED);
    assert_string_equal(state_of(1), "running");
    go_on_until(1, "done");
    assert_in_range(serving_now_s(heart->serving), 1, 2501);
}

/* ---- nodes ---- */

TEST_WITH(a_job_goes_on_elsewhere_when_its_node_leaves, set_up, tear_down)
{
    int first;

    submit(", \"deadline_in\": 3000, \"gpus_max\": 4");
    first = fake_source_rank(heart->source, heart_job(heart, 1));
    heart_go_to(heart, 100);
    fake_source_remove(heart->source, first == 0 ? 0 : 1, "its power failed");
    heart_go_to(heart, 110);
    assert_string_equal(node_state(first == 0 ? 0 : 1), "gone");
    assert_int_not_equal(fake_source_rank(heart->source, heart_job(heart, 1)), first);
    assert_in_range(fake_source_gpus(heart->source, heart_job(heart, 1)), 1, GPUS);
    go_on_until(1, "done");
}

TEST_WITH(a_node_that_drains_gives_up_its_jobs, set_up, tear_down)
{
    int first;

    submit(", \"deadline_in\": 3000, \"gpus_max\": 4");
    first = fake_source_rank(heart->source, heart_job(heart, 1));
    heart_ask(heart, heart->root, "drain", "{\"node\": \"%s\"}", first == 0 ? "a" : "b");
    assert_string_equal(node_state(first == 0 ? 0 : 1), "draining");
    heart_go_to(heart, 5);
    assert_int_not_equal(fake_source_rank(heart->source, heart_job(heart, 1)), first);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"%s\"}", first == 0 ? "a" : "b");
    assert_string_equal(node_state(first == 0 ? 0 : 1), "up");
}

TEST_WITH(a_node_of_another_name_gets_the_place_of_the_one_that_left_first, set_up, tear_down)
{
    heart_ask(heart, heart->root, "drain", "{\"node\": \"a\"}");
    fake_source_remove(heart->source, 0, "it was sold");
    heart_go_to(heart, 2);
    fake_source_remove(heart->source, 1, "it was sold, too");
    heart_go_to(heart, 3);
    (void)fake_source_add(heart->source, "c", GPUS);
    heart_go_to(heart, 4);
    assert_string_equal(node_name(0), "c");
    assert_string_equal(node_state(0), "up");
    assert_string_equal(node_state(1), "gone");
    heart_start_again(heart, false);
    assert_string_equal(node_state(0), "up");
    (void)fake_source_add(heart->source, "b", GPUS);
    heart_go_to(heart, 5);
    assert_string_equal(node_name(1), "b");
    assert_string_equal(node_state(1), "up");
}

TEST_WITH(a_node_without_a_place_waits_until_one_is_left, set_up, tear_down)
{
    (void)fake_source_add(heart->source, "c", GPUS);
    heart_go_to(heart, 2);
    assert_string_equal(node_name(0), "a");
    assert_string_equal(node_name(1), "b");
    submit(", \"deadline_in\": 3000, \"gpus_min\": 8");
    heart_go_to(heart, 20);
    fake_source_remove(heart->source, 1, "its power failed");
    heart_go_to(heart, 30);
    assert_string_equal(node_name(1), "c");
    assert_string_equal(node_state(1), "up");
    go_on_until(1, "done");
}

TEST_WITH(a_node_is_used_until_it_is_known_to_leave, set_up, tear_down)
{
    submit("");
    fake_source_until(heart->source, 0, 100);
    heart_go_to(heart, 2);
    heart_go_to(heart, 99);
    assert_string_equal(node_state(0), "up");
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "draining");
    fake_source_until(heart->source, 0, NEVER_S);
    heart_go_to(heart, 101);
    assert_string_equal(node_state(0), "up");
}

/* ---- nodes that are to drain at a time to come ---- */

/* Until when a node is known to be there, by the clock of the engine; 0 if that is open. */
static int64_t node_until_s(int node)
{
    const json_t *told = heart_ask(heart, heart->root, "nodes", "{}");
    const json_t *until =
        json_object_get(json_array_get(json_object_get(told, "nodes"), (size_t)node), "until");

    return json_is_null(until) ? 0 : json_integer_value(until) - heart->serving->epoch;
}

static void drain(const char *node, int64_t at_s, const char *more)
{
    heart_ask(heart, heart->root, "drain", "{\"node\": \"%s\", \"at\": %" PRId64 "%s}", node,
              heart->serving->epoch + at_s, more);
}

TEST_WITH(a_node_is_in_use_until_it_is_to_drain, set_up, tear_down)
{
    drain("a", 100, "");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_int_equal(node_until_s(0), 100);
    assert_string_equal(node_state(0), "up");
    heart_go_to(heart, 99);
    assert_string_equal(node_state(0), "up");
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "draining");
    assert_int_equal(node_until_s(0), 0);
    drain("a", 200, "");
    assert_int_equal(heart->code, ANSWER_FAILED);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    assert_string_equal(node_state(0), "up");
    assert_int_equal(node_until_s(0), 0);
    drain("a", 100, "");
    assert_int_equal(heart->code, ANSWER_BAD);
}

TEST_WITH(a_node_that_is_to_drain_may_stay_or_drain_at_once, set_up, tear_down)
{
    drain("a", 100, "");
    drain("a", 200, "");
    assert_int_equal(node_until_s(0), 200);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    assert_int_equal(node_until_s(0), 0);
    heart_go_to(heart, 200);
    assert_string_equal(node_state(0), "up");
    heart_ask(heart, heart->root, "drain", "{\"node\": \"a\", \"in\": 300}");
    assert_int_equal(node_until_s(0), 500);
    heart_ask(heart, heart->root, "drain", "{\"node\": \"a\"}");
    assert_string_equal(node_state(0), "draining");
}

TEST_WITH(of_two_known_ends_the_first_counts, set_up, tear_down)
{
    fake_source_until(heart->source, 0, 300);
    heart_go_to(heart, 2);
    drain("a", 500, "");
    assert_int_equal(node_until_s(0), 300);
    drain("a", 200, "");
    assert_int_equal(node_until_s(0), 200);
    fake_source_until(heart->source, 0, 100);
    heart_go_to(heart, 3);
    assert_int_equal(node_until_s(0), 100);
    fake_source_until(heart->source, 0, NEVER_S);
    heart_go_to(heart, 4);
    assert_int_equal(node_until_s(0), 200);
    fake_source_until(heart->source, 0, 300);
    heart_go_to(heart, 5);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    assert_int_equal(node_until_s(0), 300);
}

TEST_WITH(a_node_that_comes_later_is_there_until_it_is_to_drain, set_up, tear_down)
{
    fake_source_remove(heart->source, 0, "its power failed");
    heart_go_to(heart, 2);
    drain("a", 100, "");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_int_equal(node_until_s(0), 100);
    (void)fake_source_add(heart->source, "a", GPUS);
    heart_go_to(heart, 3);
    assert_string_equal(node_state(0), "up");
    assert_int_equal(node_until_s(0), 100);
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "draining");
}

/* Job 1 needs both nodes. */
static void submit_wide(void)
{
    submit(", \"deadline_in\": 3000, \"gpus_min\": 8");
    assert_string_equal(heart_says(heart, "verdict"), "promised");
}

TEST_WITH(a_node_does_not_leave_promises_behind, set_up, tear_down)
{
    submit_wide();
    drain("a", 50, "");
    assert_int_equal(heart->code, ANSWER_FAILED);
    assert_string_equal(heart_says(heart, "error"),
                        "1 promise would be broken: of job 1; nothing was done: --force drains the "
                        "node all the same");
    assert_int_equal(node_until_s(0), 0);
    drain("a", 3000, "");
    assert_int_equal(heart->code, ANSWER_DONE);
    go_on_until(1, "done");
    assert_in_range(serving_now_s(heart->serving), 1, 3001);
}

TEST_WITH(a_node_leaves_promises_behind_by_force, set_up, tear_down)
{
    submit_wide();
    drain("a", 50, ", \"force\": true");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_int_equal(node_until_s(0), 50);
    heart_ask(heart, heart->root, "status", "{}");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "promises_withdrawn")), 1);
}

TEST_WITH(a_job_goes_on_elsewhere_when_its_node_drains, set_up, tear_down)
{
    int first;

    submit(", \"deadline_in\": 3000, \"gpus_max\": 4");
    first = fake_source_rank(heart->source, heart_job(heart, 1));
    drain(first == 0 ? "a" : "b", 50, "");
    assert_int_equal(heart->code, ANSWER_DONE);
    heart_go_to(heart, 49);
    assert_int_equal(fake_source_rank(heart->source, heart_job(heart, 1)), first);
    heart_go_to(heart, 50);
    assert_int_not_equal(fake_source_rank(heart->source, heart_job(heart, 1)), first);
    go_on_until(1, "done");
    heart_ask(heart, heart->root, "status", "{}");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "promise_withdrawals")), 0);
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "promises_kept")), 1);
}

/* ---- nodes that are reserved ---- */

static void reserve(int64_t from_s, int64_t to_s, const char *more)
{
    heart_ask(heart, heart->root, "reserve", "{\"from\": %" PRId64 ", \"to\": %" PRId64 ", %s}",
              heart->serving->epoch + from_s, heart->serving->epoch + to_s, more);
}

static size_t count_reservations(void)
{
    return json_array_size(
        json_object_get(heart_ask(heart, heart->alice, "reservations", "{}"), "reservations"));
}

TEST_WITH(a_reserved_node_is_out_of_use_for_a_time, set_up, tear_down)
{
    reserve(100, 200, "\"nodes\": [\"a\"]");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "reservation")), 1);
    assert_int_equal(node_until_s(0), 100);
    assert_int_equal(node_until_s(1), 0);
    submit("");
    heart_go_to(heart, 99);
    assert_string_equal(node_state(0), "up");
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "draining");
    assert_string_equal(node_state(1), "up");
    assert_int_equal(count_reservations(), 1);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    assert_int_equal(heart->code, ANSWER_FAILED);
    heart_go_to(heart, 199);
    assert_string_equal(node_state(0), "draining");
    heart_go_to(heart, 200);
    assert_string_equal(node_state(0), "up");
    assert_int_equal(node_until_s(0), 0);
    assert_int_equal(count_reservations(), 0);
}

TEST_WITH(a_reservation_without_jobs_begins_and_ends, set_up, tear_down)
{
    reserve(100, 200, "\"nodes\": [\"b\", \"a\"]");
    heart_go_to(heart, 150);
    assert_string_equal(node_state(0), "draining");
    assert_string_equal(node_state(1), "draining");
    heart_go_to(heart, 250);
    assert_string_equal(node_state(0), "up");
    assert_string_equal(node_state(1), "up");
}

TEST_WITH(a_reservation_comes_again, set_up, tear_down)
{
    const int64_t day_s = INT64_C(24) * 3600;

    reserve(1000, 5000, "\"gpus\": 1, \"every\": \"day\"");
    assert_string_equal(heart_says(heart, "every"), "day");
    for (int64_t day = 0; day < 3; day++) {
        assert_int_equal(node_until_s(1), day * day_s + 1000);
        heart_go_to(heart, day * day_s + 1000);
        assert_string_equal(node_state(1), "draining");
        assert_string_equal(node_state(0), "up");
        heart_go_to(heart, day * day_s + 5000);
        assert_string_equal(node_state(1), "up");
    }
    heart_go_to(heart, 3 * day_s + 1000);
    heart_ask(heart, heart->root, "unreserve", "{\"reservation\": 1}");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_string_equal(node_state(1), "up");
    assert_int_equal(node_until_s(1), 0);
    heart_ask(heart, heart->root, "unreserve", "{\"reservation\": 1}");
    assert_int_equal(heart->code, ANSWER_UNKNOWN);
    reserve(4 * day_s, 5 * day_s, "\"gpus\": 8");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "reservation")), 2);
    assert_int_equal(json_array_size(json_object_get(heart->answer, "nodes")), 2);
    reserve(4 * day_s, 5 * day_s, "\"gpus\": 1");
    assert_int_equal(heart->code, ANSWER_FAILED);
}

TEST_WITH(a_reservation_breaks_no_promise_unless_it_is_forced, set_up, tear_down)
{
    submit_wide();
    reserve(50, 2990, "\"nodes\": [\"a\"]");
    assert_int_equal(heart->code, ANSWER_FAILED);
    assert_string_equal(heart_says(heart, "error"),
                        "1 promise would be broken: of job 1; nothing was done: --force reserves "
                        "all the same");
    assert_int_equal(count_reservations(), 0);
    assert_int_equal(node_until_s(0), 0);
    reserve(3000, 4000, "\"nodes\": [\"a\"]");
    assert_int_equal(heart->code, ANSWER_DONE);
    reserve(50, 2990, "\"nodes\": [\"b\"], \"force\": true");
    assert_int_equal(heart->code, ANSWER_DONE);
    assert_int_equal(node_until_s(1), 50);
    heart_ask(heart, heart->root, "status", "{}");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "promises_withdrawn")), 1);
}

TEST_WITH(orders_and_reservations_of_a_node_hold_together, set_up, tear_down)
{
    reserve(100, 200, "\"nodes\": [\"a\"]");
    reserve(150, 300, "\"nodes\": [\"a\"]");
    drain("a", 400, "");
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "draining");
    heart_go_to(heart, 200);
    assert_string_equal(node_state(0), "draining");
    heart_go_to(heart, 300);
    assert_string_equal(node_state(0), "up");
    assert_int_equal(node_until_s(0), 400);
    heart_go_to(heart, 400);
    assert_string_equal(node_state(0), "draining");
    reserve(500, 600, "\"nodes\": [\"a\"]");
    heart_go_to(heart, 600);
    assert_string_equal(node_state(0), "draining");
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    assert_string_equal(node_state(0), "up");
}

TEST_WITH(a_reserved_node_that_comes_is_not_used, set_up, tear_down)
{
    fake_source_remove(heart->source, 0, "its power failed");
    heart_go_to(heart, 2);
    reserve(50, 100, "\"nodes\": [\"a\"]");
    heart_go_to(heart, 60);
    assert_string_equal(node_state(0), "gone");
    (void)fake_source_add(heart->source, "a", GPUS);
    heart_go_to(heart, 61);
    assert_string_equal(node_state(0), "draining");
    heart_go_to(heart, 100);
    assert_string_equal(node_state(0), "up");
}

TEST_WITH(a_reservation_that_makes_no_sense_is_told, set_up, tear_down)
{
    static const char *const bad[] = {
        "{\"gpus\": 1}",
        "{\"gpus\": 1, \"from_in\": 10}",
        "{\"gpus\": 1, \"from_in\": 10, \"to_in\": 10}",
        "{\"gpus\": 1, \"from_in\": 20, \"to_in\": 10}",
        "{\"gpus\": 1, \"from\": 1, \"to_in\": 10}",
        "{\"gpus\": 1, \"from\": 1, \"from_in\": 1, \"to_in\": 10}",
        "{\"gpus\": 1, \"from_in\": 1, \"to_in\": 86401, \"every\": \"day\"}",
        "{\"gpus\": 1, \"from_in\": 1, \"to_in\": 2, \"every\": \"year\"}",
        "{\"from_in\": 1, \"to_in\": 2}",
        "{\"gpus\": 1, \"nodes\": [\"a\"], \"from_in\": 1, \"to_in\": 2}",
        "{\"nodes\": \"a\", \"from_in\": 1, \"to_in\": 2}",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        heart_ask(heart, heart->root, "reserve", "%s", bad[i]);
        assert_int_equal(heart->code, ANSWER_BAD);
    }
    heart_ask(heart, heart->root, "reserve",
              "{\"nodes\": [\"nowhere\"], \"from_in\": 1, \"to_in\": 2}");
    assert_int_equal(heart->code, ANSWER_UNKNOWN);
    heart_ask(heart, heart->alice, "reserve", "{\"gpus\": 1, \"from_in\": 1, \"to_in\": 2}");
    assert_int_equal(heart->code, ANSWER_NOT_ALLOWED);
    assert_int_equal(count_reservations(), 0);
}

/* ---- starts ---- */

static void starts_again(bool with_snapshot)
{
    const int64_t deadline_s = 3000;
    int gpus;
    int rank;

    submit(", \"deadline_in\": 3000");
    submit(", \"held\": true");
    heart_go_to(heart, 100);
    gpus = fake_source_gpus(heart->source, heart_job(heart, 1));
    rank = fake_source_rank(heart->source, heart_job(heart, 1));
    heart_start_again(heart, with_snapshot);
    assert_string_equal(state_of(1), "running");
    assert_string_equal(state_of(2), "held");
    assert_int_equal(fake_source_gpus(heart->source, heart_job(heart, 1)), gpus);
    assert_int_equal(fake_source_rank(heart->source, heart_job(heart, 1)), rank);
    go_on_until(1, "done");
    assert_in_range(serving_now_s(heart->serving), 1, deadline_s + 1);
    heart_ask(heart, heart->alice, "release", "{\"job\": 2}");
    go_on_until(2, "done");
}

TEST_WITH(a_start_goes_on_from_all_steps, set_up, tear_down)
{
    starts_again(false);
}

static void keeps_ends(bool with_snapshot)
{
    drain("a", 100, "");
    drain("b", 200, "");
    heart_go_to(heart, 2);
    heart_start_again(heart, with_snapshot);
    assert_int_equal(node_until_s(0), 100);
    heart_go_to(heart, 100);
    heart_start_again(heart, with_snapshot);
    assert_string_equal(node_state(0), "draining");
    assert_string_equal(node_state(1), "up");
    assert_int_equal(node_until_s(1), 200);
    heart_ask(heart, heart->root, "resume", "{\"node\": \"a\"}");
    heart_ask(heart, heart->root, "resume", "{\"node\": \"b\"}");
    heart_start_again(heart, with_snapshot);
    heart_go_to(heart, 200);
    assert_string_equal(node_state(0), "up");
    assert_string_equal(node_state(1), "up");
}

static void keeps_reservations(bool with_snapshot)
{
    reserve(100, 200, "\"nodes\": [\"a\"], \"every\": \"week\"");
    reserve(150, 250, "\"nodes\": [\"b\"]");
    reserve(160, 170, "\"nodes\": [\"b\"]");
    heart_ask(heart, heart->root, "unreserve", "{\"reservation\": 3}");
    heart_start_again(heart, with_snapshot);
    assert_int_equal(count_reservations(), 2);
    assert_int_equal(node_until_s(0), 100);
    assert_int_equal(node_until_s(1), 150);
    heart_go_to(heart, 160);
    heart_start_again(heart, with_snapshot);
    assert_string_equal(node_state(0), "draining");
    assert_string_equal(node_state(1), "draining");
    heart_go_to(heart, 200);
    assert_string_equal(node_state(0), "up");
    assert_int_equal(node_until_s(0), 100 + 7 * 24 * 3600);
    heart_start_again(heart, with_snapshot);
    heart_go_to(heart, 250);
    assert_string_equal(node_state(1), "up");
    assert_int_equal(count_reservations(), 1);
    reserve(1000, 2000, "\"nodes\": [\"b\"]");
    assert_int_equal(json_integer_value(json_object_get(heart->answer, "reservation")), 4);
}

TEST_WITH(reservations_are_kept_with_the_steps, set_up, tear_down)
{
    keeps_reservations(false);
}

TEST_WITH(reservations_are_kept_with_a_snapshot, set_up, tear_down)
{
    keeps_reservations(true);
}

TEST_WITH(ends_of_nodes_are_kept_with_the_steps, set_up, tear_down)
{
    keeps_ends(false);
}

TEST_WITH(ends_of_nodes_are_kept_with_a_snapshot, set_up, tear_down)
{
    keeps_ends(true);
}

TEST_WITH(a_start_goes_on_from_a_snapshot, set_up, tear_down)
{
    starts_again(true);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
