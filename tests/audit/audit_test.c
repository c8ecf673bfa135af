/* audit_test.c - result folders made by hand: good ones, and each broken in one way, which the
 * auditor must name. */
#include "tests/audit/run_files.h"
#include "tests/support/test.h"

#include <string.h>

/* A policy that promises deadlines, without overheads. `a` runs from 0 to 100 on all GPUs, `b`
 * after it to 150, 10 s after the deadline that it was promised, `c`, best effort on two GPUs, from
 * 150 to 190, and `d` is declined. */
static const struct run_files own_run = {
    .trace = TRACE_HEADER "a,0,800,vgg16,130,128,0\nb,20,400,vgg16,140,128,0\n"
                          "c,20,80,bert,0,64,1\nd,20,999,vgg16,30,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "100,a,8,0,0,100,130,0\n150,b,8,20,100,150,140,0\n"
                        "190,c,2,20,150,190,9223372036854775807,1\n",
    .work =
        WORK_HEADER "a,iterations,800,800,800\nb,iterations,400,400,400\nc,iterations,80,80,80\n",
    .rounds = "time,layout\n0,0@0x8\n20,0@0x8\n100,1@0x8\n150,2@0x2\n190,\n",
    .outcomes = OUTCOMES_HEADER "0,a,promised,fits,130,on-time\n20,b,promised,fits,140,late\n"
                                "20,c,best-effort,no-deadline,,done\n20,d,declined,no-room,,\n",
    .summary =
        SUMMARY_OF("own") "\"jobs\": 4, \"deadline_jobs\": 3, \"promises\": true, \"on_time\": 1, "
                          "\"promised\": 2, \"broken\": 1, \"best_effort_on_time\": 0, "
                          "\"on_time_share\": 0.33333333333333331, \"accepted\": 1, "
                          "\"declined\": 2, \"finished\": 3, "
                          "\"deadline_satisfaction\": 0.33333333333333331, "
                          "\"jct_mean_s\": 133.33333333333334, \"jct_p99_s\": 170, "
                          "\"makespan_s\": 190, \"gpu_utilisation\": 0.84210526315789469, "
                          "\"rounds\": 5}\n",
};

/* A policy that promises nothing; its summary says how jobs were disturbed. At 20 `a` makes room
 * for `b`, at 40 they change places, at 60 both are preempted by `c`, which waited for 20 s, and at
 * 100 they resume. */
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
    .outcomes = OUTCOMES_HEADER
    "0,a,best-effort,no-promises,,on-time\n20,b,best-effort,no-promises,,on-time\n"
    "40,c,best-effort,no-promises,,late\n",
    .summary = SUMMARY_OF("edf") "\"jobs\": 3, \"deadline_jobs\": 3, \"promises\": false, "
                                 "\"on_time\": 2, \"promised\": 0, \"broken\": 0, "
                                 "\"best_effort_on_time\": 2, "
                                 "\"on_time_share\": 0.66666666666666663, "
                                 "\"accepted\": 2, \"declined\": 1, \"finished\": 3, "
                                 "\"deadline_satisfaction\": 0.66666666666666663, "
                                 "\"jct_mean_s\": 140, \"jct_p99_s\": 220, \"makespan_s\": 220, "
                                 "\"gpu_utilisation\": 0.86363636363636365, \"rounds\": 7, "
                                 "\"preemptions\": 2, \"migrations\": 2, \"resizes\": 1, "
                                 "\"queueing_delay_mean_s\": 6.666666666666667, "
                                 "\"queueing_delay_p99_s\": 20}\n",
    .timeline = TIMELINE_HEADER
    "0,a,A100,8,start\n20,a,A100,4,shrink\n20,b,A100,4,start\n40,b,A100,4,move\n"
    "40,a,A100,4,move\n60,a,A100,0,preempted\n60,b,A100,0,preempted\n60,c,A100,8,start\n"
    "100,c,A100,0,done\n100,a,A100,4,restart\n100,b,A100,4,restart\n160,b,A100,0,done\n"
    "220,a,A100,0,done\n",
    .use = USE_HEADER "0,8,8,1,0,1\n20,8,8,2,0,1\n40,8,8,2,1,1\n60,8,8,1,2,1\n100,8,8,2,0,1\n"
                      "160,8,4,1,0,0.5\n220,8,0,0,0,0\n",
};

