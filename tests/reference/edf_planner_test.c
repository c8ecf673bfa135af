/* edf_planner_test.c - the EDF planner, and the oracle's, on the worked examples of the behavioural
 * specification (section 20.1): vgg16 with batch size 128 on 8 A100 GPUs, slots of 60 s. */
#include "common/memory.h"
#include "scheduler/reference/edf_planner.h"
#include "tests/reference/planner_call.h"
#include "tests/support/test.h"

static tables_t *a100;

FIXTURE(read_tables)
{
    a100 = tables_new("A100");
    return 0;
}

FIXTURE(drop_tables)
{
    tables_destroy(&a100);
    return 0;
}

/* The answer is `MET | GPUS NOW | END | FREE AFTERWARDS`. */
static void check(const char *free, double iterations, double deadline_s, const char *expected)
{
    struct planner_call call = {.tables = a100,
                                .row = tables_row(a100, "vgg16", 128),
                                .gpus_max = 64,
                                .gpu_count = 8,
                                .slot_s = 60,
                                .iterations = iterations,
                                .deadline_s = deadline_s};

    call.free_count = planner_steps(free, call.free);
    edf_check(&call, expected);
}

TEST(a_job_takes_all_there_is)
{
    /* EF-Q10 */
    check("0:8", 1000, 600, "yes | 8 | 74 | 0:0, 120:8");
}

TEST(a_job_takes_what_fits_if_that_lasts_until_its_end)
{
    check("0:4, 240:8", 1000, 600, "yes | 4 | 115 | 0:0, 120:4, 240:8");
}

TEST(gpus_that_come_free_at_the_aligned_end_are_forgotten)
{
    /* EF-Q37 */
    check("0:4, 120:8", 1000, 600, "yes | 4 | 115 | 0:0, 120:4");
}

TEST(gpus_that_are_taken_at_the_aligned_end_count_as_free)
{
    /* EF-Q37 */
    check("0:4, 60:0, 240:8", 400, 600, "yes | 4 | 46 | 0:0, 60:4, 240:8");
}

TEST(a_late_job_grows_when_gpus_come_free)
{
    check("0:3, 120:8", 5000, 300, "no | 2 | 446 | 0:1, 120:0, 480:8");
}

TEST(a_job_waits_while_nothing_is_free)
{
    check("0:0, 120:8", 1000, 600, "yes | 0 | 194 | 0:0, 240:8");
}

/* A view of vgg16 jobs with these iterations and deadlines, none of them started. */
static void plan_all(const int64_t iterations[], const int64_t deadlines_s[], size_t count,
                     enum edf_extent extent, int expected, int levels_expected[])
{
    struct scaling scaling;
    struct error error;
    struct submission submissions[4];
    struct job jobs[4];
    const struct job *pointers[4];
    const struct view view = {.slot_s = 60, .gpu_count = 8, .jobs = pointers, .job_count = count};
    plan_t *plan = plan_new();

    assert_true(count <= COUNT(jobs));
    assert_int_equal(scaling_init(&scaling, tables_row(a100, "vgg16", 128), 64, 8, &error), 0);
    for (size_t i = 0; i < count; i++) {
        submissions[i] = (struct submission){.id = "job", .deadline_s = deadlines_s[i]};
        jobs[i] = (struct job){.submission = &submissions[i],
                               .scaling = &scaling,
                               .state = JOB_PENDING,
                               .iterations_left = (double)iterations[i]};
        pointers[i] = &jobs[i];
    }
    plan_reset(plan, &view);
    assert_int_equal(edf_plan_all(&view, plan, plan_by_deadline(plan, &view), extent, &error),
                     expected);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(plan->shares[i].grant.gpus, levels_expected[i]);
    plan_destroy(&plan);
}

TEST(the_earliest_deadline_is_planned_first)
{
    plan_all((const int64_t[]){1000, 1000}, (const int64_t[]){900, 600}, 2, EDF_PLAN_ALL, 1,
             (int[]){0, 8});
}

TEST(one_late_job_makes_the_answer_no)
{
    plan_all((const int64_t[]){1000, 1000}, (const int64_t[]){900, 70}, 2, EDF_PLAN_ALL, 0,
             (int[]){0, 8});
    plan_all((const int64_t[]){1000, 1000}, (const int64_t[]){900, 70}, 2, EDF_STOP_IF_LATE, 0,
             (int[]){0, 8});
}

TEST(who_waits_needs_no_plan_once_nothing_is_free)
{
    plan_all((const int64_t[]){1000, 1000, 1000}, (const int64_t[]){500, 600, 700}, 3,
             EDF_STOP_IF_FULL, 1, (int[]){8, 0, 0});
}

int main(void)
{
    return tests_run(read_tables, drop_tables);
}
