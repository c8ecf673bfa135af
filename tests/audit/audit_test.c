/* audit_test.c - result folders made by hand: good ones, and each broken in one way, which the
 * auditor must name. */
#include "tests/audit/run_files.h"
#include "tests/support/test.h"

#include <string.h>

/* EDF without overheads, slots of 10 s. `a` runs from 0 to 100 on all GPUs, `b` after it to 150, 10 s
 * behind its deadline, and `c`, best effort on two GPUs, from 150 to 190. */
static const struct run_files edf_run = {
    .trace =
        TRACE_HEADER "a,0,800,vgg16,130,128,0\nb,20,400,vgg16,140,128,0\nc,20,80,bert,0,64,1\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "100,a,8,0,0,100,130,0\n150,b,8,20,100,150,140,0\n"
                        "190,c,2,20,150,190,9223372036854775807,1\n",
    .work =
        WORK_HEADER "a,iterations,800,800,800\nb,iterations,400,400,400\nc,iterations,80,80,80\n",
    .rounds = "time,layout\n0,0@0x8\n20,0@0x8\n100,1@0x8\n150,2@0x2\n190,\n",
    .summary = SUMMARY_OF("edf", "10", "3", "2", "1", "1", "3", "0.5", "133.33333333333334", "170",
                          "190", "0.84210526315789469", "5"),
};

/* ElasticFlow, slots of 10 s: 100 s of work planned to 100, and an overhead of 10 s, so that the end
 * is at 110 and 80 iterations stay uncredited (EF-Q14). The deadline is 105 (EF-Q33). */
static const struct run_files ef_run = {
    .trace = TRACE_HEADER "a,0,800,vgg16,105,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "110,a,8,0,0,110,105,0\n",
    .work = WORK_HEADER "a,iterations,800,720,880\n",
    .rounds = "time,layout\n0,0@0x8\n110,\n",
    .summary = SUMMARY_OF("ef-accessctrl", "10", "1", "1", "1", "0", "1", "1.0", "110", "110",
                          "110", "1.0", "2"),
};

/* ElasticFlow without admission control, slots of 60 s: `a` has its deadline at 10 and dead time in
 * its plan up to 60, so that it is planned to end at 190. When `b` arrives at 150, it has been done
 * since 100: it is credited up to 190 (EF-Q41). `b` needs 40 s and two overheads at once. */
static const struct run_files early_run = {
    .trace = TRACE_HEADER "a,0,800,vgg16,10,128,0\nb,150,320,vgg16,1000,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "150,a,8,0,0,100,10,0\n212,b,8,150,150,212,1000,0\n",
    .work = WORK_HEADER "a,iterations,800,1520,1200\nb,iterations,320,304,496\n",
    .rounds = "time,layout\n0,0@0x8\n150,1@0x8\n212,\n",
    .summary =
        SUMMARY_OF("ef", "60", "2", "2", "1", "1", "2", "0.5", "81", "100", "212", "1.0", "3"),
};

/* EDF with admission control, slots of 60 s. `a` and `b` arrive together; `a` is started and stopped
 * again when `b` is admitted (EF-Q35), which runs to 60 with an overhead of 10 s. An end of `a` from
 * before that is believed at 120 (EF-Q39), while `c` had the GPUs up to 72. */
static const struct run_files idle_run = {
    .trace =
        TRACE_HEADER "a,0,400,vgg16,900,128,0\nb,0,400,vgg16,800,128,0\nc,55,80,vgg16,99,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "60,b,8,0,0,60,800,0\n120,a,0,0,0,70,900,0\n120,c,8,55,60,72,99,0\n",
    .work = WORK_HEADER "b,iterations,400,400,480\na,iterations,400,0,0\nc,iterations,80,80,480\n",
    .rounds = "time,layout\n0,1@0x8\n60,2@0x8\n120,\n",
    .summary = SUMMARY_OF("edf-accessctrl", "60", "3", "3", "3", "0", "3", "1.0", "49", "70", "120",
                          "1.0", "3"),
};

/* EDF again, with a summary that says how jobs were disturbed. At 20 `a` makes room for `b`, at 40
 * they change places, at 60 both are preempted by `c`, which waited for 20 s, and at 100 they resume. */
