/* outcome_report_test.c - the verdicts on jobs, what became of them, and what is counted of
 * both. */
#include "scheduler/report/outcome_report.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Nothing is promised. */
#define WITHOUT(told, why)                                                                         \
    {                                                                                              \
        .kind = (told), .reason = (why), .promised_s = DEADLINE_NONE_S,                            \
        .earliest_s = DEADLINE_NONE_S                                                              \
    }

static const struct verdict promised = {.kind = VERDICT_PROMISED,
                                        .reason = REASON_FITS,
                                        .promised_s = 100,
                                        .earliest_s = DEADLINE_NONE_S};
static const struct verdict unpromised = WITHOUT(VERDICT_BEST_EFFORT, REASON_NO_ROOM);
static const struct verdict no_promises = WITHOUT(VERDICT_BEST_EFFORT, REASON_NO_PROMISES);
static const struct verdict no_deadline = WITHOUT(VERDICT_BEST_EFFORT, REASON_NO_DEADLINE);
static const struct verdict too_large = WITHOUT(VERDICT_DECLINED, REASON_TOO_LARGE);
static const struct verdict no_room = WITHOUT(VERDICT_DECLINED, REASON_NO_ROOM);

/* A job as its user stated it. */
#define STATED(name, ...)                                                                          \
    {                                                                                              \
        .id = (name), __VA_ARGS__                                                                  \
    }

/* What became of it: over if its state says so. */
#define DONE(...)                                                                                  \
    {                                                                                              \
        .state = JOB_DONE, __VA_ARGS__                                                             \
    }

static const struct {
    struct submission submission;
    struct job job;
    const struct verdict *verdict;
    const char *line;
} cases[] = {
    {STATED("kept", .deadline_s = 100), DONE(.end_s = 100), &promised,
     "0,kept,promised,fits,100,on-time,0,\"0 promised by 100\"\n"},
    {STATED("broken", .deadline_s = 100), DONE(.end_s = 101), &promised,
     "1,broken,promised,fits,100,late,-1,\"1 promised by 100\"\n"},
    {STATED("given-up", .deadline_s = 100),
     {.state = JOB_FAILED},
     &promised,
     "2,given-up,promised,fits,100,failed,,\"2 promised by 100\"\n"},
    {STATED("running", .deadline_s = 100),
     {.state = JOB_RUNNING},
     &promised,
     "3,running,promised,fits,100,unfinished,,\"3 promised by 100\"\n"},
    {STATED("unwanted", .deadline_s = 100),
     {.state = JOB_CANCELLED},
     &promised,
     "4,unwanted,promised,fits,100,cancelled,,\"4 promised by 100\"\n"},
    /* Promised is the last of several deadlines. */
    {STATED("soft", .deadline_s = 50), DONE(.end_s = 90), &promised,
     "5,soft,promised,fits,100,on-time,10,\"5 promised by 100\"\n"},
    /* The job ended a quarter of a second before 101. */
    {STATED("fraction", .deadline_s = 100), DONE(.end_s = 101, .early_s = 0.25), &promised,
     "6,fraction,promised,fits,100,late,-1,\"6 promised by 100\"\n"},
    {STATED("lucky", .deadline_s = 100), DONE(.end_s = 100), &unpromised,
     "7,lucky,best-effort,no-room,,on-time,0,\"7 best-effort: no-room\"\n"},
    {STATED("late", .deadline_s = 100), DONE(.end_s = 101), &no_promises,
     "8,late,best-effort,no-promises,,late,-1,\"8 best-effort: no-promises\"\n"},
    {STATED("any", .best_effort = true, .deadline_s = DEADLINE_NONE_S), DONE(.end_s = 7),
     &no_deadline, "9,any,best-effort,no-deadline,,done,,\"9 best-effort: no-deadline\"\n"},
    {STATED("large", .deadline_s = 100),
     {.state = JOB_DECLINED},
     &too_large,
     "10,large,declined,too-large,,,,\"10 declined: too-large\"\n"},
    {STATED("hopeless", .deadline_s = 100),
     {.state = JOB_DECLINED},
     &no_room,
     "11,hopeless,declined,no-room,,,,\"11 declined: no-room\"\n"},
};

static struct submission submissions[COUNT(cases)];

/* Number `number` of the jobs, as it stands when it is decided on. */
static struct job arrive(size_t number, uint32_t row)
{
    submissions[number] = cases[number].submission;
    submissions[number].number = number;
    return (struct job){.submission = &submissions[number], .row = row, .state = JOB_PENDING};
}

static bool is_over(const struct job *job)
{
    return job->state == JOB_DONE || job->state == JOB_FAILED || job->state == JOB_CANCELLED;
}

static void decide(outcome_report_t *report, size_t number, struct job *job)
{
    outcome_report_decided(report, job, (int64_t)number, cases[number].verdict);
}

static void end(outcome_report_t *report, size_t number, struct job *job)
{
    job->state = cases[number].job.state;
    job->end_s = cases[number].job.end_s;
    job->early_s = cases[number].job.early_s;
    if (is_over(job))
        outcome_report_ended(report, job);
}