/* ElasticFlow: 100 s of work and an overhead of 10 s, so that the job ends 5 s after its deadline
 * (EF-Q45) and 80 iterations stay uncredited (EF-Q14). */
static const struct run_files ef_run = {
    .trace = TRACE_HEADER "a,0,800,vgg16,105,128,0\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "110,a,8,0,0,110,105,0\n",
    .work = WORK_HEADER "a,iterations,800,720,880\n",
    .rounds = "time,layout\n0,0@0x8\n110,\n",
    .outcomes = OUTCOMES_HEADER "0,a,promised,fits,105,late\n",
    .summary = SUMMARY_OF("ef-accessctrl") "\"jobs\": 1, \"deadline_jobs\": 1, \"promises\": true, "
                                           "\"on_time\": 0, \"promised\": 1, \"broken\": 1, "
                                           "\"best_effort_on_time\": 0, \"on_time_share\": 0, "
                                           "\"accepted\": 1, \"declined\": 0, \"finished\": 1, "
                                           "\"deadline_satisfaction\": 1, \"jct_mean_s\": 110, "
                                           "\"jct_p99_s\": 110, \"makespan_s\": 110, "
                                           "\"gpu_utilisation\": 1, \"rounds\": 2}\n",
};

#define SIZES_HEADER                                                                               \
    "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort,num_gpu,duration\n"

/* A policy that measures in seconds and looks every 60 s: `a` is done at 100 and seen at 120. `b`
 * asks for more than there is. */
static const struct run_files timed_run = {
    .trace = SIZES_HEADER "a,0,9,vgg16,110,128,0,4,100\nb,60,9,vgg16,110,128,0,16,100\n",
    .cluster = CLUSTER_OF_8,
    .rates = LINEAR_RATES,
    .jobs = JOBS_HEADER "120,a,4,0,0,100,110,0\n",
    .work = WORK_HEADER "a,seconds,100,120,480\n",
    .rounds = "time,layout\n0,0@0x4\n60,0@0x4\n120,\n",
    .outcomes = OUTCOMES_HEADER "0,a,best-effort,no-promises,,on-time\n60,b,declined,too-large,,\n",
    .summary = SUMMARY_OF("timed") "\"jobs\": 2, \"deadline_jobs\": 2, \"promises\": false, "
                                   "\"on_time\": 1, \"promised\": 0, \"broken\": 0, "
                                   "\"best_effort_on_time\": 1, \"on_time_share\": 0.5, "
                                   "\"accepted\": 1, \"declined\": 1, \"finished\": 1, "
                                   "\"deadline_satisfaction\": 0.5, \"jct_mean_s\": 100, "
                                   "\"jct_p99_s\": 100, \"makespan_s\": 120, "
                                   "\"gpu_utilisation\": 0.5, \"rounds\": 3}\n",
};

static void expect_error(struct edit edit, const char *part)
{
    struct findings findings;
    struct error error;

    assert_int_equal(audit_edited(&own_run, &edit, &findings, &error), -1);
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    assert_int_equal(findings.count, 0);
    findings_clear(&findings);
}

TEST(a_good_run_has_no_finding)
{
    expect_quirk(&disturbed_run, 0, NULL, NULL);
    expect_quirk(&timed_run, 0, NULL, NULL);
}

TEST(a_broken_promise_is_no_violation)
{
    struct findings findings;
    struct error error;

    assert_int_equal(audit_edited(&own_run, NULL, &findings, &error), 0);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.broken, 1);
    assert_int_equal(findings.violations, 0);
    assert_int_equal(findings.quirks, 0);
    assert_string_equal(find_finding(&findings, "promise-broken", NULL)->job, "b");
    assert_string_equal(findings.items[0].text, "promised 140, and ended 10 s later");
    findings_clear(&findings);
}

TEST(a_promise_to_a_job_that_never_ends_is_broken)
{
    expect(&own_run,
           (struct edit){OUTCOMES, "20,d,declined,no-room,,", "20,d,promised,fits,30,failed"},
           "promise-broken", "d");
}

TEST(what_a_quirk_causes_is_named_by_its_tag)
{
    expect_quirk(&ef_run, 2, "work-uncredited", "EF-Q14");
    expect_quirk(&ef_run, 2, "promise-broken", "EF-Q45");
}

