/* planned_jobs_test.c - which jobs are found, which count as settled, and of which something is
 * remembered. */
#include "master/planned_jobs.h"
#include "tests/support/test.h"

static int32_t ranks[] = {2, 3};
static const struct msg_planned_job planned = {.job = 7,
                                               .name = "seven",
                                               .model = "vgg16",
                                               .batch_size = 64,
                                               .iterations = 100,
                                               .step = 5,
                                               .rank_count = 2,
                                               .ranks = ranks};
static const struct msg_plan plan = {.round = 1, .fast_forward = true};

TEST(a_job_is_found_until_it_is_dropped)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);

    assert_ptr_equal(planned_jobs_find(&table, 7), job);
    assert_null(planned_jobs_find(&table, 8));
    planned_jobs_drop(&table, job);
    assert_null(planned_jobs_find(&table, 7));
    planned_jobs_clear(&table);
}

TEST(an_orphans_number_is_free_again)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);
    struct planned_job *other;

    job->planned = true;
    planned_jobs_settle(&table, job);
    assert_int_equal(table.unsettled, 1);
    planned_jobs_orphan(&table, job);
    assert_int_equal(table.unsettled, 0);
    assert_null(planned_jobs_find(&table, 7));
    other = planned_jobs_add(&table, 7);
    assert_ptr_equal(planned_jobs_find(&table, 7), other);
    /* What becomes of it is not told. */
    planned_jobs_settle(&table, job);
    assert_int_equal(table.unsettled, 0);
    planned_jobs_drop(&table, job);
    assert_ptr_equal(planned_jobs_find(&table, 7), other);
    planned_jobs_clear(&table);
    assert_null(table.all);
}

TEST(a_planned_job_is_settled_when_it_alone_is_stable)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);
    struct incarnation incarnation = {.phase = INCARNATION_BEGUN};

    job->planned = true;
    job->current = &incarnation;
    job->alive = 2;
    planned_jobs_settle(&table, job);
    planned_jobs_settle(&table, job);
    assert_int_equal(table.unsettled, 1);
    incarnation.phase = INCARNATION_STABLE;
    planned_jobs_settle(&table, job);
    assert_int_equal(table.unsettled, 1); /* the one before it is not gone yet */
    job->alive = 1;
    planned_jobs_settle(&table, job);
    assert_int_equal(table.unsettled, 0);
    planned_jobs_clear(&table);
}

TEST(a_job_that_cannot_run_is_settled_when_nothing_is_left_of_it)
{
    struct planned_jobs table = {0};
    struct planned_job *held = planned_jobs_add(&table, 7);
    struct planned_job *lost = planned_jobs_add(&table, 8);
    struct planned_job *dropped = planned_jobs_add(&table, 9);

    held->planned = held->held = true;
    lost->planned = lost->lost = true;
    held->alive = lost->alive = dropped->alive = 1;
    planned_jobs_settle(&table, held);
    planned_jobs_settle(&table, lost);
    planned_jobs_settle(&table, dropped);
    assert_false(held->settled);
    assert_true(lost->settled); /* the next plan knows better */
    assert_false(dropped->settled);
    held->alive = dropped->alive = 0;
    planned_jobs_settle(&table, held);
    planned_jobs_settle(&table, dropped);
    assert_int_equal(table.unsettled, 0);
    planned_jobs_clear(&table);
}

TEST(a_checkpoint_to_go_on_from_is_worth_keeping)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);

    assert_false(job_is_worth_keeping(job));
    job->checkpoint = 12;
    assert_true(job_is_worth_keeping(job));
    job->stop.why = STOP_CANCELLED;
    assert_false(job_is_worth_keeping(job));
    job->held = true;
    assert_true(job_is_worth_keeping(job));
    planned_jobs_orphan(&table, job);
    assert_false(job_is_worth_keeping(job));
    job->alive = 1;
    assert_true(job_is_worth_keeping(job));
    planned_jobs_clear(&table);
}

TEST(a_job_goes_on_from_its_checkpoint_or_its_plan)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);

    job_take_plan(job, &plan, &planned);
    assert_int_equal(job_step(job), 5);
    job->checkpoint = 0;
    assert_int_equal(job_step(job), 0);
    planned_jobs_clear(&table);
}

TEST(the_same_work_is_that_on_the_same_gpus)
{
    struct planned_jobs table = {0};
    struct planned_job *job = planned_jobs_add(&table, 7);
    int32_t other_ranks[] = {2, 4};
    struct msg_planned_job changed = planned;
    struct msg_plan slow = plan;

    assert_false(job_is_same(job, &plan, &planned));
    job_take_plan(job, &plan, &planned);
    changed.step = 50; /* how far it is does not count */
    assert_true(job_is_same(job, &plan, &changed));
    changed.ranks = other_ranks;
    assert_false(job_is_same(job, &plan, &changed));
    changed = planned;
    changed.batch_size = 32;
    assert_false(job_is_same(job, &plan, &changed));
    slow.fast_forward = false;
    assert_false(job_is_same(job, &slow, &planned));
    planned_jobs_clear(&table);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
