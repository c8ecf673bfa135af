/* processes_test.c - work on trial: its answer comes back, and nothing else of it. */
#include "common/processes.h"

#include "tests/support/test.h"

#include <signal.h>
#include <string.h>

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

static void only_the_answer_is_left(void **state)
{
    double number = 1;
    struct figures figures = {0};
    struct error error;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(processes_try(add_one, &number, &figures, sizeof(figures), &error), 0);
        assert_true(number == 1 && figures.sum == 2);
        assert_int_equal(figures.text[sizeof(figures.text) - 1], 'x');
    }
}

static void an_early_end_is_an_error(void **state)
{
    int signal = SIGKILL;
    int answer = 7;
    struct error error;

    (void)state;
    assert_int_equal(processes_try(end_early, &signal, &answer, sizeof(answer), &error), -1);
    assert_string_equal(error.text, "a process on trial ended with signal 9");
    assert_int_equal(answer, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_answer_is_left),
        cmocka_unit_test(an_early_end_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
