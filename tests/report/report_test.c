/* report_test.c - the results of a run, and that it leaves nothing half done. */
#include "common/output.h"
#include "scheduler/placement/placement.h"
#include "scheduler/report/report.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static folder_t *folder;
static report_t *report;
static cluster_t *cluster;
static struct error error;

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 4,
                                          .gpus = {1, 2, 4, 8},
                                          .iters_per_s = {1, 2, 3, 4}};
static struct scaling scaling;

FIXTURE(set_up)
{
    folder = folder_new();
    return scaling_init(&scaling, &row, 8, 8, &error);
}

FIXTURE(tear_down)
{
    report_destroy(&report);
    cluster_destroy(&cluster);
    folder_destroy(&folder);
    return 0;
}

static void start_report(void)
{
    report = report_new(folder_file(folder, "results"), false, &error);
    if (!report)
        fail_msg("%s", error.text);
}

static const struct setting_names names = {.policy = "ef",
                                           .rules = "reference",
                                           .trace = "trace.csv",
                                           .cluster = NULL,
                                           .gpu_type = "A100",
                                           .throughputs = "throughputs/A100.csv",
                                           .placement = "elastic",
                                           .switches = 1,
                                           .nodes = 2,
                                           .gpus = 8,
                                           .slot_s = 60,
                                           .restart_threshold = 100};

static void commit(struct figures *figures)
{
    report_count(report, figures);
    if (report_commit(report, &names, figures, &error) < 0)
        fail_msg("%s", error.text);
}

static void check_file(const char *name, const char *expected)
{
    char *text = folder_read(folder, name);

    assert_string_equal(text, expected);
    free(text);
}

/* `job` was tried and is over. */
static void retire(const struct job *job, int64_t retired_s, enum work_measure done_by)
{
    const struct verdict verdict = verdict_try(job, REASON_NO_PROMISES);

    report_decided(report, job, 0, &verdict);
    report_retired(report, job, retired_s, done_by);
}

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(retired_jobs_are_lines_of_jobs_and_of_work)
{
    const struct job first = {.submission = &(const struct submission){.id = "first",
                                                                       .submit_s = 5,
                                                                       .deadline_s = 700,
                                                                       .iterations = 1000},
                              .scaling = &scaling,
                              .grant = {.gpus = 4},
                              .start_s = 60,
                              .end_s = 190,
                              .iterations_credited = 1000.0 / 3,
                              .gpu_seconds = 520};
    const struct job idle = {.submission = &(const struct submission){.id = "idle",
                                                                      .best_effort = true,
                                                                      .deadline_s = DEADLINE_NONE_S,
                                                                      .iterations = 7},
                             .scaling = &scaling};
    const struct job timed = {.submission = &(const struct submission){.id = "timed",
                                                                       .deadline_s = 900,
                                                                       .iterations = 1000,
                                                                       .duration_s = 70},
                              .scaling = &scaling,
                              .end_s = 300,
                              .iterations_credited = 900,
                              .attained_s = 72,
                              .gpu_seconds = 80};
    struct figures figures = {.jobs = 3};

    start_report();
    retire(&first, 200, MEASURE_ITERATIONS);
    retire(&idle, 260, MEASURE_ITERATIONS);
    retire(&timed, 300, MEASURE_SECONDS);
    commit(&figures);
    check_file("results/jobs.csv",
               "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,"
               "best_effort\n"
               "200,first,4,5,60,190,700,0\n"
               "260,idle,0,0,0,0,9223372036854775807,1\n"
               "300,timed,0,0,0,300,900,0\n");
    check_file("results/work.csv", "job_id,measure,asked,credited,gpu_seconds\n"
                                   "first,iterations,1000,333.33333333333331,520\n"
                                   "idle,iterations,7,0,0\n"
                                   "timed,seconds,70,72,80\n");
    assert_int_equal(figures.finished, 3);
}