static const struct run_files disturbed_run = {
    .trace =
        TRACE_HEADER "a,0,800,vgg16,300,128,0\nb,20,400,vgg16,300,128,0\nc,40,320,vgg16,90,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "100,c,8,40,60,100,90,0\n160,b,4,20,20,160,300,0\n"
                        "220,a,4,0,0,220,300,0\n",
    .work = WORK_HEADER
    "c,iterations,320,320,320\nb,iterations,400,400,400\na,iterations,800,800,800\n",
    .rounds = "time,layout\n0,0@0x8\n20,0@0x4 1@4x4\n40,1@0x4 0@4x4\n60,2@0x8\n"
              "100,0@0x4 1@4x4\n160,0@0x4\n220,\n",
    .summary = "{\"schema_version\": 1, \"policy\": \"edf\", \"trace\": \"trace.csv\", "
               "\"cluster\": \"cluster.csv\", \"gpu_type\": \"A100\", "
               "\"throughputs\": \"rates.csv\", \"placement\": \"elastic\", \"switches\": 1, "
               "\"nodes\": 2, \"gpus\": 8, \"slot_s\": 10, \"jobs\": 3, \"deadline_jobs\": 3, "
               "\"accepted\": 2, \"declined\": 1, \"finished\": 3, "
               "\"deadline_satisfaction\": 0.66666666666666663, \"jct_mean_s\": 140, "
               "\"jct_p99_s\": 220, \"makespan_s\": 220, "
               "\"gpu_utilisation\": 0.86363636363636365, \"rounds\": 7, \"preemptions\": 2, "
               "\"migrations\": 2, \"resizes\": 1, "
               "\"queueing_delay_mean_s\": 6.666666666666667, \"queueing_delay_p99_s\": 20}\n",
};

static void expect_error(struct edit edit, const char *part)
{
    struct findings findings;
    struct error error;

    assert_int_equal(audit_edited(&edf_run, &edit, &findings, &error), -1);
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    assert_int_equal(findings.count, 0);
    findings_clear(&findings);
}

static void a_good_run_has_no_finding(void **state)
{
    (void)state;
    expect_quirk(&edf_run, 0, NULL, NULL);
}

static void what_a_quirk_causes_is_named_by_its_tag(void **state)
{
    (void)state;
    expect_quirk(&ef_run, 2, "work-uncredited", "EF-Q14");
    expect_quirk(&ef_run, 2, "late-but-accepted", "EF-Q33");
    expect_quirk(&early_run, 2, "work-overcredited", "EF-Q41");
    expect_quirk(&idle_run, 2, "start-mismatch", "EF-Q35");
    expect_quirk(&idle_run, 2, "work-not-done", "EF-Q39");
}

/* With the quirk put right that explains it, the same is a violation; or another is left to explain
 * it. */
static void a_quirk_that_was_put_right_explains_nothing(void **state)
{
    const struct edit late_change = {SUMMARY, "\"policy\"", "\"rules\": \"EF-Q41\", \"policy\""};
    const struct edit work_first = {SUMMARY, "\"policy\"", "\"rules\": \"EF-Q14\", \"policy\""};
    const struct edit by_work = {SUMMARY, "\"policy\"", "\"rules\": \"clean\", \"policy\""};
    struct findings findings;
    struct error error;

    (void)state;
    assert_int_equal(audit_edited(&early_run, &late_change, &findings, &error), 0);
    assert_non_null(find_finding(&findings, "work-overcredited", "EF-Q13"));
    assert_null(find_finding(&findings, "work-overcredited", "EF-Q41"));
    findings_clear(&findings);
    expect(&ef_run, work_first, "work-uncredited", "a");
    expect(&ef_run, by_work, "late-but-accepted", "a");
}

static void a_gpu_of_two_jobs_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "20,0@0x8", "20,0@0x8 1@4x4"}, "gpu-held-twice", "b");
    expect(&edf_run, (struct edit){ROUNDS, "20,0@0x8", "20,0@0x8 0@4x4"}, "gpu-held-twice", "a");
}

static void a_gpu_that_does_not_exist_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "100,1@0x8", "100,1@4x8"}, "outside-cluster", "b");
    expect(&edf_run, (struct edit){ROUNDS, "100,1@0x8", "100,1@64x8"}, "outside-cluster", "b");
}

