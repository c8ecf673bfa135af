/* lease_book_test.c - GPUs that no plan has taken are free, whatever becomes of plans; and when a
 * job on a lease is done. */
#include "common/rng.h"
#include "scheduler/reference/lease_book.h"
#include "tests/support/capacity.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define GPUS  8
#define JOBS  6
#define SLOTS 40

static lease_book_t *book;
static struct submission submissions[JOBS];
static struct job jobs[JOBS];
static struct slot_runs runs;

static struct lease *lease_number(size_t i)
{
    return lease_of(book, &jobs[i]);
}

/* Jobs of 1, 2, 3 ... GPUs, all waiting. */
FIXTURE(set_up)
{
    book = lease_book_new(GPUS);
    for (size_t i = 0; i < JOBS; i++) {
        submissions[i] = (struct submission){.number = i, .gpus_requested = 1 + (int)i};
        jobs[i] = (struct job){
            .submission = &submissions[i], .arrival = i, .row = (uint32_t)i, .state = JOB_PENDING};
        lease_number(i)->job = &jobs[i];
        lease_list_append(&book->pending, lease_number(i));
    }
    return 0;
}

FIXTURE(tear_down)
{
    slot_runs_free(&runs);
    lease_book_destroy(&book);
    return 0;
}

static const struct slot_runs *runs_of(const struct slot_run *items, size_t count)
{
    slot_runs_clear(&runs);
    for (size_t i = 0; i < count; i++)
        slot_runs_append(&runs, items[i].from, items[i].to);
    return &runs;
}

static int64_t free_at(int64_t slot)
{
    return capacity_at(&book->capacity, slot);
}

static int64_t unplanned_at(int64_t slot)
{
    int64_t gpus = GPUS;

    for (size_t i = 0; i < JOBS; i++)
        if (lease_number(i)->planned && slot_runs_has(&lease_number(i)->plan, slot))
            gpus -= jobs[i].submission->gpus_requested;
    return gpus;
}

static void check_capacity(int64_t from)
{
    for (int64_t slot = from; slot < SLOTS; slot++)
        assert_int_equal(free_at(slot), unplanned_at(slot));
}

#define ON_BOOK(name) TEST_WITH(name, set_up, tear_down)

ON_BOOK(a_plan_takes_its_slots)
{
    lease_book_plan(book, lease_number(2), runs_of((struct slot_run[]){{2, 4}, {6, 7}}, 2));
    assert_true(lease_number(2)->planned);
    assert_int_equal(free_at(1), 8);
    assert_int_equal(free_at(2), 5);
    assert_int_equal(free_at(4), 8);
    assert_int_equal(free_at(6), 5);
    check_capacity(0);
}

ON_BOOK(another_plan_gives_back_what_the_first_took)
{
    struct lease *lease = lease_number(2);

    lease_book_plan(book, lease, runs_of((struct slot_run[]){{2, 4}}, 1));
    lease_book_plan(book, lease, runs_of((struct slot_run[]){{3, 6}}, 1));
    assert_int_equal(free_at(2), 8);
    assert_int_equal(free_at(3), 5);
    lease_book_plan(book, lease, runs_of((struct slot_run[]){{3, 6}}, 1));
    assert_int_equal(free_at(3), 5);
    check_capacity(0);
    lease_book_forget_plan(book, lease);
    assert_false(lease->planned);
    assert_int_equal(free_at(3), 8);
    lease_book_forget_plan(book, lease);
    assert_int_equal(free_at(3), 8);
}

/* A job that has had all its leases has a plan all the same. */
ON_BOOK(an_empty_plan_is_a_plan)
{
    lease_book_plan(book, lease_number(1), runs_of(NULL, 0));
    assert_true(lease_number(1)->planned);
    check_capacity(0);
}

ON_BOOK(the_first_slots_of_a_plan_are_given_up)
{
    struct lease *lease = lease_number(3);

    lease_book_give_up_first(book, lease, 3); /* of no plan */
    lease_book_plan(book, lease, runs_of((struct slot_run[]){{2, 4}, {6, 9}}, 2));
    lease_book_give_up_first(book, lease, 0);
    lease_book_give_up_first(book, lease, -2);
    assert_int_equal(slot_runs_total(&lease->plan), 5);
    lease_book_give_up_first(book, lease, 3);
    assert_int_equal(slot_runs_total(&lease->plan), 2);
    assert_true(slot_runs_has(&lease->plan, 7));
    check_capacity(0);
}

static void pick_plan(rng_t *rng, int64_t from)
{
    int64_t slot = from;

    slot_runs_clear(&runs);
    while (slot < SLOTS - 1 && rng_below(rng, 4) > 0) {
        const int64_t end = slot + 1 + (int64_t)rng_below(rng, (uint64_t)(SLOTS - slot - 1));

        slot_runs_append(&runs, slot, end);
        slot = end + 1 + (int64_t)rng_below(rng, 5);
    }
}

static int64_t step(rng_t *rng, int64_t slot)
{
    struct lease *lease = lease_number(rng_below(rng, JOBS));

    switch (rng_below(rng, 8)) {
    case 0:
        lease_book_forget_plan(book, lease);
        return slot;
    case 1:
        slot += (int64_t)rng_below(rng, 3);
        lease_book_drop_before(book, slot);
        return slot;
    case 2:
    case 3:
        lease_book_give_up_first(book, lease, (int64_t)rng_below(rng, 6) - 1);
        return slot;
    default:
        pick_plan(rng, slot);
        lease_book_plan(book, lease, &runs);
        return slot;
    }
}