/* Places jobs of these sizes, each its own row of the trace. */
static void place(struct job jobs[], const int sizes[], size_t count)
{
    static struct submission submissions[8]; /* the jobs outlive the call */
    struct placement_request requests[8];
    struct layout *layout;

    cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, 4, 4));
    layout = cluster_clear(cluster, count);
    assert_true(count <= COUNT(requests));
    for (size_t i = 0; i < count; i++) {
        submissions[i] = (struct submission){.id = "job", .number = 10 + i};
        jobs[i] = (struct job){.submission = &submissions[i], .held = -1};
        requests[i] = (struct placement_request){.job = &jobs[i], .gpus = sizes[i]};
    }
    assert_int_equal(placement_find("elastic")->place(cluster, requests, count, layout, &error), 0);
}

IN_FOLDER(a_layout_joins_gpus_of_one_job_that_lie_side_by_side)
{
    struct figures figures = {.jobs = 1};
    struct job jobs[4];

    place(jobs, (const int[]){8, 2, 1, 4}, 4);
    start_report();
    report_round(report, 60, cluster);
    commit(&figures);
    check_file("results/rounds.csv", "time,layout\n60,10@0x8 11@8x2 12@10x1 13@12x4\n");
    assert_int_equal(figures.rounds, 1);
}

IN_FOLDER(an_idle_cluster_has_an_empty_layout)
{
    struct figures figures = {.jobs = 1};

    cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, 4, 4));
    start_report();
    report_round(report, 60, cluster);
    report_round(report, 120, cluster);
    commit(&figures);
    check_file("results/rounds.csv", "time,layout\n60,\n120,\n");
    assert_int_equal(figures.rounds, 2);
}

IN_FOLDER(a_summary_says_what_was_run_and_what_came_of_it)
{
    static const struct {
        const char *name;
        json_type type;
    } fields[] = {
        {"schema_version", JSON_INTEGER},
        {"policy", JSON_STRING},
        {"rules", JSON_STRING},
        {"trace", JSON_STRING},
        {"placement", JSON_STRING},
        {"cluster", JSON_NULL},
        {"switches", JSON_INTEGER},
        {"nodes", JSON_INTEGER},
        {"gpus", JSON_INTEGER},
        {"gpu_type", JSON_STRING},
        {"throughputs", JSON_STRING},
        {"slot_s", JSON_INTEGER},
        {"restart_threshold", JSON_INTEGER},
        {"jobs", JSON_INTEGER},
        {"deadline_jobs", JSON_INTEGER},
        {"folder", JSON_STRING},
        {"inputs", JSON_ARRAY},
        {"promises", JSON_FALSE},
        {"on_time", JSON_INTEGER},
        {"promised", JSON_INTEGER},
        {"promised_at_arrival", JSON_INTEGER},
        {"promised_later", JSON_INTEGER},
        {"withdrawn", JSON_INTEGER},
        {"withdrawals", JSON_INTEGER},
        {"broken", JSON_INTEGER},
        {"failed", JSON_INTEGER},
        {"best_effort_on_time", JSON_INTEGER},
        {"on_time_share", JSON_REAL},
        {"value_on_time", JSON_REAL},
        {"gpu_hours_on_time", JSON_REAL},
        {"accepted", JSON_INTEGER},
        {"declined", JSON_INTEGER},
        {"finished", JSON_INTEGER},
        {"deadline_satisfaction", JSON_REAL},
        {"jct_mean_s", JSON_REAL},
        {"jct_p99_s", JSON_REAL},
        {"makespan_s", JSON_INTEGER},
        {"gpu_utilisation", JSON_REAL},
        {"rounds", JSON_INTEGER},
        {"wall_s", JSON_REAL},
        {"version", JSON_STRING},
        {"preemptions", JSON_INTEGER},
        {"migrations", JSON_INTEGER},
        {"resizes", JSON_INTEGER},
        {"queueing_delay_mean_s", JSON_REAL},
        {"queueing_delay_p99_s", JSON_REAL},
        {"finish_time_fairness_jobs", JSON_INTEGER},
        {"finish_time_fairness_mean", JSON_REAL},
        {"finish_time_fairness_p99", JSON_REAL},
        {"finish_time_fairness_max", JSON_REAL},
        {"fair_share", JSON_REAL},
    };
    struct figures figures = {.jobs = 3, .accepted = 2, .declined = 1, .gpu_utilisation = 0.25};
    json_t *summary;

    start_report();
    commit(&figures);
    summary = json_load_file(folder_file(folder, "results/summary.json"), 0, NULL);
    assert_non_null(summary);
    for (size_t i = 0; i < COUNT(fields); i++) {
        const json_t *value = json_object_get(summary, fields[i].name);

        if (!value || json_typeof(value) != fields[i].type)
            fail_msg("%s is missing or of another type", fields[i].name);
    }
    assert_int_equal(json_object_size(summary), COUNT(fields));
    assert_int_equal(json_integer_value(json_object_get(summary, "accepted")), 2);
    assert_true(json_real_value(json_object_get(summary, "gpu_utilisation")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(summary, "policy")), "ef");
    assert_string_equal(json_string_value(json_object_get(summary, "rules")), "reference");
    json_decref(summary);
}

