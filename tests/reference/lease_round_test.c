/* lease_round_test.c - which leases begin: by plan, or by the choice that needs no solver. What a
 * solver does is told in lease_choice_test.c.
 *
 * It is 240, and slot 1 is given out, unless a test says otherwise. A job of 300 s is estimated at
 * 330 s, on four GPUs at 332: two leases. */
#include "scheduler/solver/milp_solver.h"
#include "tests/reference/lease_stage.h"
#include "tests/support/capacity.h"
#include "tests/support/test.h"

static struct lease_stage *stage;

static void set_stage(int gpus, const char *rules)
{
    lease_stage_destroy(&stage);
    stage = lease_stage_new(gpus, rules);
}

FIXTURE(tear_down)
{
    lease_stage_destroy(&stage);
    return 0;
}

/* A job that was accepted at 0 and has no plan yet. */
static struct lease *add(const char *id, int gpus, int64_t deadline_s)
{
    return lease_stage_add(stage, &(struct lease_job){id, 0, 300, gpus, {{deadline_s, 10}}, false},
                           LEASE_ACCEPTED);
}

/* The same, and it runs, on a lease. */
static struct lease *add_held(const char *id, int gpus, int64_t deadline_s)
{
    struct lease *lease = lease_stage_add_running(
        stage, &(struct lease_job){id, 0, 300, gpus, {{deadline_s, 10}}, false}, LEASE_ACCEPTED);

    lease->held = lease->ran_before = true;
    return lease;
}

static void hold_round_at(int64_t now_s)
{
    lease_stage_before_round(stage, now_s);
    lease_hold_round(&stage->look);
}

static void check_lists(const char *running, const char *pending)
{
    assert_string_equal(lease_stage_names(&stage->book->running), running);
    assert_string_equal(lease_stage_names(&stage->book->pending), pending);
}

static void check_plan(const struct lease *lease, int64_t from, int64_t to)
{
    assert_true(lease->planned);
    assert_int_equal(lease->plan.count, from < to);
    assert_int_equal(slot_runs_total(&lease->plan), to - from);
    assert_int_equal(lease->need, to - from);
    assert_int_equal(slot_runs_end(&lease->plan), from < to ? to : 0);
}

static int64_t free_at(int64_t slot)
{
    return capacity_at(&stage->book->capacity, slot);
}

#define ON_STAGE(name) TEST_WITH(name, NULL, tear_down)

/* By 730 there are the slots 1 and 2; by 1210 also 3 and 4, and they are the latest. */
ON_STAGE(those_without_a_plan_are_packed_late)
{
    struct lease *urgent;
    struct lease *patient;

    set_stage(4, NULL);
    patient = add("a", 4, 1210);
    urgent = add("b", 4, 730);
    hold_round_at(240);
    check_lists("b", "a");
    check_plan(urgent, 2, 3);
    check_plan(patient, 3, 5);
    assert_true(urgent->held);
    assert_int_equal(urgent->leases, 1);
    assert_int_equal(urgent->starts, 1);
    assert_int_equal(free_at(2), 0);
    assert_int_equal(free_at(5), 4);
}

ON_STAGE(whoever_has_planned_for_this_slot_runs_in_his_order)
{
    set_stage(8, NULL);
    lease_stage_plan(stage, add("a", 1, 1210), 1, 3);
    lease_stage_plan(stage, add("b", 1, 1210), 2, 4);
    lease_stage_plan(stage, add("c", 1, 1210), 1, 3);
    hold_round_at(240);
    check_lists("a c", "b");
    assert_int_equal(free_at(2), 5);
    assert_int_equal(free_at(3), 7);
}

/* A job that has had a lease gets none now: its plan says so, or it has none left. */
ON_STAGE(all_who_run_are_stopped)
{
    struct lease *lease;

    set_stage(8, NULL);
    add("w", 1, 1210);
    lease = add_held("a", 1, 1210);
    lease->need = 1;
    lease_stage_plan(stage, lease, 3, 4);
    lease = add_held("b", 1, 1210);
    lease->need = 0;
    lease_book_plan(stage->book, lease, &(struct slot_runs){.items = NULL});
    hold_round_at(240);
    check_lists("", "w a b");
    assert_false(lease->held);
    assert_false(lease->running);
    assert_int_equal(lease->since_s, 240);
    assert_int_equal(lease->class, LEASE_ACCEPTED);
}

