/* trace_summary_test.c - the figures of a trace, against a small one worked out by hand. */
#include "tests/support/test.h"
#include "tools/trace_tools/info_json.h"
#include "tools/trace_tools/summary.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static struct submission job_of(const char *id, int64_t submit_s, int64_t allowed_s, int gpus,
                                int64_t duration_s)
{
    return (struct submission){.id = id,
                               .model = "bert",
                               .batch_size = 64,
                               .submit_s = submit_s,
                               .deadline_s = submit_s + allowed_s,
                               .iterations = 10,
                               .gpus_requested = gpus,
                               .duration_s = duration_s};
}

/* Five jobs over two hours, the fourth of them best effort. */
static submissions_t *five_jobs(void)
{
    submissions_t *jobs = submissions_new();
    struct submission job = job_of("a", 1000, 1800, 1, 3600);

    submissions_append(jobs, &job);
    job = job_of("b", 1600, 7200, 2, 7200);
    submissions_append(jobs, &job);
    job = job_of("c", 1600, 2700, 1, 1800);
    job.batch_size = 128;
    submissions_append(jobs, &job);
    job = job_of("d", 2000, 0, 8, 3600);
    job.best_effort = true;
    job.deadline_s = DEADLINE_NONE_S;
    job.model = "another";
    submissions_append(jobs, &job);
    job = job_of("e", 8200, 900, 1, 360);
    submissions_append(jobs, &job);
    return jobs;
}

TEST(jobs_arrivals_and_load_are_counted)
{
    submissions_t *jobs = five_jobs();
    struct summary summary = summary_of(jobs);

    assert_int_equal(summary.jobs, 5);
    assert_int_equal(summary.best_effort_jobs, 1);
    assert_int_equal(summary.first_submit_s, 1000);
    assert_int_equal(summary.last_submit_s, 8200);
    assert_float_equal(summary.arrivals_per_hour, 2, 1e-12);    /* four gaps in two hours */
    assert_float_equal(summary.gpu_hours, 13.6, 1e-9);          /* 1 + 4 + 0.5 + 8 + 0.1 */
    assert_float_equal(summary_gpus_busy(&summary), 6.8, 1e-9); /* over two hours */
    summary_free(&summary);
    submissions_destroy(&jobs);
}

TEST(quantiles_are_values_of_the_trace_by_nearest_rank)
{
    submissions_t *jobs = five_jobs();
    struct summary summary = summary_of(jobs);

    assert_int_equal(summary.duration_s.count, 5);
    assert_float_equal(summary.duration_s.mean, 3312, 1e-9);
    assert_float_equal(summary.duration_s.min, 360, 0);
    assert_float_equal(summary.duration_s.p10, 360, 0);
    assert_float_equal(summary.duration_s.p25, 1800, 0);
    assert_float_equal(summary.duration_s.p50, 3600, 0);
    assert_float_equal(summary.duration_s.p90, 7200, 0);
    assert_float_equal(summary.duration_s.max, 7200, 0);
    summary_free(&summary);
    submissions_destroy(&jobs);
}

TEST(tightness_is_that_of_jobs_with_a_deadline)
{
    submissions_t *jobs = five_jobs();
    struct summary summary = summary_of(jobs);

    assert_int_equal(summary.tightness.count, 4); /* 0.5, 1, 1.5 and 2.5 */
    assert_float_equal(summary.tightness.min, 0.5, 1e-12);
    assert_float_equal(summary.tightness.p50, 1, 1e-12);
    assert_float_equal(summary.tightness.p75, 1.5, 1e-12);
    assert_float_equal(summary.tightness.max, 2.5, 1e-12);
    assert_float_equal(summary.tightness.mean, 1.375, 1e-12);
    summary_free(&summary);
    submissions_destroy(&jobs);
}

TEST(gpu_counts_and_models_are_grouped_in_order)
{
    submissions_t *jobs = five_jobs();
    struct summary summary = summary_of(jobs);

    assert_int_equal(summary.gpus_count, 3);
    assert_int_equal(summary.gpus[0].gpus, 1);
    assert_int_equal(summary.gpus[0].jobs, 3);
    assert_int_equal(summary.gpus[2].gpus, 8);
    assert_int_equal(summary.models_count, 3);
    assert_string_equal(summary.models[0].model, "another");
    assert_string_equal(summary.models[1].model, "bert");
    assert_int_equal(summary.models[1].batch_size, 64);
    assert_int_equal(summary.models[1].jobs, 3);
    assert_int_equal(summary.models[2].batch_size, 128);
    summary_free(&summary);
    submissions_destroy(&jobs);
}

TEST(what_a_trace_does_not_say_is_null_in_json)
{
    submissions_t *jobs = submissions_new();
    struct submission job = job_of("a", 5, 10, 0, -1);
    struct summary summary;
    json_t *json;

    submissions_append(jobs, &job);
    summary = summary_of(jobs);
    json = info_json("t.csv", &summary);
    assert_int_equal(json_integer_value(json_object_get(json, "jobs")), 1);
    assert_true(json_is_null(json_object_get(json, "arrivals_per_hour")));
    assert_true(json_is_null(json_object_get(json, "gpu_hours")));
    assert_true(json_is_null(json_object_get(json, "duration_s")));
    assert_true(json_is_null(json_object_get(json, "tightness")));
    assert_true(
        json_is_null(json_object_get(json_array_get(json_object_get(json, "gpus"), 0), "gpus")));
    json_decref(json);
    summary_free(&summary);
    submissions_destroy(&jobs);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
