/* trained_jobs_test.c - what the master says of jobs is kept as far as it can be believed. */
#include "scheduler/backend/trained_jobs.h"

#include "common/log.h"
#include "tests/support/test.h"

#include <math.h>

static const struct job job = {
    .submission = &(const struct submission){.id = "a", .number = 3, .iterations = 1000}};

static trained_jobs_t *jobs;

static int set_up(void **state)
{
    (void)state;
    (void)log_to_file("/dev/null");
    jobs = trained_jobs_new();
    trained_jobs_assign(jobs, &(struct assignment){.job = &job, .step = 400, .rate = 10});
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    trained_jobs_destroy(&jobs);
    return 0;
}

static struct trained_job *after(enum job_report_state state, int64_t step, double rate)
{
    const struct msg_job_report report = {.job = 3,
                                          .incarnation = 1,
                                          .state = state,
                                          .step = step,
                                          .overhead_ms = 1500,
                                          .rate = rate,
                                          .cause = "a cause"};

    trained_jobs_report(jobs, &report);
    return trained_jobs_at(jobs, 3);
}

static void a_job_trains_at_its_reported_rate(void **state)
{
    (void)state;
    assert_true(after(JOB_REPORT_STABLE, 400, 10)->training);
    assert_true(trained_job_pace(trained_jobs_at(jobs, 3)) == 1);
    assert_true(trained_job_pace(after(JOB_REPORT_STABLE, 400, 5)) == 0.5);
    assert_true(trained_job_pace(after(JOB_REPORT_STABLE, 400, 12)) == 1.2);
}

static void a_rate_that_cannot_be_is_not_believed(void **state)
{
    static const double lies[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, 1e-320};

    (void)state;
    for (size_t i = 0; i < COUNT(lies); i++) {
        const double pace = trained_job_pace(after(JOB_REPORT_STABLE, 400, lies[i]));

        assert_true(pace == 1 || (pace > 0 && pace < 1e-300));
    }
}

static void restarts_in_a_round_add_up(void **state)
{
    (void)state;
    (void)after(JOB_REPORT_STABLE, 400, 10);
    assert_int_equal(after(JOB_REPORT_STABLE, 400, 10)->overhead_ms, 3000);
    trained_jobs_begin(jobs);
    assert_int_equal(trained_jobs_at(jobs, 3)->overhead_ms, 0);
    assert_false(trained_jobs_at(jobs, 3)->planned);
    assert_true(trained_jobs_at(jobs, 3)->training);
}

static void what_is_behind_the_checkpoint_is_lost_once(void **state)
{
    (void)state;
    (void)after(JOB_REPORT_STABLE, 400, 10);
    assert_int_equal(after(JOB_REPORT_LOST, 300, 0)->lost, 100);
    assert_false(trained_jobs_at(jobs, 3)->training);
    assert_int_equal(after(JOB_REPORT_LOST, 300, 0)->lost, 100);
    assert_int_equal(after(JOB_REPORT_LOST, 250, 0)->lost, 150);
    assert_int_equal(after(JOB_REPORT_LOST, 900, 0)->lost, 150);
    assert_string_equal(trained_jobs_at(jobs, 3)->cause, "a cause");
}

static void a_held_job_says_why(void **state)
{
    (void)state;
    assert_true(after(JOB_REPORT_HELD, 100, 0)->held);
    assert_string_equal(trained_jobs_at(jobs, 3)->cause, "a cause");
}

static void steps_never_go_back_by_themselves(void **state)
{
    (void)state;
    trained_jobs_progress(jobs, &(struct msg_progress){.job = 3, .step = 500});
    trained_jobs_progress(jobs, &(struct msg_progress){.job = 3, .step = 450});
    assert_int_equal(trained_jobs_at(jobs, 3)->step, 500);
    assert_int_equal(trained_jobs_refused(jobs), 1);
    trained_jobs_progress(jobs, &(struct msg_progress){.job = 3, .step = -1});
    assert_int_equal(trained_jobs_refused(jobs), 1);
}

static void jobs_nobody_spoke_of_are_empty(void **state)
{
    (void)state;
    assert_false(trained_jobs_at(jobs, 0)->training);
    assert_int_equal(trained_jobs_at(jobs, 5000)->step, -1);
    assert_int_equal(trained_jobs_at(jobs, 3)->planned_step, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_trains_at_its_reported_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rate_that_cannot_be_is_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(restarts_in_a_round_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_behind_the_checkpoint_is_lost_once, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_held_job_says_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(steps_never_go_back_by_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(jobs_nobody_spoke_of_are_empty, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