/* With the quirk put right that explains it, the same is a violation. */
TEST(a_quirk_that_was_put_right_explains_nothing)
{
    static const char *const rules[] = {"clean", "EF-Q14", "EF-Q3,EF-Q14,EF-Q20"};
    struct findings findings;
    struct error error;

    for (size_t i = 0; i < COUNT(rules); i++) {
        const struct edit edit = {SUMMARY, "reference", rules[i]};

        expect(&ef_run, edit, "work-uncredited", "a");
    }
    assert_int_equal(
        audit_edited(&ef_run, &(struct edit){SUMMARY, "reference", "EF-Q1"}, &findings, &error), 0);
    assert_non_null(find_finding(&findings, "work-uncredited", "EF-Q14"));
    findings_clear(&findings);
}

TEST(a_gpu_of_two_jobs_is_found)
{
    expect(&own_run, (struct edit){ROUNDS, "20,0@0x8", "20,0@0x8 1@4x4"}, "gpu-held-twice", "b");
    expect(&own_run, (struct edit){ROUNDS, "20,0@0x8", "20,0@0x8 0@4x4"}, "gpu-held-twice", "a");
}

TEST(a_gpu_that_does_not_exist_is_found)
{
    expect(&own_run, (struct edit){ROUNDS, "100,1@0x8", "100,1@4x8"}, "outside-cluster", "b");
    expect(&own_run, (struct edit){ROUNDS, "100,1@0x8", "100,1@64x8"}, "outside-cluster", "b");
}