ON_BOOK(free_gpus_are_those_that_no_plan_has_taken)
{
    rng_t rng = rng_new(test_seed(), "lease book");

    for (long i = 0; i < test_times(300); i++) {
        int64_t slot = 0;

        while (slot < SLOTS / 2) {
            slot = step(&rng, slot);
            check_capacity(slot);
        }
        tear_down(test_state);
        set_up(test_state);
    }
}

ON_BOOK(whoever_is_done_leaves_his_gpus_and_his_plan)
{
    lease_book_plan(book, lease_number(0), runs_of((struct slot_run[]){{1, 3}}, 1));
    lease_list_append(&book->running, lease_number(0));
    lease_list_append(&book->running, lease_number(1));
    assert_int_equal(lease_book_free_gpus(book), 8 - 1 - 2);
    jobs[0].state = JOB_DONE;
    lease_book_drop_done(book);
    assert_int_equal(book->running.count, 1);
    assert_ptr_equal(book->running.items[0], lease_number(1));
    assert_int_equal(lease_book_free_gpus(book), 8 - 2);
    assert_int_equal(free_at(1), 8);
}

ON_BOOK(whoever_has_failed_is_taken_out_too)
{
    lease_book_plan(book, lease_number(1), runs_of((struct slot_run[]){{1, 3}}, 1));
    jobs[1].state = JOB_FAILED;
    lease_book_drop_done(book);
    assert_int_equal(book->pending.count, JOBS - 1);
    assert_ptr_equal(book->pending.items[1], lease_number(2));
    assert_int_equal(free_at(1), 8);
}

/* Plans stay, even where they take more than there is. */
ON_BOOK(gpus_that_come_or_go_do_so_in_every_slot)
{
    lease_book_plan(book, lease_number(4), runs_of((struct slot_run[]){{2, 4}}, 1));
    lease_book_resize(book, 4);
    assert_int_equal(free_at(1), 4);
    assert_int_equal(free_at(2), -1);
    lease_book_resize(book, 6);
    assert_int_equal(free_at(2), 1);
    assert_int_equal(free_at(1000), 6);
    assert_int_equal(lease_book_free_gpus(book), 6);
    lease_book_forget_plan(book, lease_number(4));
    assert_int_equal(free_at(2), 6);
}

ON_BOOK(a_plan_counts_while_leases_are_due_to_an_accepted_job)
{
    struct lease lease = {.class = LEASE_ACCEPTED, .need = 1};

    assert_true(lease_is_active(&lease));
    lease.out_of_plan = true;
    assert_false(lease_is_active(&lease));
    lease = (struct lease){.class = LEASE_ACCEPTED, .need = 0};
    assert_false(lease_is_active(&lease));
    lease = (struct lease){.class = LEASE_UNACCEPTED, .need = 1};
    assert_false(lease_is_active(&lease));
}

/* 100 s of a job on 4 GPUs that was started twice: 103 s, of which it has had 40. */
static const struct job on_four = {
    .submission = &(const struct submission){.gpus_requested = 4, .duration_s = 100},
    .attained_s = 40};

ON_BOOK(a_start_costs_half_a_second_for_each_doubling_and_one_more)
{
    struct lease lease = {.job = &on_four, .starts = 2};

    assert_float_equal(lease_overhead_s(&lease), 3, 0);
    lease.job = &jobs[0];
    assert_float_equal(lease_overhead_s(&lease), 1, 0);
    lease.starts = 0;
    assert_float_equal(lease_overhead_s(&lease), 0, 0);
}

ON_BOOK(a_job_is_done_once_its_overheads_are_paid_too)
{
    const struct lease lease = {.job = &on_four, .starts = 2, .since_s = 500};
    double ended_s = -1;

    assert_int_equal(lease_end_due_s(&lease), 563);
    assert_false(lease_is_done(&lease, 562, &ended_s));
    assert_float_equal(ended_s, -1, 0);
    assert_true(lease_is_done(&lease, 563, &ended_s));
    assert_float_equal(ended_s, 563, 0);
    assert_true(lease_is_done(&lease, 720, &ended_s));
    assert_float_equal(ended_s, 563, 0);
}

/* One start on one GPU: half a second. */
ON_BOOK(an_end_within_a_second_is_due_with_the_next)
{
    const struct job job = {.submission =
                                &(const struct submission){.gpus_requested = 1, .duration_s = 10}};
    const struct lease lease = {.job = &job, .starts = 1, .since_s = 100};
    double ended_s;

    assert_int_equal(lease_end_due_s(&lease), 111);
    assert_false(lease_is_done(&lease, 110, &ended_s));
    assert_true(lease_is_done(&lease, 111, &ended_s));
    assert_float_equal(ended_s, 110.5, 0);
}

/* When an end is due and whether it has come are two formulas. */
ON_BOOK(an_end_is_seen_when_it_is_due_and_not_before)
{
    rng_t rng = rng_new(test_seed(), "lease ends");

    for (long i = 0; i < test_times(20000); i++) {
        const struct submission submission = {.gpus_requested = 1 + (int)rng_below(&rng, 1024),
                                              .duration_s = (int64_t)rng_log_uniform(&rng, 1, 1e9)};
        struct job job = {.submission = &submission};
        const struct lease lease = {.job = &job,
                                    .starts = (int64_t)rng_below(&rng, 5000),
                                    .since_s = (int64_t)rng_log_uniform(&rng, 1, 1e12)};
        double ended_s;

        job.attained_s = (int64_t)rng_below(&rng, (uint64_t)submission.duration_s + 1);
        assert_true(lease_is_done(&lease, lease_end_due_s(&lease), &ended_s));
        assert_false(lease_is_done(&lease, lease_end_due_s(&lease) - 1, &ended_s));
    }
}

ON_BOOK(destroying_none_is_nothing)
{
    lease_book_t *none = NULL;

    lease_book_destroy(&none);
    assert_null(none);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