static double real_of(const json_t *summary, const char *name)
{
    return json_real_value(json_object_get(summary, name));
}

static json_int_t whole_of(const json_t *summary, const char *name)
{
    return json_integer_value(json_object_get(summary, name));
}

IN_FOLDER(a_summary_has_the_metrics_of_papers)
{
    const struct figures figures = {.preemptions = 5,
                                    .migrations = 6,
                                    .resizes = 7,
                                    .queueing_delay_mean_s = 8.5,
                                    .queueing_delay_p99_s = 9,
                                    .finish_time_fairness_jobs = 2,
                                    .finish_time_fairness_mean = 1.5,
                                    .finish_time_fairness_p99 = 2.25,
                                    .finish_time_fairness_max = 2.5,
                                    .fair_share = 0.75};
    json_t *summary = report_summary(&names, &figures);

    assert_int_equal(whole_of(summary, "preemptions"), 5);
    assert_int_equal(whole_of(summary, "migrations"), 6);
    assert_int_equal(whole_of(summary, "resizes"), 7);
    assert_true(real_of(summary, "queueing_delay_mean_s") == 8.5);
    assert_true(real_of(summary, "queueing_delay_p99_s") == 9);
    assert_int_equal(whole_of(summary, "finish_time_fairness_jobs"), 2);
    assert_true(real_of(summary, "finish_time_fairness_mean") == 1.5);
    assert_true(real_of(summary, "finish_time_fairness_p99") == 2.25);
    assert_true(real_of(summary, "finish_time_fairness_max") == 2.5);
    assert_true(real_of(summary, "fair_share") == 0.75);
    json_decref(summary);
}

IN_FOLDER(what_nobody_knows_is_null)
{
    static const char *const fields[] = {"finish_time_fairness_mean", "finish_time_fairness_p99",
                                         "finish_time_fairness_max", "fair_share"};
    const struct figures figures = {.finish_time_fairness_mean = NAN,
                                    .finish_time_fairness_p99 = NAN,
                                    .finish_time_fairness_max = NAN,
                                    .fair_share = NAN};
    json_t *summary = report_summary(&names, &figures);

    for (size_t i = 0; i < COUNT(fields); i++)
        assert_true(json_is_null(json_object_get(summary, fields[i])));
    json_decref(summary);
}

IN_FOLDER(only_a_policy_with_queues_reports_them)
{
    struct figures figures = {
        .queues = 3, .attained_service_gpu_s = {10, 20, 30, 40}, .demotions = 4};
    json_t *summary = report_summary(&names, &figures);
    const json_t *service = json_object_get(summary, "attained_service_gpu_s");

    assert_int_equal(json_array_size(service), 3);
    assert_int_equal(json_integer_value(json_array_get(service, 2)), 30);
    assert_int_equal(whole_of(summary, "demotions"), 4);
    json_decref(summary);
    figures.queues = 0;
    summary = report_summary(&names, &figures);
    assert_null(json_object_get(summary, "attained_service_gpu_s"));
    assert_null(json_object_get(summary, "demotions"));
    json_decref(summary);
}

IN_FOLDER(times_to_completion_are_averaged_and_ranked)
{
    const struct submission submission = {.id = "job", .submit_s = 50};
    struct figures figures = {.jobs = 0};

    report = report_new(NULL, false, &error);
    assert_non_null(report);
    for (int64_t i = 200; i > 0; i--)
        retire(&(struct job){.submission = &submission, .end_s = 50 + i}, 300, MEASURE_ITERATIONS);
    report_count(report, &figures);
    assert_int_equal(figures.finished, 200);
    assert_true(figures.jct_mean_s == 100.5);
    assert_true(figures.jct_p99_s == 198); /* the nearest rank: 198 of 200 are no longer */
}

