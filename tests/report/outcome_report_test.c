/* outcome_report_test.c - the verdicts on jobs, what became of them, and what is counted of both. */
#include "scheduler/report/outcome_report.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct verdict promised = {VERDICT_PROMISED, REASON_FITS, 100};
static const struct verdict unpromised = {VERDICT_BEST_EFFORT, REASON_NO_ROOM, DEADLINE_NONE_S};
static const struct verdict no_promises = {VERDICT_BEST_EFFORT, REASON_NO_PROMISES,
                                           DEADLINE_NONE_S};
static const struct verdict no_deadline = {VERDICT_BEST_EFFORT, REASON_NO_DEADLINE,
                                           DEADLINE_NONE_S};
static const struct verdict too_large = {VERDICT_DECLINED, REASON_TOO_LARGE, DEADLINE_NONE_S};
static const struct verdict no_room = {VERDICT_DECLINED, REASON_NO_ROOM, DEADLINE_NONE_S};

/* A job with a deadline at 100. */
#define DONE_AT(name, at_s)                                                                        \
    {                                                                                              \
        .id = (name), .state = JOB_DONE, .deadline_s = 100, .end_s = (at_s)                        \
    }

static const struct {
    struct job job;
    const struct verdict *verdict;
    const char *line;
} cases[] = {
    {DONE_AT("kept", 100), &promised, "0,kept,promised,fits,100,on-time\n"},
    {DONE_AT("broken", 101), &promised, "1,broken,promised,fits,100,late\n"},
    {{.id = "given-up", .state = JOB_FAILED, .deadline_s = 100},
     &promised,
     "2,given-up,promised,fits,100,failed\n"},
    {{.id = "running", .state = JOB_RUNNING, .deadline_s = 100},
     &promised,
     "3,running,promised,fits,100,unfinished\n"},
    /* Promised is the last of several deadlines. */
    {{.id = "soft", .state = JOB_DONE, .deadline_s = 50, .end_s = 90},
     &promised,
     "4,soft,promised,fits,100,on-time\n"},
    /* It ended a quarter of a second before 101. */
    {{.id = "fraction", .state = JOB_DONE, .deadline_s = 100, .end_s = 101, .early_s = 0.25},
     &promised,
     "5,fraction,promised,fits,100,late\n"},
    {DONE_AT("lucky", 100), &unpromised, "6,lucky,best-effort,no-room,,on-time\n"},
    {DONE_AT("late", 101), &no_promises, "7,late,best-effort,no-promises,,late\n"},
    {{.id = "any", .state = JOB_DONE, .best_effort = true, .deadline_s = DEADLINE_NONE_S},
     &no_deadline,
     "8,any,best-effort,no-deadline,,done\n"},
    {{.id = "large", .state = JOB_DECLINED, .deadline_s = 100},
     &too_large,
     "9,large,declined,too-large,,\n"},
    {{.id = "hopeless", .state = JOB_DECLINED, .deadline_s = 100},
     &no_room,
     "10,hopeless,declined,no-room,,\n"},
};

static outcome_report_t *report_all(void)
{
    outcome_report_t *report = outcome_report_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        outcome_report_decided(report, &cases[i].job, (int64_t)i, cases[i].verdict);
    return report;
}

static void each_job_is_a_line(void **state)
{
    outcome_report_t *report = report_all();
    folder_t *folder = folder_new();
    struct error error;
    output_t *out = output_new(folder_file(folder, "outcomes.csv"), &error);
    const char *at;
    char *text;

    (void)state;
    outcome_report_write(report, out);
    assert_int_equal(output_commit(&out, &error), 0);
    text = folder_read(folder, "outcomes.csv");
    at = text;
    assert_int_equal(strncmp(at, "decided_at,job_id,verdict,reason,promised,outcome\n", 50), 0);
    at += 50;
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (strncmp(at, cases[i].line, strlen(cases[i].line)) != 0)
            fail_msg("expected %s, found %s", cases[i].line, at);
        at += strlen(cases[i].line);
    }
    assert_string_equal(at, "");
    free(text);
    folder_destroy(&folder);
    outcome_report_destroy(&report);
}

static void a_promise_is_kept_or_broken(void **state)
{
    outcome_report_t *report = report_all();
    struct outcome_figures figures = {.promises = true};

    (void)state;
    outcome_report_count(report, &figures);
    assert_true(figures.promises);
    assert_int_equal(figures.promised, 6);
    assert_int_equal(figures.broken, 3); /* the one that runs may still be on time */
    assert_int_equal(figures.best_effort_on_time, 1);
    assert_int_equal(figures.on_time, 3);
    assert_true(outcome_share(&figures, 12) == 0.25);
    assert_true(outcome_share(&figures, 0) == 0);
    outcome_report_destroy(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_job_is_a_line),
        cmocka_unit_test(a_promise_is_kept_or_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