TEST(a_size_that_a_job_cannot_have_is_found)
{
    expect(&own_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x4"}, "no-rate", "c");
    expect(&timed_run, (struct edit){ROUNDS, "60,0@0x4", "60,0@0x2"}, "not-as-asked", "a");
    expect(&timed_run, (struct edit){ROUNDS, "60,0@0x4", "60,0@0x8"}, "not-as-asked", "a");
}

TEST(a_job_that_is_not_in_the_trace_is_found)
{
    expect(&own_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x2 7@4x1"}, "unknown-job", "#7");
    expect(&own_run, (struct edit){JOBS, "190,c", "190,x"}, "unknown-job", "x");
    expect(&own_run, (struct edit){WORK, "c,iterations", "x,iterations"}, "unknown-job", "x");
    expect(&own_run, (struct edit){OUTCOMES, "20,c", "20,x"}, "unknown-job", "x");
}

TEST(a_job_that_runs_outside_its_life_is_found)
{
    expect(&own_run, (struct edit){ROUNDS, "0,0@0x8", "0,0@0x4 1@4x4"}, "before-submission", "b");
    expect(&own_run, (struct edit){JOBS, "20,150,190", "20,10,190"}, "before-submission", "c");
    expect(&own_run, (struct edit){OUTCOMES, "20,b", "0,b"}, "before-submission", "b");
    expect(&own_run, (struct edit){ROUNDS, "150,2@0x2", "150,2@0x2 0@4x4"}, "after-retirement",
           "a");
}

TEST(a_lost_job_is_found)
{
    expect(&own_run, (struct edit){JOBS, "150,b,8,20,100,150,140,0\n", ""}, "never-retired", "b");
    expect(&own_run, (struct edit){WORK, "b,iterations,400,400,400\n", ""}, "record-mismatch", "b");
    expect(&own_run, (struct edit){OUTCOMES, "20,b,promised,fits,140,late\n", ""}, "never-decided",
           "b");
    expect(
        &timed_run,
        (struct edit){OUTCOMES, "b,declined,too-large,,", "b,best-effort,no-promises,,unfinished"},
        "never-fits", "b");
}

TEST(a_job_that_is_there_twice_is_found)
{
    expect(&own_run, (struct edit){JOBS, "150,b", "100,a,8,0,0,100,130,0\n150,b"}, "retired-twice",
           "a");
    expect(&own_run, (struct edit){WORK, "b,", "a,iterations,800,800,800\nb,"}, "retired-twice",
           "a");
    expect(&own_run, (struct edit){OUTCOMES, "20,b", "20,a,declined,no-room,,\n20,b"},
           "decided-twice", "a");
}

TEST(a_record_that_contradicts_the_trace_is_found)
{
    expect(&own_run, (struct edit){JOBS, "8,20,100,150", "8,21,100,150"}, "record-mismatch", "b");
    expect(&own_run, (struct edit){JOBS, "150,140,0", "150,160,0"}, "record-mismatch", "b");
    expect(&own_run, (struct edit){JOBS, "150,140,0", "150,140,1"}, "best-effort-mismatch", "b");
    expect(&own_run, (struct edit){WORK, "400,400,400", "401,400,400"}, "record-mismatch", "b");
    expect(&timed_run, (struct edit){WORK, "seconds,100", "seconds,99"}, "record-mismatch", "a");
}

TEST(a_record_that_contradicts_the_layouts_is_found)
{
    expect(&own_run, (struct edit){JOBS, "20,100,150", "20,99,150"}, "start-mismatch", "b");
    expect(&own_run, (struct edit){JOBS, "0,0,100,130", "0,20,100,130"}, "start-mismatch", "a");
    expect(&own_run, (struct edit){JOBS, "100,a,8", "100,a,4"}, "size-mismatch", "a");
    expect(&own_run, (struct edit){WORK, "400,400,400", "400,400,408"}, "gpu-seconds-mismatch",
           "b");
    expect(&own_run, (struct edit){JOBS, "150,b", "149,b"}, "rounds-mismatch", "b");
    expect(&own_run, (struct edit){OUTCOMES, "20,b", "21,b"}, "rounds-mismatch", "b");
}

TEST(an_end_at_another_time_is_found)
{
    expect(&own_run, (struct edit){JOBS, "100,150,140", "100,151,140"}, "end-mismatch", "b");
    expect(&own_run, (struct edit){JOBS, "100,150,140", "100,149,140"}, "end-mismatch", "b");
    expect(&own_run, (struct edit){JOBS, "100,150,140", "100,149.5,140"}, "end-mismatch", "b");
    expect(&timed_run, (struct edit){JOBS, "0,0,100,110", "0,0,99,110"}, "end-mismatch", "a");
    expect(&timed_run, (struct edit){JOBS, "0,0,100,110", "0,0,59,110"}, "end-mismatch", "a");
}

TEST(rounds_that_go_back_are_found)
{
    expect(&own_run, (struct edit){ROUNDS, "\n190,", "\n150,"}, "not-in-time-order", NULL);
    expect(&own_run, (struct edit){SUMMARY, "\"rounds\": 5", "\"rounds\": 6"}, "rounds-mismatch",
           NULL);
}

TEST(too_much_credit_is_found)
{
    expect(&own_run, (struct edit){WORK, "400,400,400", "400,400.5,400"}, "work-overcredited", "b");
    expect(&own_run, (struct edit){TRACE, "a,0,800", "a,0,700"}, "record-mismatch", "a");
    expect(&timed_run, (struct edit){WORK, "100,120,480", "100,121,480"}, "work-overcredited", "a");
}

TEST(too_little_credit_is_found)
{
    expect(&own_run, (struct edit){WORK, "400,400,400", "400,399,400"}, "work-uncredited", "b");
    expect(&timed_run, (struct edit){WORK, "100,120,480", "100,99,480"}, "work-uncredited", "a");
    /* The rounds before the last are credited, but for one overhead each. */
    expect(&disturbed_run, (struct edit){RATES, "vgg16,128,4,4", "vgg16,128,4,90"},
           "work-uncredited", "a");
}

TEST(work_that_was_not_done_is_found)
{
    expect(&own_run, (struct edit){RATES, "vgg16,128,8,8", "vgg16,128,8,7"}, "work-not-done", "a");
    expect(&own_run, (struct edit){ROUNDS, "100,1@0x8", "100,"}, "work-not-done", "b");
    expect(&timed_run, (struct edit){ROUNDS, "60,0@0x4", "60,"}, "work-not-done", "a");
}

TEST(a_verdict_that_cannot_be_is_found)
{
    static const struct {
        struct edit edit;
        const char *job;
    } cases[] = {
        {{OUTCOMES, "b,promised,fits,140", "b,promised,fits,150"}, "b"},
        {{OUTCOMES, "b,promised,fits,140", "b,promised,fits,"}, "b"},
        {{OUTCOMES, "b,promised,fits,140", "b,promised,no-room,140"}, "b"},
        {{OUTCOMES, "b,promised,fits,140", "b,best-effort,no-promises,"}, "b"},
        {{OUTCOMES, "b,promised,fits,140", "b,best-effort,no-deadline,"}, "b"},
        {{OUTCOMES, "c,best-effort,no-deadline", "c,promised,fits"}, "c"},
        {{OUTCOMES, "d,declined,no-room", "d,declined,too-large"}, "d"},
        {{OUTCOMES, "d,declined,no-room,", "d,declined,no-room,30"}, "d"},
        {{SUMMARY, "\"promises\": true", "\"promises\": false"}, "a"},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        expect(&own_run, cases[i].edit, "verdict-mismatch", cases[i].job);
}

TEST(an_outcome_that_did_not_come_is_found)
{
    expect(&own_run, (struct edit){OUTCOMES, "140,late", "140,on-time"}, "outcome-mismatch", "b");
    expect(&own_run, (struct edit){OUTCOMES, "130,on-time", "130,late"}, "outcome-mismatch", "a");
    expect(&own_run, (struct edit){OUTCOMES, ",done", ",on-time"}, "outcome-mismatch", "c");
    expect(&own_run, (struct edit){OUTCOMES, "no-room,,", "no-room,,late"}, "outcome-mismatch",
           "d");
    expect(&own_run, (struct edit){OUTCOMES, "b,promised,fits,140,late", "b,declined,no-room,,"},
           "declined-but-ran", "b");
}

/* The same run as a version tells it that keeps histories. */
static struct run_files told_run(void)
{
    struct run_files run = own_run;

    run.outcomes = "decided_at,job_id,verdict,reason,promised,outcome,slack,history\n"
                   "0,a,promised,fits,130,on-time,30,0 promised by 130\n"
                   "20,b,promised-later,fits,140,late,-10,\"20 best-effort: no-room | 20 promised "
                   "by 130 | 100 at risk: slow | 100 withdrawn: node, it lost work | 100 promised "
                   "again by 140\"\n"
                   "20,c,best-effort,no-deadline,,done,,20 best-effort: no-deadline\n"
                   "20,d,declined,no-room,,,,20 declined: no-room\n";
    return run;
}

TEST(a_slack_that_is_not_that_of_the_end_is_found)
{
    const struct run_files run = told_run();

    expect(&run, (struct edit){OUTCOMES, "on-time,30", "on-time,31"}, "outcome-mismatch", "a");
    expect(&run, (struct edit){OUTCOMES, "on-time,30", "on-time,"}, "outcome-mismatch", "a");
    expect(&run, (struct edit){OUTCOMES, "late,-10", "late,10"}, "outcome-mismatch", "b");
    expect(&run, (struct edit){OUTCOMES, "done,", "done,5"}, "outcome-mismatch", "c");
}

TEST(a_history_that_cannot_be_is_found)
{
    static const struct {
        struct edit edit;
        const char *job;
    } cases[] = {
        {{OUTCOMES, "0 promised by 130\n", "20 promised by 130\n"}, "a"},
        {{OUTCOMES, "0 promised by 130\n", "0 promised by 131\n"}, "a"},
        {{OUTCOMES, "0 promised by 130\n", "0 promised again by 130\n"}, "a"},
        {{OUTCOMES, "0 promised by 130\n", "0 best-effort: fits\n"}, "a"},
        {{OUTCOMES, "0 promised by 130\n", "0 hoped for 130\n"}, "a"},
        {{OUTCOMES, "0 promised by 130\n", "\n"}, "a"},
        {{OUTCOMES, " | 100 withdrawn: node, it lost work", ""}, "b"},
        {{OUTCOMES, " | 100 promised again by 140", ""}, "b"},
        {{OUTCOMES, "100 withdrawn", "101 withdrawn"}, "b"},
        {{OUTCOMES, "100 promised again", "190 promised again"}, "b"},
        {{OUTCOMES, "100 promised again", "20 promised again"}, "b"},
        {{OUTCOMES, "again by 140", "again by 130"}, "b"},
        {{OUTCOMES, "20 best-effort: no-deadline", "20 declined: no-deadline"}, "c"},
        {{OUTCOMES, "best-effort: no-deadline", "best-effort: no-deadline | 20 cancelled: x"}, "c"},
        {{OUTCOMES, "declined: no-room", "declined: no-rooms"}, "d"},
        {{OUTCOMES, "declined: no-room", "declined: too-large"}, "d"},
    };
    const struct run_files run = told_run();

    for (size_t i = 0; i < COUNT(cases); i++)
        expect(&run, cases[i].edit, "history-mismatch", cases[i].job);
}

/* The promise of a soft deadline falls to a later step before the job ends. */
TEST(a_fall_to_another_deadline_is_found)
{
    struct run_files run = told_run();

    run.trace = TRACE_HEADER "a,0,800,vgg16,\"90:10,130:6\",128,0\nb,20,400,vgg16,140,128,0\n"
                             "c,20,80,bert,0,64,1\nd,20,999,vgg16,30,128,0\n";
    run.outcomes = "decided_at,job_id,verdict,reason,promised,outcome,slack,history\n"
                   "0,a,promised,fits,130,on-time,30,0 promised by 90 | 20 falls: plan; its "
                   "promised deadline falls from 90 s to 130 s\n"
                   "20,b,promised,fits,140,late,-10,20 promised by 140\n"
                   "20,c,best-effort,no-deadline,,done,,20 best-effort: no-deadline\n"
                   "20,d,declined,no-room,,,,20 declined: no-room\n";
    expect(&run, (struct edit){OUTCOMES, "from 90 s", "from 91 s"}, "history-mismatch", "a");
    expect(&run, (struct edit){OUTCOMES, "to 130 s", "to 131 s"}, "history-mismatch", "a");
    expect(&run, (struct edit){OUTCOMES, "to 130 s", "to then"}, "history-mismatch", "a");
    expect(&run, (struct edit){OUTCOMES, "by 90 | 20", "by 90 | 20 withdrawn: plan | 20"},
           "history-mismatch", "a");
}

TEST(withdrawals_are_counted_again)
{
    const struct run_files run = told_run();

    expect(&run, (struct edit){SUMMARY, "\"broken\": 1", "\"broken\": 1, \"withdrawn\": 2"},
           "count-mismatch", NULL);
    expect(&run, (struct edit){SUMMARY, "\"broken\": 1", "\"broken\": 1, \"withdrawals\": 0"},
           "count-mismatch", NULL);
}

TEST(counts_that_do_not_match_are_found)
{
    static const struct edit edits[] = {
        {SUMMARY, "\"on_time\": 1", "\"on_time\": 2"},
        {SUMMARY, "\"promised\": 2", "\"promised\": 3"},
        {SUMMARY, "\"broken\": 1", "\"broken\": 0"},
        {SUMMARY, "\"best_effort_on_time\": 0", "\"best_effort_on_time\": 1"},
        {SUMMARY, "\"on_time_share\": 0.3", "\"on_time_share\": 0.4"},
        {SUMMARY, "\"accepted\": 1", "\"accepted\": 3"},
        {SUMMARY, "\"declined\": 2", "\"declined\": 0"},
        {SUMMARY, "\"jobs\": 4", "\"jobs\": 3"},
        {SUMMARY, "\"deadline_jobs\": 3", "\"deadline_jobs\": 2"},
        {SUMMARY, "\"finished\": 3", "\"finished\": 2"},
        {SUMMARY, "\"deadline_satisfaction\": 0.3", "\"deadline_satisfaction\": 0.6"},
        {SUMMARY, "\"jct_mean_s\": 133", "\"jct_mean_s\": 134"},
        {SUMMARY, "\"jct_p99_s\": 170", "\"jct_p99_s\": 169"},
        {SUMMARY, "\"makespan_s\": 190", "\"makespan_s\": 191"},
        {SUMMARY, "\"gpu_utilisation\": 0.8", "\"gpu_utilisation\": 0.9"},
        {SUMMARY, "\"nodes\": 2", "\"nodes\": 1"},
        {CLUSTER, "1,2,4", "1,4,2"},
    };

    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&own_run, edits[i], "count-mismatch", NULL);
}

TEST(disturbances_and_delays_are_counted_again)
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

    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&disturbed_run, edits[i], "count-mismatch", NULL);
}

