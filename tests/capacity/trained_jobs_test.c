/* trained_jobs_test.c - what the master says of jobs is kept as far as it can be believed. */
#include "scheduler/capacity/trained_jobs.h"

#include "common/log.h"
#include "tests/support/test.h"

#include <math.h>

#define NUMBER UINT64_C(0xfedcba9876543210) /* of a job: any 64 bits */

static const struct job job = {
    .submission = &(const struct submission){.id = "a", .number = NUMBER, .iterations = 1000}};
static const struct holding holding = {
    .job = &job, .grant = {.gpus = 2, .rate = 10}, .overhead_s = 4};
static const int32_t ranks[] = {4, 5};

static trained_jobs_t *jobs;
static uint32_t incarnation;

FIXTURE(set_up)
{
    (void)log_to_file("/dev/null");
    jobs = trained_jobs_new();
    incarnation = 1;
    (void)trained_jobs_assign(jobs, &holding, ranks, 1, 400, false);
    return 0;
}

static struct trained_job *found(void)
{
    return trained_jobs_find(jobs, NUMBER);
}

FIXTURE(tear_down)
{
    trained_jobs_destroy(&jobs);
    return 0;
}

static double ended_s = 12.5;

static struct trained_job *after(enum job_report_state state, int64_t step, double rate)
{
    const struct msg_job_report report = {.round = 1,
                                          .job = NUMBER,
                                          .incarnation = incarnation,
                                          .state = state,
                                          .step = step,
                                          .overhead_ms = 1500,
                                          .rate = rate,
                                          .cause = "a cause"};

    trained_jobs_report(jobs, &report, ended_s);
    return found();
}

TEST_WITH(a_job_trains_at_its_reported_rate, set_up, tear_down)
{
    assert_true(after(JOB_REPORT_STABLE, 400, 10)->training);
    assert_true(trained_job_pace(found()) == 1);
    assert_true(trained_job_pace(after(JOB_REPORT_STABLE, 400, 5)) == 0.5);
    assert_true(trained_job_pace(after(JOB_REPORT_STABLE, 400, 12)) == 1.2);
}

TEST_WITH(a_rate_that_cannot_be_is_not_believed, set_up, tear_down)
{
    static const double lies[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, 1e-320};

    for (size_t i = 0; i < COUNT(lies); i++) {
        const double pace = trained_job_pace(after(JOB_REPORT_STABLE, 400, lies[i]));

        assert_true(pace == 1 || (pace > 0 && pace < 1e-300));
    }
}

TEST_WITH(restarts_in_a_round_add_up, set_up, tear_down)
{
    (void)after(JOB_REPORT_STABLE, 400, 10);
    assert_int_equal(after(JOB_REPORT_STABLE, 400, 10)->overhead_ms, 1500); /* it came twice */
    incarnation = 2;
    assert_int_equal(after(JOB_REPORT_STABLE, 400, 10)->overhead_ms, 3000);
    trained_jobs_begin(jobs);
    assert_int_equal(found()->overhead_ms, 0);
    assert_false(found()->planned);
    assert_true(found()->training);
}

TEST_WITH(what_is_behind_the_checkpoint_is_lost_once, set_up, tear_down)
{
    (void)after(JOB_REPORT_STABLE, 400, 10);
    assert_int_equal(after(JOB_REPORT_LOST, 300, 0)->lost, 100);
    assert_false(found()->training);
    assert_int_equal(after(JOB_REPORT_LOST, 300, 0)->lost, 100);
    assert_int_equal(after(JOB_REPORT_LOST, 250, 0)->lost, 150);
    assert_int_equal(after(JOB_REPORT_LOST, 900, 0)->lost, 150);
    assert_string_equal(found()->cause, "a cause");
}

TEST_WITH(a_held_job_says_why, set_up, tear_down)
{
    assert_true(after(JOB_REPORT_HELD, 100, 0)->held);
    assert_string_equal(found()->cause, "a cause");
}

TEST_WITH(steps_never_go_back_by_themselves, set_up, tear_down)
{
    trained_jobs_progress(jobs, &(struct msg_progress){.job = NUMBER, .step = 500});
    trained_jobs_progress(jobs, &(struct msg_progress){.job = NUMBER, .step = 450});
    assert_int_equal(found()->step, 500);
    assert_int_equal(trained_jobs_refused(jobs), 1);
    trained_jobs_progress(jobs, &(struct msg_progress){.job = NUMBER, .step = -1});
    assert_int_equal(trained_jobs_refused(jobs), 1);
}

TEST_WITH(jobs_that_were_never_planned_are_not_heard_of, set_up, tear_down)
{
    trained_jobs_progress(jobs, &(struct msg_progress){.job = 3, .step = 5});
    trained_jobs_report(jobs, &(struct msg_job_report){.job = 3, .state = JOB_REPORT_DONE}, 5);
    assert_null(trained_jobs_find(jobs, 3));
    assert_null(trained_jobs_find(jobs, (uint32_t)NUMBER));
}

