/* progress_test.c - the line that says how far a run is, and the signals that ask for it. */
#include "common/output.h"
#include "scheduler/report/progress.h"
#include "scheduler/report/result_folder.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void show(progress_line_t *line, int64_t settled)
{
    progress_show(line, &(struct progress_status){
                            .now_s = 3600, .rounds = 12, .settled = settled, .jobs = 40});
}

/* What is written on stderr while one line is shown; the caller frees it. */
static char *shown(progress_line_t *line, int64_t settled)
{
    folder_t *folder = folder_new();
    const int kept = dup(STDERR_FILENO);
    const int fd = open(folder_file(folder, "err"), O_WRONLY | O_CREAT, 0600);
    char *text;

    assert_true(kept >= 0 && fd >= 0);
    assert_true(dup2(fd, STDERR_FILENO) >= 0);
    show(line, settled);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(fd);
    (void)close(kept);
    text = folder_read(folder, "err");
    folder_destroy(&folder);
    return text;
}

/* Into a pipe or file a line goes only when it is asked for. */
TEST(a_line_is_due_when_a_signal_asks_for_it)
{
    const int kept = dup(STDERR_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    progress_line_t *line;

    assert_true(dup2(null, STDERR_FILENO) >= 0); /* no terminal, wherever the test runs */
    line = progress_new("ef");
    for (int i = 0; i < 1000; i++)
        assert_false(progress_is_due(line));
    assert_int_equal(raise(SIGUSR1), 0);
    assert_true(progress_is_due(line));
    show(line, 10);
    assert_false(progress_is_due(line));
    progress_destroy(&line);
    assert_null(line);
    progress_destroy(&line);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    (void)close(null);
}

TEST(a_line_says_what_is_done_and_what_is_left)
{
    const int kept = dup(STDERR_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    progress_line_t *line;
    char *text;

    assert_true(dup2(null, STDERR_FILENO) >= 0);
    line = progress_new("ef");
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    text = shown(line, 10);
    assert_memory_equal(text, "ef: simulated 3600 s, 10 of 40 jobs settled, ", 45);
    assert_non_null(strstr(text, " events/s, time left "));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
    text = shown(line, 0);
    assert_non_null(strstr(text, "time left unknown\n"));
    free(text);
    progress_destroy(&line);
    (void)close(kept);
    (void)close(null);
}

TEST(an_interrupt_asks_to_stop)
{
    progress_line_t *line = progress_new("ef");

    assert_false(progress_stop_asked());
    assert_int_equal(raise(SIGINT), 0);
    assert_true(progress_stop_asked());
    progress_destroy(&line);
}

/* A process that heeds no wish to stop, with results half written. */
static _Noreturn void be_busy(const char *results)
{
    struct error error;
    result_folder_t *folder = result_folder_open(results, false, &error);
    output_t *jobs = folder ? result_folder_create(folder, RESULT_JOBS, &error) : NULL;
    char other[4096];
    output_t *record;

    (void)snprintf(other, sizeof(other), "%s.record", results);
    record = output_new(other, &error);
    progress_catch_signals();
    progress_end_at_second();
    if (!jobs || !record || kill(getpid(), SIGSTOP) < 0)
        _exit(1);
    for (;;)
        continue;
}

TEST(a_second_signal_ends_what_does_not_stop_with_nothing_half_written)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        folder_t *folder = folder_new();
        const struct timespec pause = {.tv_nsec = 60000000};
        int status = 0;
        pid_t pid;

        (void)fflush(NULL);
        pid = fork();
        if (pid == 0)
            be_busy(folder_file(folder, "some/results"));
        assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
        assert_true(WIFSTOPPED(status));
        assert_true(folder_has(folder, "some/results"));
        assert_int_equal(kill(pid, SIGCONT), 0);
        while (waitpid(pid, &status, WNOHANG) == 0) {
            (void)kill(pid, signals[i]);
            (void)nanosleep(&pause, NULL);
        }
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 130);
        assert_int_equal(folder_count(folder), 0);
        folder_destroy(&folder);
    }
}

int main(void)
{
    return tests_run(NULL, NULL);
}