IN_FOLDER(nobody_finished_has_no_average)
{
    struct figures figures = {.jobs = 1};

    report = report_new(NULL, false, &error);
    report_count(report, &figures);
    assert_int_equal(figures.finished, 0);
    assert_true(figures.jct_mean_s == 0 && figures.jct_p99_s == 0);
    assert_int_equal(report_commit(report, &names, &figures, &error), 0);
    assert_int_equal(folder_count(folder), 0);
}

IN_FOLDER(files_appear_only_when_they_are_committed)
{
    struct figures figures = {.jobs = 1};

    start_report();
    assert_false(folder_has(folder, "results/jobs.csv"));
    assert_false(folder_has(folder, "results/rounds.csv"));
    assert_false(folder_has(folder, "results/summary.json"));
    commit(&figures);
    report_destroy(&report);
    assert_null(report);
    assert_true(folder_has(folder, "results/jobs.csv"));
    assert_true(folder_has(folder, "results/rounds.csv"));
    assert_true(folder_has(folder, "results/work.csv"));
    assert_true(folder_has(folder, "results/outcomes.csv"));
    assert_true(folder_has(folder, "results/summary.json"));
}

IN_FOLDER(a_report_that_is_given_up_takes_its_folder_with_it)
{
    start_report();
    report_destroy(&report);
    assert_int_equal(folder_count(folder), 0);
    report_destroy(&report);
}

IN_FOLDER(a_folder_that_was_there_before_stays_with_its_files)
{
    (void)folder_write(folder, "jobs.csv", "older");
    report = report_new(folder_path(folder), true, &error);
    assert_non_null(report);
    report_destroy(&report);
    check_file("jobs.csv", "older");
    assert_int_equal(folder_count(folder), 1);
}

IN_FOLDER(results_of_a_run_that_cannot_go_on_are_kept_aside)
{
    char name[64];
    char *text;

    start_report();
    assert_int_equal(report_keep_disturbances(report, &error), 0);
    report_disturbance(report, 60, "node-down", NULL, 1, "it fell silent");
    error_set(&error, "the master is gone");
    report_keep(report, &error);
    report_destroy(&report);
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld", (long)getpid());
    assert_non_null(strstr(error.text, "the master is gone; what the run has written stays in "));
    assert_non_null(strstr(error.text, folder_file(folder, name)));
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld/disturbances.csv", (long)getpid());
    text = folder_read(folder, name);
    assert_non_null(strstr(text, "60,node-down,,1,\"it fell silent\"\n"));
    free(text);
}

IN_FOLDER(a_folder_that_cannot_be_made_is_named)
{
    (void)folder_write(folder, "results", "a file");
    assert_null(report_new(folder_file(folder, "results"), false, &error));
    assert_non_null(strstr(error.text, "results"));
    assert_null(report_new(folder_file(folder, "results/below"), false, &error));
    assert_non_null(strstr(error.text, "results"));
    assert_int_equal(folder_count(folder), 1);
}

/* A folder comes to stand where a file is to be. */
IN_FOLDER(a_file_that_cannot_be_named_fails_the_commit)
{
    struct figures figures = {.jobs = 1};
    char name[64];

    start_report();
    assert_int_equal(output_make_folder(folder_file(folder, "results/jobs.csv/in"), &error), 2);
    report_count(report, &figures);
    assert_int_equal(report_commit(report, &names, &figures, &error), -1);
    assert_non_null(strstr(error.text, "jobs.csv: appeared during the run, and is not replaced; "));
    assert_false(folder_has(folder, "results/rounds.csv"));
    assert_false(folder_has(folder, "results/summary.json"));
    report_destroy(&report);
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld", (long)getpid());
    assert_string_equal(strstr(error.text, "what the run has written stays in ") + 34,
                        folder_file(folder, name));
    (void)snprintf(name, sizeof(name), "results/unfinished-%ld/summary.json", (long)getpid());
    assert_true(folder_has(folder, name));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
