/* request_test.c - what a submit asks, and the submission that it becomes. */
#include "scheduler/service/request.h"
#include "tests/support/folder.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define EPOCH  1700000000
#define NOW_S  1000
#define NUMBER ((UINT64_C(7) << 32) | 3)
#define JOB    "\"model\": \"bert\", \"batch_size\": 64, \"iterations\": 500"

static folder_t *folder;
static journal_t *journal;
static profiles_t *profiles;
static rows_t *rows;
static tables_t *tables;
static arena_t *texts;
static struct job_request asked;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    journal = journal_open(folder_file(folder, "state"), &error);
    assert_non_null(journal);
    rows = rows_new();
    profiles = profiles_new(journal, &error);
    assert_non_null(profiles);
    tables = tables_new("A100");
    texts = arena_new();
    return 0;
}

FIXTURE(tear_down)
{
    arena_destroy(&texts);
    tables_destroy(&tables);
    profiles_destroy(&profiles);
    rows_destroy(&rows);
    journal_close(&journal);
    folder_destroy(&folder);
    return 0;
}

static struct submission *submission_of(const char *more)
{
    const struct submitting with = {.throughputs = tables_for_engine(tables),
                                    .profiles = profiles,
                                    .user = "alice",
                                    .rows = rows,
                                    .cluster_gpus = 8,
                                    .epoch = EPOCH,
                                    .now_s = NOW_S,
                                    .number = NUMBER};
    char document[1024];

    (void)snprintf(document, sizeof(document), "{%s%s}", JOB, more);
    if (job_request_read(document, &asked, texts, &error) < 0)
        return NULL;
    return job_request_submission(&asked, &with, texts, &error);
}

TEST(a_job_without_a_deadline)
{
    const struct submission *job = submission_of("");

    assert_non_null(job);
    assert_string_equal(job->id, "job-3");
    assert_true(job->number == NUMBER);
    assert_string_equal(job->model, "bert");
    assert_int_equal(job->batch_size, 64);
    assert_int_equal(job->iterations, 500);
    assert_int_equal(job->submit_s, NOW_S);
    assert_true(job->best_effort);
    assert_int_equal(job->level_count, 0);
    assert_true(job->deadline_s == DEADLINE_NONE_S);
    assert_ptr_equal(job->throughput, tables_row(tables, "bert", 64));
}

TEST(a_deadline_and_its_value)
{
    const struct submission *job =
        submission_of(", \"deadline\": 1700001001, \"value\": 3, \"promise_or_decline\": true");

    assert_non_null(job);
    assert_int_equal(job->deadline_s, NOW_S + 1);
    assert_false(job->best_effort);
    assert_true(job->promise_or_decline);
    assert_int_equal(job->level_count, 1);
    assert_int_equal(job->levels[0].deadline_s, NOW_S + 1);
    assert_int_equal(job->levels[0].value, 3 * LEVEL_VALUE_FULL);
    assert_int_equal(submission_of(", \"deadline_in\": 60")->deadline_s, NOW_S + 60);
    assert_true(submission_of(", \"deadline\": 0")->best_effort);
    assert_true(submission_of(", \"deadline\": null, \"deadline_in\": null")->best_effort);
}

TEST(a_confidence_of_its_own_or_none)
{
    assert_true(submission_of("")->confidence == CONFIDENCE_AS_SET);
    assert_true(submission_of(", \"confidence\": null")->confidence == CONFIDENCE_AS_SET);
    assert_true(submission_of(", \"confidence\": 0")->confidence == CONFIDENCE_NONE);
    assert_true(submission_of(", \"confidence\": 99.5")->confidence == 99.5);
}

static bool has_variable(const char *word)
{
    for (size_t i = 0; i < asked.environment.count; i++)
        if (!strcmp(asked.environment.items[i], word))
            return true;
    return false;
}