TEST_WITH(a_job_that_moves_does_not_train_before_it_says_so, set_up, tear_down)
{
    static const int32_t elsewhere[] = {0, 1};

    (void)after(JOB_REPORT_STABLE, 400, 10);
    trained_jobs_begin(jobs);
    assert_true(trained_jobs_assign(jobs, &holding, ranks, 2, 450, false)->training);
    trained_jobs_begin(jobs);
    assert_false(trained_jobs_assign(jobs, &holding, elsewhere, 3, 450, false)->training);
    assert_false(after(JOB_REPORT_STABLE, 450, 10)->training); /* of round 1 */
}

TEST_WITH(a_job_that_waits_says_for_what, set_up, tear_down)
{
    assert_true(after(JOB_REPORT_WAITING, 400, 0)->waits);
    assert_string_equal(found()->cause, "a cause");
    assert_false(found()->training);
    assert_false(after(JOB_REPORT_STABLE, 400, 10)->waits);
}

TEST_WITH(a_start_that_outlives_its_round_is_late, set_up, tear_down)
{
    trained_jobs_begin(jobs);
    assert_true(trained_jobs_assign(jobs, &holding, ranks, 2, 400, false)->late);
    (void)after(JOB_REPORT_STABLE, 400, 10);
    trained_jobs_begin(jobs);
    assert_false(trained_jobs_assign(jobs, &holding, ranks, 3, 400, false)->late);
}

TEST_WITH(a_stop_is_remembered_until_it_is_confirmed, set_up, tear_down)
{
    trained_jobs_begin(jobs);
    trained_jobs_stop(jobs, &(struct msg_planned_stop){NUMBER, 700, STOP_PAUSED});
    trained_jobs_begin(jobs);
    assert_true(found()->stops);
    assert_false(after(JOB_REPORT_STOPPED, 700, 0)->stops);
    trained_jobs_stop(jobs, &(struct msg_planned_stop){NUMBER, 1000, STOP_DONE});
    assert_null(after(JOB_REPORT_STOPPED, 1000, 0));
}

/* The end of a job that comes again may have waited. */
TEST_WITH(an_end_is_dated_by_the_earliest_word_of_it, set_up, tear_down)
{
    assert_false(found()->dated);
    assert_true(after(JOB_REPORT_DONE, 1000, 0)->dated);
    assert_true(found()->ended_s == 12.5);
    ended_s = 80;
    assert_true(after(JOB_REPORT_DONE, 1000, 0)->ended_s == 12.5);
    ended_s = 12.25;
    assert_true(after(JOB_REPORT_DONE, 1000, 0)->ended_s == 12.25);
    ended_s = 12.5;
}

/* A plan without the job, made before its end was heard, stops nothing of it any more. */
TEST_WITH(a_stop_of_a_job_that_is_done_takes_nothing_back, set_up, tear_down)
{
    (void)after(JOB_REPORT_DONE, 1000, 0);
    trained_jobs_begin(jobs);
    trained_jobs_stop(jobs, &(struct msg_planned_stop){NUMBER, 400, STOP_PAUSED});
    assert_false(after(JOB_REPORT_STOPPED, 400, 0)->stops);
    assert_true(found()->done);
    assert_int_equal(found()->step, 1000);
}

/* What is written reads back as it was, and is written again as the same text. */
TEST_WITH(what_is_known_is_read_back, set_up, tear_down)
{
    struct text text = {NULL, 0, 0};
    struct text again = {NULL, 0, 0};
    trained_jobs_t *read = trained_jobs_new();
    struct cursor cursor = {.path = "text", .line = 1};
    struct error error;

    (void)after(JOB_REPORT_STABLE, 400, 9.5);
    (void)after(JOB_REPORT_LOST, 300, 0);
    (void)after(JOB_REPORT_DONE, 300, 0);
    trained_jobs_write(jobs, &text);
    cursor.text = text.bytes;
    cursor.length = text.used - 1;
    assert_int_equal(trained_jobs_read(read, &cursor, &error), 0);
    trained_jobs_write(read, &again);
    assert_int_equal(again.used, text.used);
    assert_memory_equal(again.bytes, text.bytes, text.used);
    assert_int_equal(trained_jobs_find(read, NUMBER)->lost, 100);
    assert_true(trained_jobs_find(read, NUMBER)->ended_s == 12.5);
    cursor.at = 0;
    assert_int_equal(trained_jobs_read(read, &cursor, &error), -1);
    assert_string_equal(error.text, "text:1:21: expected each job once, found ' planned started "
                                    "done told-end moved=1 '");
    trained_jobs_destroy(&read);
    text_free(&text);
    text_free(&again);
}

/* No cut of it is taken for a whole line, and none is read beyond its end. */
TEST_WITH(what_is_cut_is_refused, set_up, tear_down)
{
    struct text text = {NULL, 0, 0};
    struct error error;

    (void)after(JOB_REPORT_STABLE, 400, 9.5);
    trained_jobs_write(jobs, &text);
    for (size_t length = 0; length + 1 < text.used; length++) {
        struct cursor cursor = {.path = "text", .line = 1, .text = text.bytes, .length = length};
        trained_jobs_t *read = trained_jobs_new();

        assert_int_equal(trained_jobs_read(read, &cursor, &error), -1);
        trained_jobs_destroy(&read);
    }
    text_free(&text);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
