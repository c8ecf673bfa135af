/* plan_check_test.c - plans that make no sense, and what each mistake is called. */
#include "master/plan_check.h"
#include "tests/support/test.h"

/* What is said of the plan of round 1 with these jobs and stops, "" if it is taken. */
static const char *complaint(plan_check_t *check, struct msg_planned_job *jobs, size_t job_count,
                             struct msg_planned_stop *stops, size_t stop_count)
{
    static struct error error;
    const struct msg_plan plan = {
        .round = 1, .job_count = job_count, .jobs = jobs, .stop_count = stop_count, .stops = stops};

    return plan_check(check, &plan, &error) < 0 ? error.text : "";
}

TEST(a_plan_that_makes_sense_is_taken_again_and_again)
{
    plan_check_t *check = plan_check_new();
    int32_t first[] = {0, 1, RANKS_MAX - 1};
    int32_t second[] = {2};
    struct msg_planned_job jobs[] = {{.job = 7, .rank_count = 3, .ranks = first},
                                     {.job = 8, .rank_count = 1, .ranks = second}};
    struct msg_planned_stop stops[] = {{.job = 9}, {.job = 10}};

    assert_string_equal(complaint(check, jobs, 2, stops, 2), "");
    assert_string_equal(complaint(check, jobs, 2, stops, 2), "");
    assert_string_equal(complaint(check, NULL, 0, NULL, 0), "");
    plan_check_destroy(&check);
    assert_null(check);
    plan_check_destroy(&check);
}

TEST(rounds_are_counted_from_one)
{
    plan_check_t *check = plan_check_new();
    const struct msg_plan plan = {0};
    struct error error;

    assert_int_equal(plan_check(check, &plan, &error), -1);
    assert_string_equal(error.text, "plan: rounds are counted from 1");
    plan_check_destroy(&check);
}

TEST(no_job_stands_there_twice)
{
    plan_check_t *check = plan_check_new();
    int32_t first[] = {0};
    int32_t second[] = {1};
    struct msg_planned_job jobs[] = {{.job = 7, .rank_count = 1, .ranks = first},
                                     {.job = 7, .rank_count = 1, .ranks = second}};
    struct msg_planned_stop stops[] = {{.job = 7}, {.job = 7}};

    assert_string_equal(complaint(check, jobs, 2, NULL, 0), "plan: job 7 is listed twice");
    assert_string_equal(complaint(check, jobs, 1, stops, 1), "plan: job 7 is listed twice");
    assert_string_equal(complaint(check, NULL, 0, stops, 2), "plan: job 7 is listed twice");
    plan_check_destroy(&check);
}

TEST(no_gpu_is_given_twice)
{
    plan_check_t *check = plan_check_new();
    int32_t first[] = {0, 3};
    int32_t second[] = {1, 3};
    struct msg_planned_job jobs[] = {{.job = 7, .rank_count = 2, .ranks = first},
                                     {.job = 8, .rank_count = 2, .ranks = second}};

    assert_string_equal(complaint(check, jobs, 2, NULL, 0),
                        "plan: GPU 3 is given to job 8 and to another one");
    /* A plan that was refused takes nothing from the next. */
    assert_string_equal(complaint(check, &jobs[1], 1, NULL, 0), "");
    plan_check_destroy(&check);
}

TEST(the_gpus_of_a_job_rise)
{
    plan_check_t *check = plan_check_new();
    int32_t below[] = {-1};
    int32_t beyond[] = {RANKS_MAX};
    int32_t twice[] = {1, 1};
    struct msg_planned_job jobs[] = {{.job = 1, .rank_count = 1, .ranks = below},
                                     {.job = 2, .rank_count = 1, .ranks = beyond},
                                     {.job = 3, .rank_count = 2, .ranks = twice},
                                     {.job = 4}};

    assert_string_equal(complaint(check, &jobs[0], 1, NULL, 0),
                        "plan: the GPUs of job 1 do not rise");
    assert_string_equal(complaint(check, &jobs[1], 1, NULL, 0),
                        "plan: the GPUs of job 2 do not rise");
    assert_string_equal(complaint(check, &jobs[2], 1, NULL, 0),
                        "plan: the GPUs of job 3 do not rise");
    assert_string_equal(complaint(check, &jobs[3], 1, NULL, 0), "plan: job 4 has no GPU");
    plan_check_destroy(&check);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