/* 330 s less 100 are one lease: the first of two is given up, be it the one that would begin. */
ON_STAGE(whoever_needs_less_gives_up_his_first_slots)
{
    struct lease *lease;

    set_stage(4, NULL);
    lease = add_held("a", 1, 1210);
    lease_stage_plan(stage, lease, 1, 3);
    stage->jobs[0].attained_s = 100;
    hold_round_at(240);
    check_lists("", "a");
    check_plan(lease, 2, 3);
}

ON_STAGE(whoever_finds_no_place_is_no_longer_accepted)
{
    set_stage(4, NULL);
    add("a", 4, 730);
    add("b", 4, 730);
    hold_round_at(240);
    check_lists("a", "b");
    assert_int_equal(lease_stage_lease(stage, 1)->class, LEASE_UNACCEPTED);
    assert_int_equal(stage->book->unaccepted, 1);
}

/* Both want 730; the second gets it, as that is worth more to it. */
ON_STAGE(the_most_valuable_level_is_planned_first)
{
    const struct lease_job a = {"a", 0, 300, 4, {{730, 6}, {1210, 5}}, false};
    const struct lease_job b = {"b", 0, 300, 4, {{730, 10}, {1210, 1}}, false};

    set_stage(4, NULL);
    lease_stage_add(stage, &a, LEASE_ACCEPTED);
    lease_stage_add(stage, &b, LEASE_ACCEPTED);
    hold_round_at(240);
    check_lists("b", "a");
    check_plan(lease_stage_lease(stage, 0), 3, 5);
}

ON_STAGE(three_gpus_are_packed_as_four_and_held_as_three)
{
    /* CH-Q10 */
    set_stage(6, NULL);
    add("a", 3, 730);
    add("b", 3, 730);
    hold_round_at(240);
    check_lists("a", "b");
    assert_int_equal(lease_stage_lease(stage, 1)->class, LEASE_UNACCEPTED);
    assert_int_equal(free_at(2), 3);
    set_stage(6, "CH-Q10");
    add("a", 3, 730);
    add("b", 3, 730);
    hold_round_at(240);
    check_lists("a b", "");
    assert_int_equal(free_at(2), 0);
}

ON_STAGE(waiting_since_the_last_look_is_credited)
{
    struct lease *lease;

    /* CH-Q1 */
    set_stage(4, NULL);
    lease = add("a", 1, 730);
    hold_round_at(240);
    assert_int_equal(lease->since_s, 0);
    assert_int_equal(lease->waited_s, 240);
    set_stage(4, "CH-Q1");
    lease = add("a", 1, 730);
    hold_round_at(240);
    assert_int_equal(lease->since_s, 240);
    assert_int_equal(lease->waited_s, 0);
}

ON_STAGE(whoever_ran_until_now_waited_for_nothing_and_pays_nothing)
{
    struct lease *lease;

    set_stage(4, NULL);
    lease = add_held("a", 1, 730);
    lease->starts = 1;
    lease_stage_plan(stage, lease, 1, 3);
    hold_round_at(240);
    check_lists("a", "");
    assert_int_equal(lease->starts, 1);
    assert_int_equal(lease->waited_s, 0);
    assert_int_equal(lease->since_s, 240);
}

ON_STAGE(the_round_counts_who_is_without_a_promise)
{
    /* CH-Q5 */
    set_stage(4, NULL);
    add("a", 1, 730)->class = LEASE_LOWEST;
    add("b", 1, 730)->class = LEASE_UNACCEPTED;
    add_held("c", 1, 730)->class = LEASE_UNACCEPTED;
    stage->book->unaccepted = 7;
    hold_round_at(240);
    assert_int_equal(stage->book->unaccepted, 2);
}

