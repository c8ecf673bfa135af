/* trace_test.c - jobs from every published dialect, and not one from a file with a mistake in
 * it. */
#include "scheduler/state/trace.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static throughput_table_t *throughputs;
static submissions_t *jobs;
static struct error error;

FIXTURE(set_up)
{
    folder = folder_new();
    throughputs = throughput_read("throughputs", "A100", &error);
    assert_non_null(throughputs);
    return 0;
}

FIXTURE(tear_down)
{
    submissions_destroy(&jobs);
    throughput_destroy(&throughputs);
    folder_destroy(&folder);
    return 0;
}

static submissions_t *read_from(const char *path, enum trace_unknown_model unknown_model)
{
    const struct trace_rules rules = {.throughputs = throughputs, .unknown_model = unknown_model};

    submissions_destroy(&jobs);
    jobs = trace_read(path, &rules, &error);
    return jobs;
}

static void read_text(const char *name, const char *text)
{
    if (!read_from(folder_write(folder, name, text), UNKNOWN_MODEL_REFUSED))
        fail_msg("%s", error.text);
}

static void check_job(size_t index, const char *id, uint32_t number, int64_t submit_s,
                      int64_t deadline_s, int64_t iterations)
{
    const struct submission *job = submissions_at(jobs, index);

    assert_string_equal(job->id, id);
    assert_int_equal(job->number, number);
    assert_int_equal(job->submit_s, submit_s);
    assert_int_equal(job->deadline_s, deadline_s);
    assert_int_equal(job->iterations, iterations);
}

#define PUBLIC_HEADER                                                                              \
    "job_id,submission_time,num_iteration,model_name,deadline,batch_size,num_gpu,duration\n"
#define ARTIFACT_HEADER "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"

#define ON_TABLES(name) TEST_WITH(name, set_up, tear_down)

ON_TABLES(both_dialects_are_read)
{
    read_text("public.csv", PUBLIC_HEADER "a,5,2000,vgg16,700,128,2,90\n");
    check_job(0, "a", 0, 5, 700, 2000);
    read_text("artifact.csv", ARTIFACT_HEADER "a,5,2000,vgg16,700,128,2,90\n");
    check_job(0, "a", 0, 5, 700, 2000);
    assert_string_equal(submissions_at(jobs, 0)->model, "vgg16");
    assert_int_equal(submissions_at(jobs, 0)->batch_size, 128);
    assert_int_equal(submissions_at(jobs, 0)->gpus_requested, 2);
    assert_int_equal(submissions_at(jobs, 0)->duration_s, 90);
    assert_int_equal(submissions_at(jobs, 0)->line, 2);
    assert_ptr_equal(submissions_at(jobs, 0)->throughput,
                     throughput_find(throughputs, "vgg16", 128));
}

ON_TABLES(columns_come_in_any_order_and_others_are_ignored)
{
    read_text("t.csv", "batch_size,real_iteration,ddl,model_name,job_id,iteration,submit_time\n"
                       "128,x y,700,vgg16,a,2000,5\n");
    check_job(0, "a", 0, 5, 700, 2000);
    assert_int_equal(submissions_at(jobs, 0)->gpus_requested, 0);
    assert_int_equal(submissions_at(jobs, 0)->duration_s, -1);
}

ON_TABLES(of_two_spellings_that_of_the_specification_wins)
{
    read_text("t.csv", "job_id,submit_time,submission_time,num_iteration,iteration,ddl,deadline,"
                       "model_name,batch_size\n"
                       "a,1,2,3,4,5,6,vgg16,128\n");
    check_job(0, "a", 0, 2, 6, 4);
}

ON_TABLES(a_txt_file_is_separated_by_blanks)
{
    read_text("t.txt", "job_id submit_time iteration model_name ddl batch_size\n"
                       "a 5 2000 vgg16 700 128\n");
    check_job(0, "a", 0, 5, 700, 2000);
}

