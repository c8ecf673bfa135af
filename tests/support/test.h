/* test.h - included by every test program: cmocka, the headers that cmocka needs before it, and
 * tests that register themselves. */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The exit status by which a program says that it was skipped. */
#define TEST_SKIPPED 77

/* A test and its body; tests run in the order of the file:
 *
 *     TEST(a_job_that_does_not_fit_is_passed_over)
 *     {
 *         ...
 *     }
 *
 * TEST_WITH takes functions to run before and after the test, NULL for none. FIXTURE is the head of
 * such a function, which returns 0. The state of cmocka is `test_state`. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                                         \
    static void name(void **test_state __attribute__((unused)));                                   \
    __attribute__((constructor)) static void name##_is_a_test(void)                                \
    {                                                                                              \
        test_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL}, __LINE__);             \
    }                                                                                              \
    static void name(void **test_state __attribute__((unused)))
#define FIXTURE(name) static int name(void **test_state __attribute__((unused)))

/* The tests of this file, in the order of their lines. */
#define TESTS_MAX 256
static struct {
    struct CMUnitTest items[TESTS_MAX];
    int lines[TESTS_MAX];
    size_t count;
} test_list __attribute__((unused));

__attribute__((unused)) static void test_add(struct CMUnitTest test, int line)
{
    size_t at = test_list.count++;

    assert(at < TESTS_MAX);
    for (; at > 0 && test_list.lines[at - 1] > line; at--) {
        test_list.items[at] = test_list.items[at - 1];
        test_list.lines[at] = test_list.lines[at - 1];
    }
    test_list.items[at] = test;
    test_list.lines[at] = line;
}

/* Runs the tests of this file. `set_up` and `tear_down` run before and after all of them, unless
 * they are NULL. Returns the exit status. */
__attribute__((unused)) static int tests_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", test_list.items, test_list.count, set_up, tear_down);
}

#endif