static void more_gpus_than_the_cap_are_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x4"}, "over-cap", "c");
    /* ElasticFlow goes by model and batch size, not by the table. */
    expect(&ef_run, (struct edit){TRACE, "vgg16,105,128", "bert,105,64"}, "no-rate", "a");
    expect(&ef_run, (struct edit){RATES, "vgg16,128,8,8", "vgg16,128,3,8"}, "no-rate", "a");
}

static void a_job_across_nodes_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@3x2"}, "scattered", "c");
    expect(&edf_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x1 2@2x1"}, "scattered", "c");
    expect(&edf_run, (struct edit){ROUNDS, "100,1@0x8", "100,1@0x6 1@7x1"}, "scattered", "b");
}

static void a_job_that_is_not_in_the_trace_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x2 7@4x1"}, "unknown-job", "#7");
    expect(&edf_run, (struct edit){JOBS, "190,c", "190,x"}, "unknown-job", "x");
    expect(&edf_run, (struct edit){WORK, "c,iterations", "x,iterations"}, "unknown-job", "x");
}

static void a_job_that_runs_outside_its_life_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "0,0@0x8", "0,0@0x4 1@4x4"}, "before-submission", "b");
    expect(&edf_run, (struct edit){JOBS, "20,150,190", "20,10,190"}, "before-submission", "c");
    expect(&edf_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x2 0@4x4"}, "after-retirement",
           "a");
}

static void a_lost_job_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){JOBS, "150,b,8,20,100,150,140,0\n", ""}, "never-retired", "b");
    expect(&edf_run,
           (struct edit){TRACE, "c,20,80,bert,0,64,1\n",
                         "c,20,80,bert,0,64,1\nd,20,9,bert,500,64,0\n"},
           "never-started", "d");
    expect(&edf_run, (struct edit){WORK, "b,iterations,400,400,400\n", ""}, "record-mismatch", "b");
}

static void a_job_retired_twice_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){JOBS, "150,b", "100,a,8,0,0,100,130,0\n150,b"}, "retired-twice",
           "a");
    expect(&edf_run, (struct edit){WORK, "b,", "a,iterations,800,800,800\nb,"}, "retired-twice",
           "a");
}

static void a_record_that_contradicts_the_trace_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){JOBS, "8,20,100,150", "8,21,100,150"}, "record-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "150,140,0", "150,160,0"}, "record-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "150,140,0", "150,140,1"}, "record-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "150,140,0", "149.5,140,0"}, "record-mismatch", "b");
    expect(&edf_run, (struct edit){WORK, "400,400,400", "401,400,400"}, "record-mismatch", "b");
}

static void a_record_that_contradicts_the_layouts_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){JOBS, "20,100,150", "20,99,150"}, "start-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "100,a,8", "100,a,4"}, "size-mismatch", "a");
    expect(&edf_run, (struct edit){WORK, "400,400,400", "400,400,408"}, "gpu-seconds-mismatch",
           "b");
    expect(&edf_run, (struct edit){JOBS, "150,b", "148,b"}, "rounds-mismatch", "b");
    /* Only where arrivals are decided one by one, and only if several came, is an early start one
     * that was withdrawn. */
    expect(&idle_run, (struct edit){TRACE, "b,0,400", "b,1,400"}, "start-mismatch", "a");
}

static void an_end_that_no_plan_has_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){JOBS, "100,150,140", "100,151,140"}, "end-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "100,150,140", "100,149,140"}, "end-mismatch", "b");
    expect(&edf_run, (struct edit){JOBS, "100,150,140", "100,100,140"}, "end-mismatch", "b");
    expect(&ef_run, (struct edit){JOBS, "0,110,105", "0,109,105"}, "end-mismatch", "a");
    expect(&early_run, (struct edit){JOBS, "0,100,10", "0,99,10"}, "end-mismatch", "a");
}

static void rounds_at_wrong_times_are_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){ROUNDS, "20,0@0x8\n", ""}, "arrival-missed", NULL);
    expect(&edf_run, (struct edit){ROUNDS, "\n0,0@0x8", "\n1,0@0x8"}, "arrival-missed", NULL);
    expect(&edf_run, (struct edit){ROUNDS, "\n20,0@0x8", "\n5,0@0x8\n20,0@0x8"}, "slot-cut-short",
           NULL);
    expect(&edf_run, (struct edit){ROUNDS, "\n150,2@0x2", "\n150,2@0x2\n155,2@0x2"},
           "slot-cut-short", NULL);
    expect(&edf_run, (struct edit){ROUNDS, "\n190,", "\n150,"}, "not-in-time-order", NULL);
    expect(&edf_run, (struct edit){JOBS, "100,a,8", "160,a,8"}, "not-in-time-order", "b");
    expect(&edf_run, (struct edit){SUMMARY, "\"rounds\": 5", "\"rounds\": 6"}, "rounds-mismatch",
           NULL);
}