ON_TABLES(jobs_come_in_order_of_arrival_and_then_of_the_file)
{
    read_text("t.csv", PUBLIC_HEADER "a,9,1,vgg16,700,128,1,1\n"
                                     "b,5,1,vgg16,700,128,1,1\n"
                                     "c,9,1,vgg16,700,128,1,1\n"
                                     "d,5,1,vgg16,700,128,1,1\n");
    check_job(0, "b", 1, 5, 700, 1);
    check_job(1, "d", 3, 5, 700, 1);
    check_job(2, "a", 0, 9, 700, 1);
    check_job(3, "c", 2, 9, 700, 1);
    assert_int_equal(submissions_count(jobs), 4);
}

ON_TABLES(best_effort_has_no_deadline_whatever_the_cell_says)
{
    read_text("t.csv", "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort\n"
                       "a,5,2000,vgg16,700,128,0\n"
                       "b,5,2000,vgg16,never,128,1\n");
    assert_false(submissions_at(jobs, 0)->best_effort);
    check_job(0, "a", 0, 5, 700, 2000);
    assert_true(submissions_at(jobs, 1)->best_effort);
    check_job(1, "b", 1, 5, DEADLINE_NONE_S, 2000);
}

static void check_level(size_t index, size_t level, int64_t deadline_s, int64_t value)
{
    const struct submission *job = submissions_at(jobs, index);

    assert_in_range(level, 0, job->level_count - 1);
    assert_int_equal(job->levels[level].deadline_s, deadline_s);
    assert_int_equal(job->levels[level].value, value);
}

ON_TABLES(a_deadline_is_one_level_of_full_value)
{
    read_text("t.csv", PUBLIC_HEADER "a,9,2000,vgg16,700,128,2,90\n"
                                     "b,5,2000,vgg16,800,128,2,90\n");
    assert_int_equal(submissions_at(jobs, 0)->level_count, 1);
    check_level(0, 0, 800, 10);
    check_level(1, 0, 700, 10);
}

ON_TABLES(a_job_says_what_it_is_worth_and_whether_it_runs_without_a_promise)
{
    read_text("t.csv",
              "job_id,submit_time,iteration,model_name,ddl,batch_size,value,promise_or_decline\n"
              "a,5,2000,vgg16,700,128,1,0\n"
              "b,5,2000,vgg16,700,128,1000,1\n");
    check_level(0, 0, 700, 10);
    assert_false(submissions_at(jobs, 0)->promise_or_decline);
    check_level(1, 0, 700, 10000);
    assert_true(submissions_at(jobs, 1)->promise_or_decline);
}

ON_TABLES(a_job_has_a_confidence_of_its_own_or_none)
{
    read_text("t.csv", "job_id,submit_time,iteration,model_name,ddl,batch_size,confidence\n"
                       "a,5,2000,vgg16,700,128,\n"
                       "b,5,2000,vgg16,700,128,0\n"
                       "c,5,2000,vgg16,700,128,99.5\n");
    assert_true(submissions_at(jobs, 0)->confidence == CONFIDENCE_AS_SET);
    assert_true(submissions_at(jobs, 1)->confidence == CONFIDENCE_NONE);
    assert_true(submissions_at(jobs, 2)->confidence == 99.5);
}

ON_TABLES(a_soft_deadline_is_a_list_of_steps)
{
    read_text("t.csv", "job_id,submit_time,iteration,model_name,ddl,batch_size,value\n"
                       "a,5,2000,vgg16,\"+700:10,900:6.5\",128,\n"
                       "b,5,2000,vgg16,700,128,3\n");
    assert_int_equal(submissions_at(jobs, 0)->level_count, 2);
    assert_int_equal(submissions_at(jobs, 0)->deadline_s, 705);
    assert_int_equal(submission_last_s(submissions_at(jobs, 0)), 900);
    assert_true(submission_is_soft(submissions_at(jobs, 0)));
    check_level(0, 0, 705, 100);
    check_level(0, 1, 900, 65);
    assert_false(submission_is_soft(submissions_at(jobs, 1)));
    check_level(1, 0, 700, 30);
}