/* All are there together, and end in the opposite order. */
static outcome_report_t *report_all(void)
{
    outcome_report_t *report = outcome_report_new();
    struct job jobs[COUNT(cases)];

    for (size_t i = 0; i < COUNT(cases); i++) {
        jobs[i] = arrive(i, (uint32_t)i);
        decide(report, i, &jobs[i]);
    }
    for (size_t i = COUNT(cases); i > 0; i--)
        end(report, i - 1, &jobs[i - 1]);
    return report;
}

/* One is over before the next arrives, and leaves it its row. */
static outcome_report_t *report_one_by_one(void)
{
    outcome_report_t *report = outcome_report_new();
    struct job job;

    for (size_t i = 0; i < COUNT(cases); i++) {
        job = arrive(i, 7);
        decide(report, i, &job);
        end(report, i, &job);
    }
    return report;
}

/* Looks at what is written below the names of the columns. */
static void check_text(const outcome_report_t *report, const char *expected)
{
    static const char columns[] =
        "decided_at,job_id,verdict,reason,promised,outcome,slack,history\n";
    folder_t *folder = folder_new();
    struct error error;
    output_t *out = output_new(folder_file(folder, "outcomes.csv"), &error);
    char *text;

    outcome_report_write(report, out);
    assert_int_equal(output_commit(&out, &error), 0);
    text = folder_read(folder, "outcomes.csv");
    assert_int_equal(strncmp(text, columns, strlen(columns)), 0);
    assert_string_equal(text + strlen(columns), expected);
    free(text);
    folder_destroy(&folder);
}

static void check_lines(const outcome_report_t *report)
{
    char expected[4096] = "";

    for (size_t i = 0; i < COUNT(cases); i++)
        (void)strncat(expected, cases[i].line, sizeof(expected) - strlen(expected) - 1);
    check_text(report, expected);
}

TEST(each_job_is_a_line)
{
    outcome_report_t *report = report_all();

    check_lines(report);
    outcome_report_destroy(&report);
}

TEST(a_row_that_is_used_again_is_another_job)
{
    outcome_report_t *report = report_one_by_one();

    check_lines(report);
    outcome_report_destroy(&report);
}

TEST(a_promise_is_kept_or_broken)
{
    outcome_report_t *report = report_all();
    struct outcome_figures figures = {.promises = true};

    outcome_report_count(report, &figures);
    assert_true(figures.promises);
    assert_int_equal(figures.promised, 7);
    assert_int_equal(figures.broken, 3); /* the one that runs may still be on time */
    assert_int_equal(figures.best_effort_on_time, 1);
    assert_int_equal(figures.on_time, 3);
    outcome_report_destroy(&report);
}

/* The promise stays withdrawn, whether the job is late or not. */
TEST(a_promise_that_is_withdrawn_is_counted_beside)
{
    outcome_report_t *report = report_all();
    struct outcome_figures figures = {.promises = true};
    const struct job kept = arrive(0, 0);
    const struct job broken = arrive(1, 1);

    outcome_report_withdrawn(report, &kept, 20, WITHDRAWN_FOR_NODE, "node 3 left");
    outcome_report_withdrawn(report, &broken, 20, WITHDRAWN_FOR_NODE, "node 3 left");
    outcome_report_withdrawn(report, &broken, 30, WITHDRAWN_FOR_SPEED, "it is slow");
    outcome_report_count(report, &figures);
    assert_int_equal(figures.withdrawn, 2);
    assert_int_equal(figures.withdrawals, 3);
    assert_int_equal(figures.promised, 7);
    assert_int_equal(figures.broken, 3);
    outcome_report_destroy(&report);
}

/* A cause with the signs of a cell, and of a history, in it. */
TEST(the_history_of_a_promise_is_told_in_order)
{
    outcome_report_t *report = outcome_report_new();
    struct job job = arrive(0, 0);
    const struct verdict again = {.kind = VERDICT_PROMISED_LATER,
                                  .reason = REASON_FITS,
                                  .promised_s = 100,
                                  .earliest_s = DEADLINE_NONE_S};
    const struct verdict denied = {.kind = VERDICT_BEST_EFFORT,
                                   .reason = REASON_JOBS_TO_COME,
                                   .promised_s = DEADLINE_NONE_S,
                                   .earliest_s = DEADLINE_NONE_S,
                                   .seen = {.gpus = 2.5, .over_s = 3600}};
    struct job other = arrive(1, 1);

    decide(report, 0, &job);
    outcome_report_decided(report, &other, 1, &denied);
    outcome_report_at_risk(report, &job, 5, "it is slow | now");
    outcome_report_withdrawn(report, &job, 10, WITHDRAWN_FOR_NODE,
                             "node \"a|b\" left, it lost work");
    outcome_report_decided(report, &other, 15, &again);
    outcome_report_decided(report, &job, 20, &again);
    outcome_report_withdrawn(report, &job, 30, WITHDRAWN_FOR_PLAN, "planned anew");
    check_text(
        report,
        "0,kept,promised-later,fits,100,unfinished,,\"0 promised by 100 | 5 at risk: it is slow / "
        "now | 10 withdrawn: "
        "node, node \"\"a/b\"\" left, it lost work | 20 promised again by 100 | 30 withdrawn: "
        "plan, planned anew\"\n"
        "1,broken,promised-later,fits,100,unfinished,,\"1 best-effort: jobs-to-come, 2.5 "
        "GPU-hours per hour over 3600 s | 15 promised by 100\"\n");
    outcome_report_destroy(&report);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