TEST(a_change_that_is_not_told_as_it_was_is_found)
{
    const struct edit edits[] = {{TIMELINE, "20,a,A100,4,shrink\n", ""},
                                 {TIMELINE, "40,a,A100,4,move", "40,a,A100,4,grow"},
                                 {TIMELINE, "20,a,A100,4,shrink", "20,a,A100,2,shrink"},
                                 {TIMELINE, "60,a,A100,0,preempted", "60,a,A100,0,move"},
                                 {TIMELINE, "100,a,A100,4,restart", "100,a,A100,4,start"},
                                 {TIMELINE, "220,a,A100,0,done", "220,a,A100,0,preempted"},
                                 {TIMELINE, "40,a,", "30,a,A100,4,move\n40,a,"}};

    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&disturbed_run, edits[i], "timeline-mismatch", "a");
    expect(&disturbed_run, (struct edit){TIMELINE, "40,a,", "40,x,"}, "unknown-job", "x");
}

TEST(a_use_of_the_cluster_that_was_not_is_found)
{
    const struct edit edits[] = {{USE, "20,8,8,2", "20,8,4,2"},  {USE, "20,8,8,2", "20,8,8,1"},
                                 {USE, "20,8,8,2", "20,16,8,2"}, {USE, "20,8,8,2", "20,4,8,2"},
                                 {USE, "20,8,8,2", "21,8,8,2"},  {USE, "1,0,0.5", "1,0,0.51"},
                                 {USE, "220,8,0,0,0,0\n", ""},   {TIMELINE, "220,a", "221,a"}};

    for (size_t i = 0; i < COUNT(edits); i++)
        expect(&disturbed_run, edits[i], "timeline-mismatch", i + 1 < COUNT(edits) ? NULL : "a");
}