#define AFTER_HEADER "job_id,submit_time,iteration,model_name,ddl,batch_size,after\n"

static void check_parent(size_t job, size_t place, uint64_t number, const char *id, bool any)
{
    const struct parent *parent = &submissions_at(jobs, job)->parents[place];

    assert_int_equal(parent->number, number);
    assert_string_equal(parent->id, id);
    assert_int_equal(parent->any, any);
    assert_int_equal(parent->end, PARENT_OPEN);
}

ON_TABLES(a_job_names_those_that_it_waits_for)
{
    read_text("t.csv", AFTER_HEADER "late,9,2000,vgg16,700,128,a;b:any\n"
                                    "a,5,2000,vgg16,700,128,\n"
                                    "b,5,2000,vgg16,700,128,a\n"
                                    "x:any,5,2000,vgg16,700,128,\n"
                                    "x,5,2000,vgg16,700,128,\n"
                                    "last,9,2000,vgg16,700,128,\"x:any, b, late:any\"\n");
    assert_int_equal(submissions_at(jobs, 0)->parent_count, 0);
    check_parent(1, 0, 1, "a", false);
    assert_int_equal(submissions_at(jobs, 4)->parent_count, 2);
    check_parent(4, 0, 1, "a", false);
    check_parent(4, 1, 2, "b", true);
    check_parent(5, 0, 3, "x:any", false); /* a job is called so */
    check_parent(5, 1, 2, "b", false);
    check_parent(5, 2, 0, "late", true);
}

ON_TABLES(a_list_of_parents_that_makes_no_sense_gets_a_sentence)
{
    static const struct {
        const char *after;
        const char *expected;
    } lists[] = {
        {"absent", "ids of jobs of this trace, found \"absent\""},
        {"a:ok", "ids of jobs of this trace, found \"a:ok\""},
        {"x", "other jobs, found \"x\" itself"},
        {"z", "jobs that are submitted before job x, found \"z\" of line 4, which comes after it"},
        {"a;a:any", "each job once, found \"a:any\" twice"},
        {"a;;a", "at most 64 ids of jobs"},
        {";", "at most 64 ids of jobs"},
    };

    for (size_t i = 0; i < COUNT(lists); i++) {
        char text[400];

        (void)snprintf(text, sizeof(text),
                       AFTER_HEADER "a,5,20,vgg16,700,128,\nx,5,20,vgg16,700,128,%s\n"
                                    "z,5,20,vgg16,700,128,x\n",
                       lists[i].after);
        assert_null(read_from(folder_write(folder, "t.csv", text), UNKNOWN_MODEL_REFUSED));
        (void)snprintf(text, sizeof(text), "%s:3: column 7 (after): expected %s",
                       folder_file(folder, "t.csv"), lists[i].expected);
        if (strncmp(error.text, text, strlen(text)) != 0)
            fail_msg("expected \"%s...\", found \"%s\"", text, error.text);
    }
}

ON_TABLES(best_effort_keeps_the_level_of_a_deadline_that_it_could_have)
{
    /* CH-Q9 */
    read_text("t.csv", "job_id,submit_time,iteration,model_name,ddl,batch_size,best_effort\n"
                       "a,5,2000,vgg16,700,128,1\n"
                       "b,5,2000,vgg16,4,128,1\n"
                       "c,5,2000,vgg16,,128,1\n"
                       "d,5,2000,vgg16,9223372036854775807,128,1\n");
    check_job(0, "a", 0, 5, DEADLINE_NONE_S, 2000);
    assert_int_equal(submissions_at(jobs, 0)->level_count, 1);
    check_level(0, 0, 700, 10);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(submissions_at(jobs, i)->level_count, 0);
}

