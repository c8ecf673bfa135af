/* scheduler_test.c - the program that takes the published artifact's command lines. */
#include "tests/support/folder.h"
#include "tests/support/program.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static char trace[4096];
static char cluster[4096];
static char log_path[4096];

FIXTURE(set_up)
{
    folder = folder_new();
    (void)snprintf(trace, sizeof(trace), "--trace_file=%s",
                   folder_write(folder, "trace.csv",
                                "job_id,submit_time,iteration,model_name,ddl,batch_size\n"
                                "a,0,2000,vgg16,700,128\n"
                                "b,20,1500,resnet50,30,128\n"));
    (void)snprintf(cluster, sizeof(cluster), "--cluster_spec=%s",
                   folder_write(folder, "cluster.csv",
                                "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,"
                                "mem_p_node\n1,1,8,0,0\n"));
    (void)snprintf(log_path, sizeof(log_path), "--log_path=%s", folder_file(folder, "results"));
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

#define RUN(...)                                                                                   \
    program_run("scheduler", (const char *const[]){"--throughputs=throughputs", __VA_ARGS__, NULL})

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(the_last_two_lines_are_the_counts)
{
    struct program_result result = RUN(trace, cluster, log_path, "--simulation", "True");
    char said[4096];

    assert_int_equal(result.status, 0);
    assert_string_equal(result.out, "accepted jobs: 1\ndeclined jobs: 1\n");
    (void)snprintf(said, sizeof(said), "scheduler: results are in %s\n",
                   folder_file(folder, "results"));
    assert_string_equal(result.err, said);
    assert_true(folder_has(folder, "results/jobs.csv"));
    program_result_clear(&result);
}

IN_FOLDER(figures_are_printed_before_the_counts_if_asked_for)
{
    struct program_result result = RUN(trace, cluster, "--print", "--schedule=edf");

    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.out, "policy: edf\n"));
    assert_non_null(strstr(result.out, "cluster: 1 node, 8 GPUs\n"));
    assert_non_null(strstr(
        result.out, "jobs: 2\non time: 1 of 2 with a deadline\npromised: none\nfinished: 2\n"));
    assert_non_null(strstr(result.out, "\naccepted jobs: 1\ndeclined jobs: 1\n"));
    assert_string_equal(strstr(result.out, "declined"), "declined jobs: 1\n");
    program_result_clear(&result);
}

static void check_refused(struct program_result result, const char *what)
{
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    if (strncmp(result.err, "scheduler: ", 11) != 0 || !strstr(result.err, what))
        fail_msg("expected \"%s\", found \"%s\"", what, result.err);
    assert_false(folder_has(folder, "results"));
    program_result_clear(&result);
}

IN_FOLDER(a_mistake_is_one_sentence_and_status_two)
{
    check_refused(RUN(cluster, log_path), "--trace_file is missing");
    check_refused(RUN(trace, log_path, "--simulation=False", "--master=here"),
                  "--master: expected");
    check_refused(RUN(trace, log_path, "--simulation=False", "--master=192.0.2.1:6888"),
                  "192.0.2.1");
    check_refused(RUN(trace, log_path, "--schedule=lifo"), "--schedule: expected one of");
    check_refused(RUN(trace, log_path, "--scheduling_slot=0"), "--scheduling_slot: expected");
    check_refused(RUN(trace, log_path, "--gpu_type=H100"), "no throughput table for GPU type H100");
    check_refused(RUN("--trace_file=none.csv", log_path), "none.csv: cannot be read");
}

IN_FOLDER(an_unknown_model_is_refused_unless_asked_for)
{
    struct program_result result;

    /* EF-Q9 */
    (void)folder_write(folder, "trace.csv",
                       "job_id,submit_time,iteration,model_name,ddl,batch_size\n"
                       "a,0,2000,alexnet,700,128\n");
    check_refused(RUN(trace, log_path), "trace.csv:2: column 4 (model_name)");
    result = RUN(trace, cluster, "--unknown_model=resnet50");
    assert_int_equal(result.status, 0);
    assert_string_equal(result.out, "accepted jobs: 1\ndeclined jobs: 0\n");
    program_result_clear(&result);
}

IN_FOLDER(a_path_that_is_no_utf8_is_no_reason_to_crash)
{
    char word[4200];
    char *text = folder_read(folder, "trace.csv");
    struct program_result result;

    (void)snprintf(word, sizeof(word), "--trace_file=%s",
                   folder_write(folder,
                                "tr\xff"
                                "ace.csv",
                                text));
    free(text);
    result = RUN(word, cluster, log_path);
    assert_true(result.status == 0 || result.status == 2);
    program_result_clear(&result);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