static void too_much_credit_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){WORK, "400,400,400", "400,400.5,400"}, "work-overcredited", "b");
    expect(&ef_run, (struct edit){WORK, "800,720", "800,720.5"}, "work-overcredited", "a");
    /* Not even a job that was done early gets more than its plan was good for. */
    expect(&early_run, (struct edit){WORK, "800,1520", "800,1920"}, "work-overcredited", "a");
    expect(&early_run, (struct edit){TRACE, "a,0,800", "a,0,900"}, "work-overcredited", "a");
}

static void too_little_credit_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){WORK, "400,400,400", "400,399,400"}, "work-uncredited", "b");
    /* A planned finish is a whole second, and one overhead may be missing, no more. */
    expect(&ef_run, (struct edit){WORK, "800,720", "800,716"}, "work-uncredited", "a");
    expect(&ef_run, (struct edit){WORK, "800,720", "800,712"}, "work-uncredited", "a");
    expect(&ef_run, (struct edit){WORK, "800,720", "800,719"}, "work-uncredited", "a");
}

static void work_that_was_not_done_is_found(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){TRACE, "b,20,400", "b,20,401"}, "work-not-done", "b");
    expect(&ef_run, (struct edit){TRACE, "a,0,800", "a,0,801"}, "work-not-done", "a");
    /* A shortfall that is larger than any difference of overheads can explain is no quirk. */
    expect(&ef_run, (struct edit){ROUNDS, "0,0@0x8", "0,0@0x4"}, "work-not-done", "a");
    expect(&edf_run, (struct edit){ROUNDS, "100,1@0x8", "100,"}, "work-not-done", "b");
}

static void an_end_must_fit_the_overhead_of_the_layout(void **state)
{
    (void)state;
    /* After a first round on 8 GPUs, 4 of them are a new group that costs 8 s: 110 is 92 s later. */
    expect(&ef_run, (struct edit){ROUNDS, "\n0,0@0x8\n", "\n0,0@0x8\n10,0@0x4\n"}, "end-mismatch",
           "a");
}

static void a_late_job_counted_as_accepted_is_found(void **state)
{
    (void)state;
    expect(&edf_run,
           (struct edit){SUMMARY, "\"accepted\": 1, \"declined\": 1",
                         "\"accepted\": 2, \"declined\": 0"},
           "late-but-accepted", "b");
    expect(&ef_run, (struct edit){TRACE, "vgg16,105,128", "vgg16,99,128"}, "late-but-accepted",
           "a");
}

