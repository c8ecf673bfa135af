/* lease_recovery_test.c - nodes leave and join, and jobs lose work: which jobs go on, what is
 * planned anew, and which promises are withdrawn.
 *
 * It is 300, in slot 1, and slot 2 is the first one that is planned. A job of 300 s on up to four
 * GPUs is estimated at 331 s or 332: two leases. */
#include "tests/reference/lease_stage.h"
#include "tests/support/capacity.h"
#include "tests/support/test.h"

static struct lease_stage *stage;

static void set_stage(int gpus)
{
    lease_stage_destroy(&stage);
    stage = lease_stage_new(gpus, NULL);
    stage->look.now_s = 300;
    stage->look.slot = 1;
}

FIXTURE(tear_down)
{
    lease_stage_destroy(&stage);
    return 0;
}

/* A job that waits, with that promise. */
static struct lease *add(const char *id, int gpus, int64_t deadline_s)
{
    return lease_stage_add(stage, &(struct lease_job){id, 0, 300, gpus, {{deadline_s, 10}}, false},
                           LEASE_ACCEPTED);
}

/* The job of the last one that was added. */
static struct job *last_job(void)
{
    return &stage->jobs[stage->job_count - 1];
}

/* One that runs since 240, on a lease or on what was free. */
static struct lease *add_running(const char *id, int gpus, enum lease_class class)
{
    struct lease *lease = lease_stage_add_running(
        stage, &(struct lease_job){id, 0, 300, gpus, {{2400, 10}}, false}, class);

    lease->held = class == LEASE_ACCEPTED;
    lease->ran_before = true;
    lease->need -= lease->held;
    last_job()->attained_s = 60;
    last_job()->grant.gpus = gpus;
    return lease;
}

/* The same, but its node has left. */
static struct lease *add_evicted(const char *id, int gpus, enum lease_class class)
{
    struct lease *lease = add_running(id, gpus, class);

    last_job()->grant.gpus = 0;
    return lease;
}

static void check_lists(const char *running, const char *pending)
{
    assert_string_equal(lease_stage_names(&stage->book->running), running);
    assert_string_equal(lease_stage_names(&stage->book->pending), pending);
}

static void check_plan(const struct lease *lease, int64_t from, int64_t to)
{
    assert_true(lease->planned && lease->class == LEASE_ACCEPTED && !lease->withdrawn);
    assert_int_equal(lease->need, to - from);
    assert_int_equal(slot_runs_total(&lease->plan), to - from);
    assert_int_equal(slot_runs_end(&lease->plan), from < to ? to : 0);
}

static void check_withdrawn(const struct lease *lease)
{
    assert_true(lease->withdrawn && !lease->planned);
    assert_int_equal(lease->class, LEASE_UNACCEPTED);
}

static int64_t free_at(int64_t slot)
{
    return capacity_at(&stage->book->capacity, slot);
}

/* Of 8 GPUs 4 are left. Leases come before what was free, and jobs that stand before jobs that
 * fell. */
TEST(who_fits_goes_on)
{
    set_stage(8);
    add_running("free", 2, LEASE_UNACCEPTED);
    add_evicted("fell", 2, LEASE_ACCEPTED);
    add_running("stands", 2, LEASE_ACCEPTED);
    lease_recover(&stage->look, 4);
    check_lists("stands fell", "free");
    assert_int_equal(stage->book->gpu_count, 4);
    assert_int_equal(lease_book_free_gpus(stage->book), 0);
}

/* Elsewhere it starts again, which costs; a job that stays where it is pays nothing. */
TEST(who_fell_pays_for_another_start)
{
    const struct lease *fell;
    const struct lease *stands;

    set_stage(8);
    fell = add_evicted("fell", 2, LEASE_ACCEPTED);
    stands = add_running("stands", 2, LEASE_ACCEPTED);
    lease_recover(&stage->look, 4);
    assert_int_equal(fell->starts, 1);
    assert_int_equal(stands->starts, 0);
    assert_false(fell->ran_before);
}

