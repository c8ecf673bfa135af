/* processes_test.c - work on trial: its answer comes back, and nothing else of it. */
#include "common/processes.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct figures {
    double sum;
    char text[5000];
};

static void add_one(void *argument, void *answer)
{
    double *number = argument;
    struct figures *figures = answer;

    *number += 1;
    figures->sum = *number;
    memset(figures->text, 'x', sizeof(figures->text));
}

static void end_early(void *argument, void *answer)
{
    (void)answer;
    (void)raise(*(int *)argument);
}

TEST(only_the_answer_is_left)
{
    double number = 1;
    struct figures figures = {0};
    struct error error;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(processes_try(add_one, &number, &figures, sizeof(figures), &error), 0);
        assert_true(number == 1 && figures.sum == 2);
        assert_int_equal(figures.text[sizeof(figures.text) - 1], 'x');
    }
}

TEST(an_early_end_is_an_error)
{
    int signal = SIGKILL;
    int answer = 7;
    struct error error;

    assert_int_equal(processes_try(end_early, &signal, &answer, sizeof(answer), &error), -1);
    assert_string_equal(error.text, "a process on trial ended with signal 9");
    assert_int_equal(answer, 7);
}

/* The other end, by what comes from it: `expected`, and then its end. */
static void expect_text(int from, const char *expected)
{
    char text[64];
    size_t used = 0;
    ssize_t got;

    while ((got = read(from, text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    assert_string_equal(text, expected);
    (void)close(from);
}

TEST(a_copy_writes_what_it_has_to_say)
{
    struct error error;
    int status = -1;
    int end = -1;
    const int other = dup(STDERR_FILENO);
    const pid_t pid = processes_copy(&end, &error);

    if (pid == 0) {
        processes_close_others(end);
        processes_write(end, fcntl(other, F_GETFD) < 0 ? "closed " : "open ", 7);
        processes_write(end, "said", 4);
        _exit(3);
    }
    assert_true(pid > 0);
    expect_text(end, "closed said");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_true(fcntl(other, F_GETFD) >= 0);
    (void)close(other);
}

TEST(without_descriptors_there_is_no_copy)
{
    struct rlimit before;
    struct error error;
    int end;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, before.rlim_max}), 0);
    assert_int_equal(processes_copy(&end, &error), -1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_string_equal(error.text, "no pipe: Too many open files");
}

int main(void)
{
    return tests_run(NULL, NULL);
}