#define CHRONUS_HEADER                                                                             \
    "job_id,user,num_gpu,batch_size,model_name,submit_time,iterations,duration,interval,"          \
    "expect_time_list,expect_value_list,best_effort,job_type\n"

ON_TABLES(a_chronus_trace_has_strict_soft_and_best_jobs)
{
    read_text("t.csv", CHRONUS_HEADER "a,user0,4,128,vgg16,5,2000,90,0,695,7,0,strict\n"
                                      "b,user1,3,128,vgg16,6,2001,91,9,100-200-300,10-5-0,0,soft\n"
                                      "c,user1,1,128,vgg16,7,2002,92,9,never,,1,best\n");
    check_job(0, "a", 0, 5, 700, 2000);
    assert_int_equal(submissions_at(jobs, 0)->level_count, 1);
    check_level(0, 0, 700, 7);
    check_job(1, "b", 1, 6, 106, 2001);
    assert_int_equal(submissions_at(jobs, 1)->level_count, 3);
    check_level(1, 0, 106, 10);
    check_level(1, 1, 206, 5);
    check_level(1, 2, 306, 0);
    assert_false(submissions_at(jobs, 1)->best_effort);
    assert_int_equal(submissions_at(jobs, 1)->gpus_requested, 3);
    assert_int_equal(submissions_at(jobs, 1)->duration_s, 91);
    check_job(2, "c", 2, 7, DEADLINE_NONE_S, 2002);
    assert_true(submissions_at(jobs, 2)->best_effort);
    assert_int_equal(submissions_at(jobs, 2)->level_count, 0);
}

ON_TABLES(a_chronus_trace_may_leave_out_what_follows_from_the_rest)
{
    const char *header = "job_id,batch_size,model_name,submit_time,iterations,expect_time_list,"
                         "expect_value_list,";
    char text[600];

    (void)snprintf(text, sizeof(text),
                   "%sbest_effort\na,128,vgg16,5,1,0-1,10-5,0\n"
                   "b,128,vgg16,5,1,x,x,1\n",
                   header);
    read_text("t.csv", text);
    assert_int_equal(submissions_at(jobs, 0)->level_count, 2);
    check_level(0, 0, 5, 10);
    assert_true(submissions_at(jobs, 1)->best_effort);
    (void)snprintf(text, sizeof(text),
                   "%sjob_type\na,128,vgg16,5,1,0-1,10-5,soft\n"
                   "b,128,vgg16,5,1,x,x,best\n",
                   header);
    read_text("t.csv", text);
    assert_int_equal(submissions_at(jobs, 0)->level_count, 2);
    assert_true(submissions_at(jobs, 1)->best_effort);
}

ON_TABLES(a_deadline_makes_lists_of_deadlines_columns_like_any_other)
{
    read_text("t.csv", "job_id,submit_time,iterations,model_name,ddl,batch_size,expect_time_list,"
                       "job_type\na,5,2000,vgg16,700,128,odd,odd\n");
    check_job(0, "a", 0, 5, 700, 2000);
    check_level(0, 0, 700, 10);
}

ON_TABLES(levels_belong_to_the_list)
{
    struct job_level levels[] = {{1, 10}, {2, 5}};
    const struct submission job = {.id = "a", .model = "m", .levels = levels, .level_count = 2};

    jobs = submissions_new();
    submissions_append(jobs, &job);
    levels[0].deadline_s = levels[1].value = 99;
    check_level(0, 0, 1, 10);
    check_level(0, 1, 2, 5);
}

