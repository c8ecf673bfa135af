/* milp_find_test.c - back ends are found by name, and what is missing is said. */
#include "scheduler/solver/milp_solver.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(cbc_is_found_above_the_program)
{
    const struct milp_solver *solver;
    struct error error;

    (void)unsetenv("RUBATO_SOLVERS");
    solver = milp_find_solver("cbc", &error);
    assert_non_null(solver);
    assert_string_equal(solver->name, "cbc");
    assert_ptr_equal(milp_find_solver("cbc", &error), solver);
}

static void check_refused(const char *name, const char *sentence)
{
    struct error error;

    assert_null(milp_find_solver(name, &error));
    assert_string_equal(error.text, sentence);
}

TEST(what_is_not_there_is_said)
{
    (void)unsetenv("RUBATO_SOLVERS");
    check_refused("glpk", "there is no solver glpk: no lib/rubato/milp_glpk.so above the program");
    check_refused("../cbc",
                  "there is no solver ../cbc: no lib/rubato/milp_../cbc.so above the program");
    check_refused("", "there is no solver : no lib/rubato/milp_.so above the program");
}

TEST(a_folder_can_be_named)
{
    folder_t *folder = folder_new();
    char sentence[600];

    (void)setenv("RUBATO_SOLVERS", folder_path(folder), 1);
    (void)snprintf(sentence, sizeof(sentence), "there is no solver cbc: no %s",
                   folder_file(folder, "milp_cbc.so"));
    check_refused("cbc", sentence);
    (void)unsetenv("RUBATO_SOLVERS");
    folder_destroy(&folder);
}

TEST(an_object_that_is_none_is_said)
{
    folder_t *folder = folder_new();
    struct error error;

    (void)setenv("RUBATO_SOLVERS", folder_path(folder), 1);
    (void)folder_write(folder, "milp_cbc.so", "not an object");
    assert_null(milp_find_solver("cbc", &error));
    assert_non_null(strstr(error.text, "solver cbc cannot be loaded: "));
    assert_non_null(strstr(error.text, "milp_cbc.so"));
    (void)unsetenv("RUBATO_SOLVERS");
    folder_destroy(&folder);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