static void counts_that_do_not_match_are_found(void **state)
{
    static const struct edit edits[] = {
        {SUMMARY, "\"accepted\": 1", "\"accepted\": 0"},
        {SUMMARY, "\"declined\": 1", "\"declined\": 2"},
        {SUMMARY, "\"jobs\": 3", "\"jobs\": 4"},
        {SUMMARY, "\"deadline_jobs\": 2", "\"deadline_jobs\": 3"},
        {SUMMARY, "\"finished\": 3", "\"finished\": 2"},
        {SUMMARY, "\"deadline_satisfaction\": 0.5", "\"deadline_satisfaction\": 0.6"},
        {SUMMARY, "\"jct_mean_s\": 133", "\"jct_mean_s\": 134"},
        {SUMMARY, "\"jct_p99_s\": 170", "\"jct_p99_s\": 169"},
        {SUMMARY, "\"makespan_s\": 190", "\"makespan_s\": 191"},
        {SUMMARY, "\"gpu_utilisation\": 0.8", "\"gpu_utilisation\": 0.9"},
        {SUMMARY, "\"nodes\": 2", "\"nodes\": 1"},
        {CLUSTER, "1,2,4", "1,4,2"},
        {SUMMARY, "\"accepted\": 1, \"declined\": 1", "\"accepted\": 0, \"declined\": 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
        expect(&edf_run, edits[i], "count-mismatch", NULL);
}

static void disturbances_and_delays_are_counted_again(void **state)
{
    static const struct edit edits[] = {
        {SUMMARY, "\"preemptions\": 2", "\"preemptions\": 3"},
        {SUMMARY, "\"migrations\": 2", "\"migrations\": 1"},
        {SUMMARY, "\"resizes\": 1", "\"resizes\": 0"},
        {SUMMARY, "_mean_s\": 6.666666666666667", "_mean_s\": 6.66666"},
        {SUMMARY, "_p99_s\": 20", "_p99_s\": 0"},
        /* Half of its GPUs are new: also that is a migration. */
        {ROUNDS, "\n160,0@0x4\n", "\n160,0@2x4\n"},
    };

    (void)state;
    expect_quirk(&disturbed_run, 0, NULL, NULL);
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
        expect(&disturbed_run, edits[i], "count-mismatch", NULL);
}

static void best_effort_is_in_no_count(void **state)
{
    (void)state;
    expect(&edf_run, (struct edit){SUMMARY, "\"accepted\": 1", "\"accepted\": 2"}, "count-mismatch",
           NULL);
}

static void what_cannot_be_read_is_an_error(void **state)
{
    (void)state;
    expect_error((struct edit){SUMMARY, "\"slot_s\": 10", "\"slot_s\": \"x\""}, "summary.json");
    expect_error((struct edit){SUMMARY, "\"slot_s\": 10", "\"slot_s\": 0"}, "slot");
    expect_error((struct edit){SUMMARY, "\"schema_version\": 1", "\"schema_version\": 99"},
                 "schema_version 99");
    expect_error((struct edit){SUMMARY, "{", "["}, "summary.json:1");
    expect_error((struct edit){SUMMARY, "{", "{\"preemptions\": 0, "}, "migrations");
    expect_error((struct edit){JOBS, "100,a,8", "100,a,-8"}, "jobs.csv:2: column 3 (gpus_at_end)");
    expect_error((struct edit){WORK, "400,400,400", "400,nan,400"}, "work.csv:3: column 4");
    expect_error((struct edit){WORK, "b,iterations", "b,epochs"}, "work.csv:3: column 2");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0"}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0x8 "}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0x0"}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){TRACE, "vgg16,130,128", "vgg16,130,99"}, "trace.csv:2: column 6");
    expect_error((struct edit){TRACE, "b,20,400", "a,20,400"}, "\"a\"");
    expect_error((struct edit){CLUSTER, "1,2,4,64,256\n", ""}, "cluster.csv");
    expect_error((struct edit){RATES, "vgg16,128,2,2", "vgg16,128,2,fast"},
                 "rates.csv:3: column 4");
    expect_error((struct edit){JOBS, "end_time", "finish_time"}, "end_time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_run_has_no_finding),
        cmocka_unit_test(a_quirk_that_was_put_right_explains_nothing),
        cmocka_unit_test(what_a_quirk_causes_is_named_by_its_tag),
        cmocka_unit_test(a_gpu_of_two_jobs_is_found),
        cmocka_unit_test(a_gpu_that_does_not_exist_is_found),
        cmocka_unit_test(more_gpus_than_the_cap_are_found),
        cmocka_unit_test(a_job_across_nodes_is_found),
        cmocka_unit_test(a_job_that_is_not_in_the_trace_is_found),
        cmocka_unit_test(a_job_that_runs_outside_its_life_is_found),
        cmocka_unit_test(a_lost_job_is_found),
        cmocka_unit_test(a_job_retired_twice_is_found),
        cmocka_unit_test(a_record_that_contradicts_the_trace_is_found),
        cmocka_unit_test(a_record_that_contradicts_the_layouts_is_found),
        cmocka_unit_test(an_end_that_no_plan_has_is_found),
        cmocka_unit_test(rounds_at_wrong_times_are_found),
        cmocka_unit_test(too_much_credit_is_found),
        cmocka_unit_test(too_little_credit_is_found),
        cmocka_unit_test(work_that_was_not_done_is_found),
        cmocka_unit_test(an_end_must_fit_the_overhead_of_the_layout),
        cmocka_unit_test(a_late_job_counted_as_accepted_is_found),
        cmocka_unit_test(counts_that_do_not_match_are_found),
        cmocka_unit_test(disturbances_and_delays_are_counted_again),
        cmocka_unit_test(best_effort_is_in_no_count),
        cmocka_unit_test(what_cannot_be_read_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
