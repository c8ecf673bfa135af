/* stop_test.c - a long run tells how far it is when asked, stops when asked, and then leaves
 * nothing. */
#include "tests/support/folder.h"
#include "tests/support/program.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With this number of jobs at once one round takes long to plan, and the run has many rounds. */
#define JOBS 6000

static folder_t *folder;

FIXTURE(set_up)
{
    FILE *trace;

    folder = folder_new();
    trace = fopen(folder_file(folder, "trace.csv"), "w");
    assert_non_null(trace);
    (void)fputs("job_id,submit_time,iteration,model_name,ddl,batch_size\n", trace);
    for (int i = 0; i < JOBS; i++)
        (void)fprintf(trace, "job-%d,%d,%d,vgg16,%d,128\n", i, i / 10, 20000 + i * 7919 % 100000,
                      2000000000 + i * 7907 % 1000000);
    (void)fclose(trace);
    return 0;
}

FIXTURE(tear_down)
{
    folder_destroy(&folder);
    return 0;
}

static struct program start(void)
{
    char trace[4096];
    char log_path[4096];

    (void)snprintf(trace, sizeof(trace), "--trace_file=%s", folder_file(folder, "trace.csv"));
    (void)snprintf(log_path, sizeof(log_path), "--log_path=%s", folder_file(folder, "results"));
    return program_start("scheduler", (const char *const[]){trace, log_path, "--schedule=ef",
                                                            "--throughputs=throughputs",
                                                            "--scheduling_slot=1", NULL});
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

#define IN_FOLDER(name) TEST_WITH(name, set_up, tear_down)

IN_FOLDER(a_signal_prints_one_line_on_how_far_the_run_is)
{
    static char said[100000];
    struct program program = start();
    int sent;

    said[0] = '\0';
    sent = program_await(&program, "\n", SIGUSR1, said, sizeof(said));
    assert_true(sent >= 1);
    assert_true(count_lines(said) <= (size_t)sent);
    assert_memory_equal(said, "ef: simulated ", 14);
    assert_non_null(strstr(said, " of 6000 jobs settled, "));
    assert_non_null(strstr(said, " events/s, time left "));
    assert_true(folder_has(folder, "results"));
    assert_int_equal(kill(program.pid, SIGKILL), 0);
    assert_int_equal(program_wait(&program), 128 + SIGKILL);
}

static void check_stopped_by(int signal)
{
    static char said[100000];
    struct program program = start();

    said[0] = '\0';
    (void)program_await(&program, "\n", SIGUSR1, said, sizeof(said));
    assert_int_equal(kill(program.pid, signal),
                     0); /* once: a second one would end the run at once */
    (void)program_await(&program, "scheduler: stopped at ", 0, said, sizeof(said));
    (void)program_await(&program, "no result is written\n", 0, said, sizeof(said));
    assert_non_null(strstr(said, " of 6000 jobs settled; no result is written\n"));
    assert_int_equal(program_wait(&program), 130);
    assert_false(folder_has(folder, "results"));
}

IN_FOLDER(an_interrupt_stops_the_run_and_leaves_no_folder)
{
    check_stopped_by(SIGINT);
}

IN_FOLDER(a_request_to_terminate_stops_the_run_and_leaves_no_folder)
{
    check_stopped_by(SIGTERM);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
