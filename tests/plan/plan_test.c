/* plan_test.c - what a policy decides in a round. */
#include "scheduler/plan/plan.h"
#include "tests/support/test.h"

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 3,
                                          .gpus = {1, 2, 4},
                                          .iters_per_s = {1, 2, 3}};

static const struct submission submission = {.id = "job"};
static struct scaling scaling;

FIXTURE(prepare)
{
    struct error error;

    return scaling_init(&scaling, &row, 4, 4, &error);
}

static struct view view_of(const struct job *const jobs[], size_t count)
{
    return (struct view){
        .now_s = 100, .slot_s = 60, .gpu_count = 4, .jobs = jobs, .job_count = count};
}

TEST(an_empty_plan_gives_nobody_anything)
{
    const struct job job = {.submission = &submission, .scaling = &scaling};
    const struct job *const jobs[] = {&job, &job, &job};
    const struct view view = view_of(jobs, 3);
    plan_t *plan = plan_new();

    plan_reset(plan, &view);
    assert_int_equal(plan->count, 3);
    assert_int_equal(plan->growth_count, 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(plan->shares[i].grant.gpus, 0);
        assert_int_equal(plan->shares[i].end_s, NEVER_S);
        assert_int_equal(plan->order[i], i);
        assert_int_equal(plan->service[i], i);
    }
    plan_destroy(&plan);
    assert_null(plan);
    plan_destroy(&plan);
}

TEST(an_allocation_lasts_until_the_work_is_done)
{
    const struct job job = {.submission = &submission, .scaling = &scaling, .iterations_left = 101};
    const struct job *const jobs[] = {&job};
    const struct view view = view_of(jobs, 1);
    plan_t *plan = plan_new();

    plan_reset(plan, &view);
    plan_allocate(plan, &view, 0, 2);
    assert_int_equal(plan->shares[0].grant.gpus, scaling.gpus[2]);
    assert_true(plan->shares[0].grant.rate == scaling.rate[2]);
    assert_int_equal(plan->shares[0].start_s, 100);
    assert_int_equal(plan->shares[0].end_s, 151);
    assert_int_equal(plan->shares[0].finish_s, 151);
    plan_allocate(plan, &view, 0, 0);
    assert_int_equal(plan->shares[0].grant.gpus, 0);
    assert_int_equal(plan->shares[0].start_s, NEVER_S);
    plan_destroy(&plan);
}

TEST(equal_deadlines_keep_their_order)
{
    const struct job late = {.submission =
                                 &(const struct submission){.id = "late", .deadline_s = 900},
                             .scaling = &scaling};
    const struct job early = {.submission =
                                  &(const struct submission){.id = "early", .deadline_s = 500},
                              .scaling = &scaling};
    const struct job never = {
        .submission = &(const struct submission){.id = "never", .deadline_s = DEADLINE_NONE_S},
        .scaling = &scaling};
    const struct job *const jobs[] = {&never, &late, &early, &late, &never, &early};
    const size_t expected[] = {2, 5, 1, 3, 0, 4};
    const struct view view = view_of(jobs, COUNT(jobs));
    plan_t *plan = plan_new();

    plan_reset(plan, &view);
    plan_order_by_deadline(plan, &view);
    for (size_t i = 0; i < COUNT(expected); i++) {
        assert_int_equal(plan->order[i], expected[i]);
        assert_int_equal(plan->service[i], expected[i]);
    }
    plan_destroy(&plan);
}

TEST(growths_stay_in_the_order_in_which_they_were_granted)
{
    const struct job job = {.submission = &submission, .scaling = &scaling};
    const struct job *jobs[40];
    plan_t *plan = plan_new();
    struct view view;

    for (size_t i = 0; i < COUNT(jobs); i++)
        jobs[i] = &job;
    view = view_of(jobs, COUNT(jobs));
    plan_reset(plan, &view);
    for (size_t i = 0; i < 100; i++)
        plan_grow(plan,
                  &(struct growth){.place = i * 7 % 40, .grant = {.gpus = 1}, .end_s = (int64_t)i});
    assert_int_equal(plan->growth_count, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(plan->growths[i].place, i * 7 % 40);
        assert_int_equal(plan->growths[i].end_s, i);
    }
    plan_reset(plan, &view);
    assert_int_equal(plan->growth_count, 0);
    plan_destroy(&plan);
}

static void expect_levels(const plan_t *plan, const int levels[], size_t count)
{
    assert_int_equal(plan->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(plan->shares[i].grant.gpus, scaling.gpus[levels[i]]);
        assert_int_equal(plan->shares[i].start_s, levels[i] > 0 ? 100 : NEVER_S);
        assert_int_equal(plan->order[i], i);
        assert_int_equal(plan->service[i], i);
    }
}

TEST(a_plan_that_names_few_jobs_is_empty_for_the_others)
{
    const struct job job = {.submission = &submission, .scaling = &scaling};
    const struct job *const jobs[] = {&job, &job, &job, &job, &job, &job};
    const struct view few = view_of(jobs, 3);
    const struct view more = view_of(jobs, 6);
    plan_t *plan = plan_new();

    for (int i = 0; i < 2; i++) {
        plan_reset(plan, &more);
        (void)plan_order_by_deadline(plan, &more);
        plan_allocate(plan, &more, 4, 1);
        plan_reset_few(plan, &few);
        plan_allocate(plan, &few, 1, 2);
        expect_levels(plan, (const int[]){0, 2, 0}, 3);
        plan_reset_few(plan, &more);
        plan_allocate(plan, &more, 2, 1);
        plan_allocate(plan, &more, 5, 2);
        expect_levels(plan, (const int[]){0, 0, 1, 0, 0, 2}, 6);
        plan_drop(plan, 4);
        expect_levels(plan, (const int[]){0, 0, 1, 0, 2}, 5);
        assert_int_equal(plan->named_count, 2);
        assert_int_equal(plan->named[1], 4);
        plan_reset_few(plan, &more);
        expect_levels(plan, (const int[]){0, 0, 0, 0, 0, 0}, 6);
    }
    plan_destroy(&plan);
}

int main(void)
{
    return tests_run(prepare, NULL);
}