ON_TABLES(an_unknown_model_may_borrow_the_figures_of_resnet50)
{
    const char *path = folder_write(folder, "t.csv",
                                    PUBLIC_HEADER "a,5,20,alexnet,700,128,1,1\n"
                                                  "b,5,20,alexnet,700,128,1,1\n");

    /* EF-Q9 */
    assert_null(read_from(path, UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, ":2: column 4 (model_name)"));
    assert_non_null(read_from(path, UNKNOWN_MODEL_IS_RESNET50));
    assert_string_equal(submissions_at(jobs, 0)->model, "alexnet");
    assert_string_equal(submissions_at(jobs, 1)->model, "alexnet");
    assert_ptr_equal(submissions_at(jobs, 0)->throughput,
                     throughput_find(throughputs, "resnet50", 128));
    path = folder_write(folder, "t.csv", PUBLIC_HEADER "a,5,20,alexnet,700,100,1,1\n");
    assert_null(read_from(path, UNKNOWN_MODEL_IS_RESNET50));
}

ON_TABLES(without_a_table_no_model_is_looked_up)
{
    const struct trace_rules rules = {.throughputs = NULL};
    const char *path = folder_write(folder, "t.csv", PUBLIC_HEADER "a,5,20,alexnet,700,100,1,1\n");

    jobs = trace_read(path, &rules, &error);
    assert_non_null(jobs);
    assert_null(submissions_at(jobs, 0)->throughput);
    assert_string_equal(submissions_at(jobs, 0)->model, "alexnet");
}