TEST(a_comment_is_kept_and_reaches_the_program)
{
    const struct submission *job =
        submission_of(", \"comment\": \"run 7: \\\"x\\\"\", \"environment\": [\"A=b\", "
                      "\"RUBATO_JOB_COMMENT=c\"]");

    assert_non_null(job);
    assert_int_equal(job->text_count, 1);
    assert_string_equal(job->texts[0].field, "comment");
    assert_string_equal(job->texts[0].text, "run 7: \"x\"");
    assert_int_equal(asked.environment.count, 3);
    assert_true(has_variable("A=b"));
    assert_string_equal(asked.environment.items[2], "RUBATO_JOB_COMMENT=run 7: \"x\"");
    assert_null(asked.environment.items[3]);
    job = submission_of(", \"environment\": [\"A=b\"]");
    assert_int_equal(job->text_count, 0);
    assert_null(job->texts);
    assert_int_equal(asked.environment.count, 1);
}

TEST(a_comment_is_a_short_line)
{
    static const char *const not_lines[] = {"a\\nb", "\\u001b[m", "\\u007f", "\\u202e", "\\u009b"};
    char more[400];

    for (size_t i = 0; i < COUNT(not_lines); i++) {
        (void)snprintf(more, sizeof(more), ", \"comment\": \"%s\"", not_lines[i]);
        assert_null(submission_of(more));
        assert_string_equal(error.text,
                            "field \"comment\": expected a line without control characters");
    }
    (void)snprintf(more, sizeof(more), ", \"comment\": \"%0256d\"", 0);
    assert_non_null(submission_of(more));
    (void)snprintf(more, sizeof(more), ", \"comment\": \"%0257d\"", 0);
    assert_null(submission_of(more));
    assert_string_equal(error.text, "field \"comment\": expected 1 to 256 bytes, found 257");
    assert_null(submission_of(", \"comment\": \"\""));
}

TEST(limits_of_gpus)
{
    const struct throughput_row *all = tables_row(tables, "bert", 64);
    const struct throughput_row *row;

    row = submission_of(", \"gpus_min\": 2, \"gpus_max\": 4")->throughput;
    assert_int_equal(row->gpus[0], 2);
    assert_int_equal(row->gpus[row->level_count - 1], 4);
    row = submission_of(", \"gpus_max\": 1")->throughput;
    assert_int_equal(row->level_count, 1);
    assert_ptr_equal(submission_of(", \"gpus_min\": 1")->throughput, all);
    assert_ptr_equal(submission_of(", \"gpus_min\": 0, \"gpus_max\": 0")->throughput, all);
    assert_int_equal(submission_of(", \"gpus_min\": 4")->gpus_requested, 4);
}

TEST(a_duration_is_said_or_follows_from_the_rate)
{
    assert_int_equal(submission_of(", \"duration_s\": 77")->duration_s, 77);
    assert_int_equal(submission_of(", \"rates\": [\"1:3\", \"2:5\"]")->duration_s, 167);
    assert_int_equal(submission_of(", \"rates\": [\"1:3\", \"2:5\"], \"gpus_min\": 2")->duration_s,
                     100);
    assert_int_equal(submission_of(", \"duration_s\": 0, \"rates\": [\"1:3\"]")->duration_s, 167);
    assert_int_equal(submission_of(", \"rates\": [\"1:1e9\"]")->duration_s, 1);
}

TEST(a_program)
{
    struct msg_program program;

    assert_non_null(submission_of(", \"command\": [\"train\", \"; rm -rf $(x)\\n\"], \"folder\": "
                                  "\"/data\", \"environment\": [\"A=b\"], \"grace_s\": 5, "
                                  "\"checkpoint_s\": 60"));
    program = job_request_program(&asked, NUMBER, "alice");
    assert_int_equal(program.argument_count, 2);
    assert_string_equal(program.arguments[1], "; rm -rf $(x)\n");
    assert_string_equal(program.folder, "/data");
    assert_string_equal(program.variables[0], "A=b");
    assert_string_equal(program.user, "alice");
    assert_int_equal(program.grace_ms, 5000);
    assert_int_equal(program.checkpoint_s, 60);
}