TEST(service_by_queue_adds_up)
{
    const struct edit good = {SUMMARY, "\"preemptions\"",
                              "\"attained_service_gpu_s\": [1000, 520], \"preemptions\""};
    const struct edit bad = {SUMMARY, "\"preemptions\"",
                             "\"attained_service_gpu_s\": [1000, 521], \"preemptions\""};
    struct findings findings;
    struct error error;

    assert_int_equal(audit_edited(&disturbed_run, &good, &findings, &error), 0);
    assert_int_equal(findings.violations, 0);
    findings_clear(&findings);
    expect(&disturbed_run, bad, "count-mismatch", NULL);
}

TEST(what_cannot_be_read_is_an_error)
{
    expect_error((struct edit){SUMMARY, "\"jobs\": 4", "\"jobs\": \"x\""}, "summary.json");
    expect_error((struct edit){SUMMARY, "\"promises\": true", "\"promises\": 1"}, "summary.json");
    expect_error((struct edit){SUMMARY, "\"schema_version\": 1", "\"schema_version\": 99"},
                 "schema_version 99");
    expect_error((struct edit){SUMMARY, "{", "["}, "summary.json:1");
    expect_error((struct edit){SUMMARY, "{", "{\"preemptions\": 0, "}, "migrations");
    expect_error((struct edit){SUMMARY, "{", "{\"interrupted\": true, "}, "interrupted");
    expect_error((struct edit){JOBS, "100,a,8", "100,a,-8"}, "jobs.csv:2: column 3 (gpus_at_end)");
    expect_error((struct edit){WORK, "400,400,400", "400,nan,400"}, "work.csv:3: column 4");
    expect_error((struct edit){WORK, "b,iterations", "b,epochs"}, "work.csv:3: column 2");
    expect_error((struct edit){OUTCOMES, "b,promised", "b,hoped"}, "outcomes.csv:3: column 3");
    expect_error((struct edit){OUTCOMES, "fits,140", "fit,140"}, "outcomes.csv:3: column 4");
    expect_error((struct edit){OUTCOMES, "140,late", "140,later"}, "outcomes.csv:3: column 6");
    expect_error((struct edit){OUTCOMES, "140,late", "soon,late"}, "outcomes.csv:3: column 5");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0"}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0x8 "}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){ROUNDS, "0@0x8", "0@0x0"}, "rounds.csv:2: column 2 (layout)");
    expect_error((struct edit){TRACE, "vgg16,130,128", "vgg16,130,99"}, "trace.csv:2: column 6");
    expect_error((struct edit){TRACE, "b,20,400", "a,20,400"}, "\"a\"");
    expect_error((struct edit){CLUSTER, "1,2,4,64,256\n", ""}, "spec.csv");
    expect_error((struct edit){RATES, "vgg16,128,2,2", "vgg16,128,2,fast"},
                 "rates.csv:3: column 4");
    expect_error((struct edit){JOBS, "end_time", "finish_time"}, "end_time");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