/* Each row has one mistake, in the column of this name. */
ON_TABLES(every_bad_cell_is_named_with_line_and_column)
{
    static const struct {
        const char *row;
        const char *place;
    } rows[] = {
        {",5,20,vgg16,700,128,1,1,0,1,0", "column 1 (job_id)"},
        {"a b,5,20,vgg16,700,128,1,1,0,1,0", "column 1 (job_id)"},
        {"../a,5,20,vgg16,700,128,1,1,0,1,0", "column 1 (job_id)"},
        {"a/b,5,20,vgg16,700,128,1,1,0,1,0", "column 1 (job_id)"},
        {"a,,20,vgg16,700,128,1,1,0,1,0", "column 2 (submission_time)"},
        {"a,-5,20,vgg16,700,128,1,1,0,1,0", "column 2 (submission_time)"},
        {"a,5.0,20,vgg16,700,128,1,1,0,1,0", "column 2 (submission_time)"},
        {"a,1000000000001,20,vgg16,700,128,1,1,0,1,0", "column 2 (submission_time)"},
        {"a,5,0,vgg16,700,128,1,1,0,1,0", "column 3 (num_iteration)"},
        {"a,5,1000000000001,vgg16,700,128,1,1,0,1,0", "column 3 (num_iteration)"},
        {"a,5,many,vgg16,700,128,1,1,0,1,0", "column 3 (num_iteration)"},
        {"a,5,20,,700,128,1,1,0,1,0", "column 4 (model_name)"},
        {"a,5,20,alexnet,700,128,1,1,0,1,0", "column 4 (model_name)"},
        {"a,5,20,vgg16,4,128,1,1,0,1,0", "column 5 (deadline)"},
        {"a,5,20,vgg16,soon,128,1,1,0,1,0", "column 5 (deadline)"},
        {"a,5,20,vgg16,700,100,1,1,0,1,0", "column 6 (batch_size)"},
        {"a,5,20,vgg16,700,0,1,1,0,1,0", "column 6 (batch_size)"},
        {"a,5,20,vgg16,700,128,0,1,0,1,0", "column 7 (num_gpu)"},
        {"a,5,20,vgg16,700,128,1,-1,0,1,0", "column 8 (duration)"},
        {"a,5,20,vgg16,700,128,1,1,2,1,0", "column 9 (best_effort)"},
        {"a,5,20,vgg16,700,128,1,1,,1,0", "column 9 (best_effort)"},
        {"a,5,20,vgg16,700,128,1,1,0,0,0", "column 10 (value)"},
        {"a,5,20,vgg16,700,128,1,1,0,1001,0", "column 10 (value)"},
        {"a,5,20,vgg16,700,128,1,1,0,much,0", "column 10 (value)"},
        {"a,5,20,vgg16,700,128,1,1,0,1,2", "column 11 (promise_or_decline)"},
        {"a,5,20,vgg16,700,128,1,1,1,1,1", "column 11 (promise_or_decline)"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[400];

        (void)snprintf(text, sizeof(text),
                       "job_id,submission_time,num_iteration,model_name,deadline,batch_size,"
                       "num_gpu,duration,best_effort,value,promise_or_decline\n"
                       "ok,5,20,vgg16,700,128,1,1,0,1,0\n%s\n",
                       rows[i].row);
        assert_null(read_from(folder_write(folder, "t.csv", text), UNKNOWN_MODEL_REFUSED));
        (void)snprintf(text, sizeof(text), "%s:3: %s: expected ", folder_file(folder, "t.csv"),
                       rows[i].place);
        if (strncmp(error.text, text, strlen(text)) != 0)
            fail_msg("row %zu: expected \"%s...\", found \"%s\"", i, text, error.text);
    }
}

ON_TABLES(a_batch_size_without_figures_is_told_the_ones_that_have_some)
{
    const char *path = folder_write(folder, "t.csv", PUBLIC_HEADER "a,5,20,vgg16,700,100,1,1\n");

    assert_null(read_from(path, UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, "64, 128, 256, found \"100\""));
}

ON_TABLES(a_job_longer_than_time_itself_is_refused)
{
    const char *path = folder_write(folder, "t.csv",
                                    PUBLIC_HEADER "a,5,999999999999,vgg16,700,256,1,1\n"
                                                  "b,5,999999999999,vgg16,700,256,1,1\n");

    assert_null(read_from(path, UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, ":3: column 3 (num_iteration): expected fewer iterations"));
}

ON_TABLES(an_id_stands_in_a_trace_once)
{
    const char *path = folder_write(folder, "t.csv",
                                    PUBLIC_HEADER "a,5,20,vgg16,700,128,1,1\n"
                                                  "b,5,20,vgg16,700,128,1,1\n"
                                                  "b,5,20,vgg16,700,128,1,1\n"
                                                  "a,5,20,vgg16,700,128,1,1\n"
                                                  "a,5,20,vgg16,700,128,1,1\n");

    assert_null(read_from(path, UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, "t.csv:4: "));
    assert_non_null(strstr(error.text, "\"b\""));
    assert_non_null(strstr(error.text, "line 3"));
}

ON_TABLES(a_trace_without_a_job_is_refused)
{
    assert_null(read_from(folder_write(folder, "t.csv", PUBLIC_HEADER), UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, "t.csv:"));
    assert_null(read_from(folder_write(folder, "t.csv", "job_id\n"), UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, "no column submission_time (or submit_time)"));
    assert_null(read_from(folder_file(folder, "none.csv"), UNKNOWN_MODEL_REFUSED));
    assert_non_null(strstr(error.text, "none.csv: cannot be read"));
}

TEST(a_list_of_many_jobs_keeps_them_all)
{
    const size_t count = 5000;
    submissions_t *list = submissions_new();

    for (size_t i = 0; i < count; i++) {
        char id[32];
        char model[32];

        (void)snprintf(id, sizeof(id), "job-%zu", i);
        (void)snprintf(model, sizeof(model), "model-%zu", i / 100);
        submissions_append(list, &(struct submission){.id = id,
                                                      .model = model,
                                                      .number = i,
                                                      .submit_s = (int64_t)(i * 7919 % count / 2)});
    }
    submissions_sort(list);
    assert_int_equal(submissions_count(list), count);
    for (size_t i = 0; i < count; i++) {
        const struct submission *job = submissions_at(list, i);
        char id[32];

        assert_int_equal(job->submit_s, i / 2);
        (void)snprintf(id, sizeof(id), "job-%" PRIu64, job->number);
        assert_string_equal(job->id, id);
    }
    submissions_destroy(&list);
    submissions_destroy(&list);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