ON_STAGE(nobody_is_forced_any_more)
{
    set_stage(4, NULL);
    add("a", 1, 730)->forced = true;
    add_held("b", 1, 730)->forced = true;
    hold_round_at(240);
    assert_false(lease_stage_lease(stage, 0)->forced);
    assert_false(lease_stage_lease(stage, 1)->forced);
}

ON_STAGE(slots_that_are_over_are_forgotten)
{
    struct lease *lease;

    set_stage(4, NULL);
    lease = add("a", 1, 1210);
    lease_stage_plan(stage, lease, 0, 1);
    add("b", 1, 1210)->class = LEASE_UNACCEPTED;
    hold_round_at(240);
    assert_int_equal(lease->plan.count, 0);
    assert_int_equal(stage->book->capacity.count, 1);
}

ON_STAGE(a_round_is_on_record)
{
    const struct lease_round *round;

    set_stage(4, NULL);
    add("a", 2, 730);
    add("b", 1, 1210);
    add("c", 1, 1210)->class = LEASE_UNACCEPTED;
    hold_round_at(240);
    round = &stage->book->round;
    assert_true(stage->book->round_held);
    assert_int_equal(round->method, LEASE_BY_PLAN);
    assert_int_equal(round->answer, LEASE_UNASKED);
    assert_int_equal(round->entries, 2);
    assert_int_equal(round->granted_gpus, 2);
    assert_int_equal(round->columns, 0);
}

ON_STAGE(a_round_without_anybody_to_choose_from_is_not)
{
    set_stage(4, NULL);
    add("c", 1, 1210)->class = LEASE_UNACCEPTED;
    hold_round_at(240);
    assert_false(stage->book->round_held);
}

/* The test fails if it is asked: its answer is none. */
static void answer_nothing(const struct milp_problem *problem, const struct milp_limits *limits,
                           struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    (void)reply;
}

static const struct milp_solver unasked = {.name = "unasked", .solve = answer_nothing};

/* Three jobs that could all run at once: one has no time to lose, one has a plan already. */
static void choose(enum lease_objective objective, int64_t unaccepted)
{
    set_stage(8, NULL);
    stage->leasing.solver = &unasked;
    stage->leasing.objective = objective;
    lease_stage_plan(stage, add("a", 1, 1210), 2, 4);
    add("b", 2, 1210);
    add("c", 4, 730);
    stage->book->unaccepted = unaccepted;
    hold_round_at(240);
    assert_int_equal(stage->book->round.method, LEASE_BY_CLOSED_FORM);
    assert_int_equal(stage->book->round.answer, LEASE_UNASKED);
    check_plan(lease_stage_lease(stage, 2), 2, 3);
}

ON_STAGE(all_run_at_once_where_they_can)
{
    choose(OBJECTIVE_MAXIMIZE, 1);
    check_lists("a b c", "");
    check_plan(lease_stage_lease(stage, 0), 4, 5);
    check_plan(lease_stage_lease(stage, 1), 4, 5);
    assert_int_equal(stage->book->round.granted_gpus, 7);
    assert_int_equal(free_at(2), 4);
    assert_int_equal(free_at(3), 8);
    assert_int_equal(free_at(4), 5);
}

ON_STAGE(only_those_who_must_run_where_as_few_as_possible_are_to)
{
    choose(OBJECTIVE_MINIMIZE, 0);
    check_lists("c", "a b");
    check_plan(lease_stage_lease(stage, 0), 3, 5);
    check_plan(lease_stage_lease(stage, 1), 3, 5);
    assert_int_equal(stage->book->round.granted_gpus, 4);
    assert_int_equal(free_at(3), 5);
}

ON_STAGE(gpus_are_kept_free_while_anybody_is_without_a_promise)
{
    /* CH-Q5 */
    choose(OBJECTIVE_ADAPTIVE, 0);
    check_lists("a b c", "");
    assert_int_equal(stage->book->round.objective, OBJECTIVE_MAXIMIZE);
    choose(OBJECTIVE_ADAPTIVE, 1);
    check_lists("c", "a b");
    assert_int_equal(stage->book->round.objective, OBJECTIVE_MINIMIZE);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
