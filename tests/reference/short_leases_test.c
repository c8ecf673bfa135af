/* short_leases_test.c - leases of 20 s, looks each second: jobs that can be done before the next
 * lease round are run to their end at once.
 *
 * It is 25, so that the next round, that of slot 2, is 15 s away. A job of 10 s on one GPU is
 * estimated at trunc(10 * (1 + 0.5 / 20) * 1.1) = 11 s. */
#include "tests/reference/lease_stage.h"
#include "tests/support/capacity.h"
#include "tests/support/test.h"

static struct lease_stage *stage;

static void set_stage(int gpus, const char *rules)
{
    lease_stage_destroy(&stage);
    stage = lease_stage_new(gpus, rules);
    stage->leasing.lease_s = 20;
    stage->leasing.admission_s = 5;
    stage->leasing.check_s = 1;
    lease_stage_behind_round(stage, 25);
}

FIXTURE(tear_down)
{
    lease_stage_destroy(&stage);
    return 0;
}

static struct lease_job job_of(const char *id, int64_t submit_s, int64_t duration_s, int gpus)
{
    return (struct lease_job){id, submit_s, duration_s, gpus, {{500, 10}}, false};
}

/* A job that arrived in the slot that runs, and waits. */
static struct lease *add(const char *id, int64_t duration_s, int gpus, enum lease_class class)
{
    const struct lease_job job = job_of(id, 22, duration_s, gpus);

    return lease_stage_add(stage, &job, class);
}

static struct lease *add_running(const char *id, int64_t duration_s, int gpus,
                                 enum lease_class class)
{
    const struct lease_job job = job_of(id, 22, duration_s, gpus);

    return lease_stage_add_running(stage, &job, class);
}

static void check_lists(const char *running, const char *pending)
{
    assert_string_equal(lease_stage_names(&stage->book->running), running);
    assert_string_equal(lease_stage_names(&stage->book->pending), pending);
}

#define ON_STAGE(name) TEST_WITH(name, NULL, tear_down)

ON_STAGE(leases_up_to_30_s_are_short)
{
    struct leasing leasing = {.lease_s = 30};

    /* CH-Q3 */
    assert_true(leases_are_short(&leasing));
    leasing.lease_s = 31;
    assert_false(leases_are_short(&leasing));
}

/* `a` is 16 s away from its end, `d` just the 15 that are left; `x` has a promise and `y` no
 * deadline. */
ON_STAGE(whoever_can_be_done_before_the_round_is_forced)
{
    set_stage(8, NULL);
    add("a", 16, 1, LEASE_UNACCEPTED);
    add("b", 10, 1, LEASE_UNACCEPTED);
    add("x", 10, 1, LEASE_ACCEPTED);
    add("y", 10, 1, LEASE_BEST_EFFORT);
    add("d", 40, 1, LEASE_UNACCEPTED);
    stage->jobs[4].attained_s = 25;
    short_leases_force(&stage->look);
    assert_false(lease_stage_lease(stage, 0)->forced);
    assert_true(lease_stage_lease(stage, 1)->forced);
    assert_true(lease_stage_lease(stage, 1)->out_of_plan);
    assert_false(lease_stage_lease(stage, 2)->forced);
    assert_false(lease_stage_lease(stage, 3)->forced);
    assert_true(lease_stage_lease(stage, 4)->forced);
}

/* The job was not there when the promises of this slot were made. */
ON_STAGE(whoever_arrived_in_this_slot_is_accepted_by_it)
{
    const struct lease_job old = job_of("a", 19, 10, 1);
    const struct lease_job fresh = job_of("b", 20, 10, 1);

    set_stage(8, NULL);
    lease_stage_add(stage, &old, LEASE_UNACCEPTED);
    lease_stage_add(stage, &fresh, LEASE_UNACCEPTED);
    short_leases_force(&stage->look);
    assert_true(lease_stage_lease(stage, 0)->forced);
    assert_int_equal(lease_stage_lease(stage, 0)->class, LEASE_UNACCEPTED);
    assert_true(lease_stage_lease(stage, 1)->forced);
    assert_int_equal(lease_stage_lease(stage, 1)->class, LEASE_ACCEPTED);
    assert_int_equal(lease_stage_lease(stage, 1)->deadline_s, 500);
}

/* Of 8 GPUs 3 are held, and 1 is forced already: 4 are left. `b` has 10 GPU seconds to go, `a` 24,
 * `c` 28 and `d` 26: a job that is too wide is passed over. */
