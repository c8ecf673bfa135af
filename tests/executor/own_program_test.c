/* own_program_test.c - as whom a program runs that a job brings along. tests/worker has it run. */
#include "executor/launch.h"
#include "executor/own_program.h"
#include "tests/support/test.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

TEST(without_a_user_it_runs_as_the_worker)
{
    struct error error;
    own_user_t *user = own_user_find("", &error);

    assert_non_null(user);
    assert_null(own_user_child(user));
    own_user_destroy(&user);
}

TEST(the_user_of_the_worker_is_no_other)
{
    const struct passwd *entry = getpwuid(geteuid());
    struct error error;
    own_user_t *user;

    if (!entry) {
        skip();
        return;
    }
    user = own_user_find(entry->pw_name, &error);
    assert_non_null(user);
    assert_null(own_user_child(user));
    own_user_destroy(&user);
}

TEST(a_worker_that_is_not_root_takes_no_other_user)
{
    const bool is_root = geteuid() == 0;
    struct error error;
    own_user_t *user;

    if (!getpwnam("root") || (is_root && seteuid(65534) < 0))
        skip();
    user = own_user_find("root", &error);
    assert_int_equal(is_root ? seteuid(0) : 0, 0);
    assert_null(user);
    assert_string_equal(
        error.text, "the worker of this node runs as user nobody, and no program as user \"root\"");
}

TEST(a_script_is_run_by_python)
{
    const char *arguments[] = {"a.py", "b"};
    const struct msg_program program = {.argument_count = 2, .arguments = arguments};
    char **words = own_program_arguments(&program, "python9");

    assert_string_equal(words[0], "python9");
    assert_string_equal(words[1], "a.py");
    assert_string_equal(words[2], "b");
    assert_null(words[3]);
    launch_words_free(words);
}

TEST(its_variables_count_where_both_have_one)
{
    const char *variables[] = {"B=own", "C=1", "C=2"};
    const struct msg_program program = {.variable_count = 3, .variables = variables};
    char *const passed[] = {"A=1", "BB=2", "B=passed", NULL};
    struct error error;
    own_user_t *user = own_user_find("", &error);
    char **words = own_program_environment(&program, user, passed);

    assert_string_equal(words[0], "A=1");
    assert_string_equal(words[1], "BB=2");
    assert_string_equal(words[2], "B=own");
    assert_string_equal(words[3], "C=2");
    assert_null(words[4]);
    launch_words_free(words);
    own_user_destroy(&user);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