static const struct mistake {
    const char *more;
    const char *words;
} mistakes[] = {
    {", \"name\": \"two words\"", "field \"name\": expected letters"},
    {", \"name\": \"../x\"", "field \"name\": expected letters"},
    {", \"name\": \"\xc3\xa9\"", "field \"name\": expected letters"},
    {", \"key\": \"a/b\"", "field \"key\": expected letters"},
    {", \"key\": \"12345678901234567890123456789012345678901234567890123456789012345\"",
     "field \"key\": expected 1 to 64 bytes, found 65"},
    {", \"gpus_min\": 4, \"gpus_max\": 2", "field \"gpus_max\": 2 is less than gpus_min, 4"},
    {", \"gpus_min\": -1", "field \"gpus_min\": -1 is not within 0 to"},
    {", \"gpus_min\": 9223372036854775807", "field \"gpus_min\": 9223372036854775807 is not"},
    {", \"gpus_min\": 3, \"gpus_max\": 3", "no throughput on 3 to 3 GPUs"},
    {", \"deadline\": 1700001000", "field \"deadline\": it is 0 s in the past"},
    {", \"deadline\": 1", "field \"deadline\": it is 1700000999 s in the past"},
    {", \"deadline\": -1", "field \"deadline\": -1 is not within"},
    {", \"deadline\": 1700002000, \"deadline_in\": 5", "expected one of them"},
    {", \"deadline_in\": 0", "field \"deadline_in\": 0 is not within 1 to"},
    {", \"promise_or_decline\": true", "there is no deadline to promise"},
    {", \"confidence\": -1", "field \"confidence\": -1 is not within"},
    {", \"confidence\": 99.95", "field \"confidence\": 99.95 is not within 0 to 99.9"},
    {", \"confidence\": \"95\"", "field \"confidence\": expected a number"},
    {", \"value\": 0", "field \"value\": 0 is not within 1 to"},
    {", \"grace_s\": 86401", "field \"grace_s\": 86401 is not within"},
    {", \"command\": [\"\"]", ""},
    {", \"command\": [\"train\"], \"folder\": \"not/absolute\"", ""},
    {", \"command\": [\"train\"], \"environment\": [\"no-value\"]", ""},
    {", \"user\": \"root\"", "there is no field \"user\""},
};

TEST(mistakes_are_told)
{
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        error = (struct error){.text = ""};
        if (submission_of(mistakes[i].more))
            fail_msg("%s is taken", mistakes[i].more);
        if (!strstr(error.text, mistakes[i].words) || !error.text[0])
            fail_msg("%s: \"%s\" is not in \"%s\"", mistakes[i].more, mistakes[i].words,
                     error.text);
    }
}

TEST(fields_that_a_job_needs)
{
    static const char *const documents[] = {
        "{\"batch_size\": 64, \"iterations\": 500}",
        "{\"model\": null, \"batch_size\": 64, \"iterations\": 500}",
        "{\"model\": \"bert\", \"iterations\": 500}",
        "{\"model\": \"bert\", \"batch_size\": 64, \"iterations\": null}",
        "{\"model\": \"bert\", \"batch_size\": 0, \"iterations\": 500}",
        "{\"model\": \"bert\", \"batch_size\": 64, \"iterations\": 0}",
        "{\"model\": \"bert\", \"batch_size\": 64, \"iterations\": 1e3}",
    };

    for (size_t i = 0; i < COUNT(documents); i++)
        assert_int_equal(job_request_read(documents[i], &asked, texts, &error), -1);
}

TEST(a_model_without_throughputs)
{
    const struct submitting with = {.throughputs = tables_for_engine(tables),
                                    .profiles = profiles,
                                    .user = "alice",
                                    .now_s = NOW_S};

    assert_int_equal(
        job_request_read("{\"model\": \"none\", \"batch_size\": 64, \"iterations\": 1}", &asked,
                         texts, &error),
        0);
    assert_null(job_request_submission(&asked, &with, texts, &error));
    assert_non_null(strstr(error.text, "no throughputs of model none at batch size 64: "));
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