ON_STAGE(the_shortest_are_forced_as_far_as_there_are_gpus)
{
    set_stage(8, NULL);
    add_running("h", 40, 3, LEASE_ACCEPTED)->held = true;
    add_running("f", 10, 1, LEASE_UNACCEPTED)->forced = true;
    add_running("g", 10, 4, LEASE_UNACCEPTED);
    add("a", 12, 2, LEASE_UNACCEPTED);
    add("b", 10, 1, LEASE_UNACCEPTED);
    add("c", 14, 2, LEASE_UNACCEPTED);
    add("d", 13, 2, LEASE_UNACCEPTED);
    add("e", 15, 1, LEASE_UNACCEPTED); /* 15 */
    short_leases_force(&stage->look);
    assert_true(lease_stage_lease(stage, 3)->forced);
    assert_true(lease_stage_lease(stage, 4)->forced);
    assert_false(lease_stage_lease(stage, 5)->forced);
    assert_false(lease_stage_lease(stage, 6)->forced);
    assert_true(lease_stage_lease(stage, 7)->forced);
}

ON_STAGE(those_who_are_forced_run)
{
    set_stage(4, NULL);
    add("a", 10, 1, LEASE_UNACCEPTED);
    add("b", 40, 1, LEASE_UNACCEPTED);
    add("c", 10, 2, LEASE_UNACCEPTED);
    lease_stage_lease(stage, 0)->since_s = 11;
    short_leases_force(&stage->look);
    short_leases_run_forced(&stage->look);
    check_lists("a c", "b");
    assert_int_equal(lease_stage_lease(stage, 0)->since_s, 25);
    assert_false(lease_stage_lease(stage, 0)->held);
}

/* All four of `p` to `s` run on what was free. `r` is hopeless and goes first, then the longest of
 * those without a promise, `p`; `q` outlived its estimate and stays, as does `h` on its lease. */
ON_STAGE(those_on_free_gpus_make_room)
{
    struct lease *hopeless;

    set_stage(6, NULL);
    add_running("h", 100, 2, LEASE_ACCEPTED)->held = true;
    add_running("p", 100, 1, LEASE_UNACCEPTED);
    add_running("q", 200, 1, LEASE_UNACCEPTED)->boosted = true;
    hopeless = add_running("r", 490, 1, LEASE_UNACCEPTED);
    add_running("s", 90, 1, LEASE_UNACCEPTED);
    add("f", 10, 2, LEASE_UNACCEPTED)->forced = true;
    short_leases_run_forced(&stage->look);
    check_lists("h q s f", "r p");
    assert_int_equal(hopeless->class, LEASE_LOWEST);
    assert_false(hopeless->running);
    assert_int_equal(hopeless->since_s, 25);
}

ON_STAGE(no_more_are_stopped_than_needed)
{
    set_stage(4, NULL);
    add_running("p", 100, 3, LEASE_UNACCEPTED);
    add_running("q", 90, 1, LEASE_UNACCEPTED);
    add("f", 10, 2, LEASE_UNACCEPTED)->forced = true;
    short_leases_run_forced(&stage->look);
    check_lists("q f", "p");
}

/* The job ran on free GPUs, has 110 - 70 s to go, two leases, and had planned for four. */
ON_STAGE(whoever_is_stopped_gives_up_what_he_needs_no_more)
{
    struct lease *lease;

    set_stage(1, NULL);
    lease = add_running("p", 98, 1, LEASE_ACCEPTED);
    assert_int_equal(lease->estimate_s, 110);
    lease->need = 4;
    lease_stage_plan(stage, lease, 2, 6);
    stage->jobs[0].attained_s = 70;
    add("f", 10, 1, LEASE_UNACCEPTED)->forced = true;
    short_leases_run_forced(&stage->look);
    check_lists("f", "p");
    assert_int_equal(lease->need, 2);
    assert_int_equal(slot_runs_total(&lease->plan), 2);
    assert_int_equal(slot_runs_end(&lease->plan), 6);
    assert_int_equal(capacity_at(&stage->book->capacity, 3), 1);
    assert_int_equal(capacity_at(&stage->book->capacity, 4), 0);
}

/* 50 of 110 s are done: 3 leases. */
static struct lease *account(enum lease_class class, bool held, bool forced)
{
    struct lease *lease;