/* The job has 272 s to go: one lease after this one if it goes on, two if it waits. */
TEST(what_is_left_of_a_lease_counts_for_who_goes_on)
{
    const struct lease *goes;
    const struct lease *waits;

    set_stage(8);
    goes = add_running("goes", 4, LEASE_ACCEPTED);
    waits = add_evicted("waits", 4, LEASE_ACCEPTED);
    lease_recover(&stage->look, 4);
    check_lists("goes", "waits");
    check_plan(waits, 8, 10);
    check_plan(goes, 7, 8);
    assert_false(waits->held);
    assert_int_equal(waits->since_s, 300);
}

/* Both had the slots 2 and 3. */
TEST(with_fewer_gpus_promises_that_find_no_place_are_withdrawn)
{
    struct lease *small;
    struct lease *large;

    set_stage(8);
    small = add("small", 2, 960);
    large = add("large", 4, 960);
    lease_stage_plan(stage, small, 2, 4);
    lease_stage_plan(stage, large, 2, 4);
    lease_recover(&stage->look, 4);
    check_plan(large, 2, 4);
    check_withdrawn(small);
    assert_int_equal(stage->book->unaccepted, 1);
    assert_int_equal(free_at(2), 0);
    assert_int_equal(free_at(4), 4);
}

/* While nodes were away, the other one was planned where there was room. */
TEST(with_more_gpus_promises_are_renewed_beside_the_others)
{
    struct lease *small;
    struct lease *large;

    set_stage(8);
    small = add("small", 2, 960);
    large = add("large", 4, 960);
    lease_recover(&stage->look, 4);
    check_withdrawn(small);
    lease_recover(&stage->look, 8);
    check_plan(large, 2, 4);
    check_plan(small, 2, 4);
    assert_int_equal(free_at(3), 2);
}

TEST(whoever_never_had_a_promise_gets_none)
{
    const struct lease *lease;

    set_stage(4);
    lease = lease_stage_add(stage, &(struct lease_job){"a", 0, 300, 4, {{2400, 10}}, false},
                            LEASE_UNACCEPTED);
    lease_recover(&stage->look, 8);
    assert_int_equal(lease->class, LEASE_UNACCEPTED);
    assert_false(lease->withdrawn || lease->planned);
}

/* The lease of the job was to be the last but one. Without its work the job needs one more lease,
 * and there is one; or there is none. */
TEST(lost_work_is_planned_for)
{
    struct lease *lease;

    set_stage(4);
    lease = add_running("a", 4, LEASE_ACCEPTED);
    lease_stage_plan(stage, lease, 9, 10);
    last_job()->attained_s = 0;
    lease_recover(&stage->look, 4);
    check_plan(lease, 9, 10); /* 332 s to go, 180 of them in this slot */

    stage->submissions[stage->job_count - 1].duration_s = 600;
    lease->estimate_s = 664;
    lease_recover(&stage->look, 4);
    check_plan(lease, 7, 10);
    stage->look.now_s = 2100;
    stage->look.slot = 8;
    lease_book_drop_before(stage->book, 9);
    lease_recover(&stage->look, 4);
    check_withdrawn(lease);
    check_lists("a", "");
}

/* What no job needs to change stays, also plans that a lease round chose otherwise than it would
 * pack them. */
TEST(plans_that_hold_are_kept)
{
    struct lease *lease;

    set_stage(4);
    lease = add("a", 2, 2400);
    lease_stage_plan(stage, lease, 3, 5);
    lease_recover(&stage->look, 4);
    check_plan(lease, 3, 5);
    lease_recover(&stage->look, 8);
    check_plan(lease, 3, 5);
    assert_int_equal(free_at(3), 6);
}

/* The slot that begins at 480 is still to be given out. */
TEST(at_a_lease_round_the_slot_that_begins_is_planned_too)
{
    struct lease *lease;

    set_stage(8);
    lease = add("a", 4, 960);
    stage->look.now_s = 480;
    stage->look.slot = 2;
    lease_recover(&stage->look, 4);
    check_plan(lease, 2, 4);
}

int main(void)
{
    return tests_run(NULL, tear_down);
}
