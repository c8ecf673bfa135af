/* fitting_test.c - a job that asks for no more GPUs than there are is admitted, whatever other
 * jobs there are. */
#include "scheduler/admission/admission.h"
#include "tests/support/test.h"

static const struct job running = {
    .submission = &(const struct submission){.id = "running", .gpus_requested = 16}};
static const struct job narrow = {
    .submission = &(const struct submission){.id = "narrow", .gpus_requested = 1}};
static const struct job whole = {
    .submission = &(const struct submission){.id = "whole", .gpus_requested = 16}};
static const struct job large = {
    .submission = &(const struct submission){.id = "large", .gpus_requested = 32}};

/* The module must not ask for a proof: none can be given. */
static void decide(const struct job *const *jobs, size_t count, size_t arrivals,
                   struct verdict verdicts[])
{
    const struct view view = {
        .gpu_count = 16, .jobs = jobs, .job_count = count, .arrival_count = arrivals};
    plan_t *plan = plan_new();
    struct error error;

    assert_int_equal(admission_fitting.decide(NULL, &view, plan, verdicts, &error), 0);
    assert_false(plan->proven);
    plan_destroy(&plan);
}

/* The job has a deadline, and nothing is promised. */
static void check_tried(const struct verdict *verdict)
{
    assert_int_equal(verdict->kind, VERDICT_BEST_EFFORT);
    assert_int_equal(verdict->reason, REASON_NO_PROMISES);
    assert_true(verdict->promised_s == DEADLINE_NONE_S);
    assert_true(verdict->earliest_s == DEADLINE_NONE_S);
}

static void check_too_large(const struct verdict *verdict)
{
    assert_int_equal(verdict->kind, VERDICT_DECLINED);
    assert_int_equal(verdict->reason, REASON_TOO_LARGE);
}

TEST(only_a_job_larger_than_the_cluster_is_declined)
{
    struct verdict verdicts[3];

    decide((const struct job *const[]){&narrow, &large, &whole}, 3, 3, verdicts);
    check_tried(&verdicts[0]);
    check_too_large(&verdicts[1]);
    check_tried(&verdicts[2]);
}

/* Answers belong to the last jobs of the view, which are the arrivals. */
TEST(a_full_cluster_is_no_reason_to_decline)
{
    struct verdict verdicts[2];

    decide((const struct job *const[]){&running, &running, &whole, &large}, 4, 2, verdicts);
    check_tried(&verdicts[0]);
    check_too_large(&verdicts[1]);
}

TEST(arrivals_are_decided_together)
{
    assert_string_equal(admission_fitting.name, "fitting");
    assert_false(admission_fitting.one_by_one);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