    set_stage(1, NULL);
    lease = add_running("p", 98, 1, class);
    lease->need = 4;
    lease->held = held;
    lease->forced = forced;
    lease_stage_plan(stage, lease, 2, 6);
    stage->jobs[0].attained_s = 50;
    short_leases_account(&stage->look, lease);
    return lease;
}

ON_STAGE(an_accepted_job_on_free_gpus_gives_up_a_slot_as_it_goes_on)
{
    const struct lease *lease = account(LEASE_ACCEPTED, false, false);

    assert_int_equal(lease->need, 3);
    assert_int_equal(slot_runs_total(&lease->plan), 3);
    assert_false(slot_runs_has(&lease->plan, 2));
    assert_int_equal(account(LEASE_ACCEPTED, true, false)->need, 4);
    assert_int_equal(account(LEASE_ACCEPTED, false, true)->need, 4);
    assert_int_equal(account(LEASE_UNACCEPTED, false, false)->need, 4);
}

ON_STAGE(the_accepted_may_use_what_is_free)
{
    set_stage(2, NULL);
    add("a", 100, 1, LEASE_ACCEPTED);
    add("b", 100, 1, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("b a", "");
}

/* `a` is forced and in time; `b` was there first and has to go, but goes on with what is left. */
ON_STAGE(the_hand_out_begins_with_those_who_are_forced)
{
    set_stage(3, NULL);
    add_running("b", 100, 2, LEASE_UNACCEPTED)->starts = 1;
    add("c", 400, 1, LEASE_UNACCEPTED);
    add("a", 10, 2, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("a c", "b");
    assert_int_equal(lease_stage_lease(stage, 2)->starts, 1);
}

/* `b` alone does not make room enough, and once `c` is stopped too there is more than enough. */
ON_STAGE(whoever_is_stopped_and_started_at_once_has_not_started)
{
    set_stage(4, NULL);
    add_running("b", 400, 1, LEASE_UNACCEPTED)->starts = 1;
    add_running("c", 100, 3, LEASE_UNACCEPTED)->starts = 1;
    add("a", 10, 2, LEASE_UNACCEPTED);
    lease_hand_out(&stage->look);
    check_lists("a b", "c");
    assert_int_equal(lease_stage_lease(stage, 0)->starts, 1);
    assert_int_equal(lease_stage_lease(stage, 2)->starts, 1);
}

/* At odd times: the hopeless first, then the accepted, and the longest before the shortest. */
ON_STAGE(what_is_free_is_filled_at_odd_times)
{
    /* CH-Q6 */
    set_stage(8, NULL);
    add("a", 100, 1, LEASE_BEST_EFFORT)->urgency = -110;
    add("b", 100, 1, LEASE_UNACCEPTED)->urgency = -110;
    add("c", 200, 1, LEASE_UNACCEPTED)->urgency = -220;
    add("d", 100, 1, LEASE_ACCEPTED)->urgency = -365;
    add("e", 100, 9, LEASE_LOWEST)->urgency = 20;
    add("f", 100, 1, LEASE_LOWEST)->urgency = 10;
    stage->look.now_s = 26;
    leases_fill(&stage->look);
    check_lists("", "a b c d e f");
    stage->look.now_s = 27;
    leases_fill(&stage->look);
    check_lists("f d c b a", "e");
    assert_int_equal(lease_stage_lease(stage, 0)->starts, 0);
    assert_int_equal(lease_stage_lease(stage, 0)->since_s, 25);
    assert_int_equal(lease_stage_lease(stage, 0)->waited_s, 2);
}

ON_STAGE(where_nothing_is_free_nobody_is_sorted)
{
    set_stage(1, NULL);
    add_running("x", 100, 1, LEASE_UNACCEPTED);
    add("b", 100, 1, LEASE_UNACCEPTED);
    add("c", 100, 1, LEASE_LOWEST);
    stage->look.now_s = 27;
    leases_fill(&stage->look);
    check_lists("x", "b c");
}

ON_STAGE(without_ch_q6_it_is_filled_with_each_admission)
{
    set_stage(1, "CH-Q6,CH-Q1");
    add("a", 100, 1, LEASE_ACCEPTED);
    stage->look.now_s = 27;
    leases_fill(&stage->look);
    check_lists("", "a");
    stage->look.now_s = 30;
    leases_fill(&stage->look);
    check_lists("a", "");
    assert_int_equal(lease_stage_lease(stage, 0)->since_s, 30);
    assert_int_equal(lease_stage_lease(stage, 0)->waited_s, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
