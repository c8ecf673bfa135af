/* milp_server_test.c - a server answers one model after the other, whatever becomes of it between.
 */
#include "scheduler/solver/milp_server.h"

#include "tests/solver/solving.h"
#include "tests/solver/wayward_solver.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A limit for solves that need none: a busy machine lets them wait. */
#define AMPLE_S 600

static const struct milp_solver *wayward(void)
{
    struct error error;
    const struct milp_solver *solver;

    assert_int_equal(setenv("RUBATO_SOLVERS", WAYWARD_FOLDER, 1), 0);
    solver = milp_find_solver("wayward", &error);
    if (!solver)
        fail_msg("%s", error.text);
    return solver;
}

/* Two columns of any value. */
static milp_t *model_on(milp_server_t *server, enum wayward way, bool whole)
{
    milp_t *milp = milp_new();

    (void)milp_add_column(milp, -MILP_INFINITY, MILP_INFINITY, way, whole);
    (void)milp_add_column(milp, -MILP_INFINITY, MILP_INFINITY, 0, whole);
    milp_use_server(milp, server);
    return milp;
}

static struct milp_result solve(enum wayward way, milp_server_t *server, bool whole,
                                const struct milp_limits *limits)
{
    milp_t *milp = model_on(server, way, whole);
    struct milp_result result;

    milp_solve(wayward(), milp, limits, &result);
    if (result.values)
        assert_float_equal(result.values[1], result.values[0], 0);
    result.objective = result.values ? result.values[0] : 0;
    milp_destroy(&milp);
    result.values = NULL;
    return result;
}

/* The process that answered; the test fails if none did. */
static pid_t answered_by(enum wayward way, milp_server_t *server, bool whole)
{
    const struct milp_limits limits = {.seconds = AMPLE_S};
    const struct milp_result result = solve(way, server, whole, &limits);

    check_answer(&result, MILP_FEASIBLE);
    return (pid_t)result.objective;
}

static void check_no_process_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(one_process_stays)
{
    milp_server_t *server = milp_server_new();
    pid_t first;

    assert_int_equal(milp_server_pid(server), 0);
    first = answered_by(WAYWARD_ANSWERS, server, false);
    assert_int_equal(first, milp_server_pid(server));
    for (int i = 0; i < 20; i++)
        assert_int_equal(answered_by(WAYWARD_ANSWERS, server, false), first);
    assert_int_not_equal(first, getpid());
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(whole_numbers_and_limits_of_memory_have_copies_of_it)
{
    const struct milp_limits limits = {.memory_mib = 1000};
    milp_server_t *server = milp_server_new();
    struct milp_result result;
    pid_t first;

    first = answered_by(WAYWARD_ANSWERS, server, false);
    assert_int_not_equal(answered_by(WAYWARD_ANSWERS, server, true), first);
    result = solve(WAYWARD_ANSWERS, server, false, &limits);
    check_answer(&result, MILP_FEASIBLE);
    assert_int_not_equal((pid_t)result.objective, first);
    assert_int_equal(milp_server_pid(server), first);
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(a_killed_server_is_replaced)
{
    milp_server_t *server = milp_server_new();
    pid_t before = 0;

    for (int i = 0; i < 20; i++) {
        const pid_t now = answered_by(WAYWARD_ANSWERS, server, i % 4 == 1);

        assert_int_not_equal(now, before);
        before = milp_server_pid(server);
        assert_int_equal(kill(before, SIGKILL), 0);
    }
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(a_server_that_dies_of_a_model_is_asked_once_more)
{
    milp_server_t *server = milp_server_new();
    pid_t first;

    first = answered_by(WAYWARD_ANSWERS, server, false);
    assert_int_not_equal(answered_by(WAYWARD_CRASHES_A_SERVER, server, false), first);
    assert_int_not_equal(milp_server_pid(server), first);
    assert_int_equal(answered_by(WAYWARD_ANSWERS, server, false), milp_server_pid(server));
    milp_server_destroy(&server);
    check_no_process_is_left();
}

static bool kill_the_server(void *owner)
{
    (void)kill(*(pid_t *)owner, SIGKILL);
    return false;
}

TEST(a_server_that_is_killed_at_work_is_replaced_and_the_solve_repeated)
{
    milp_server_t *server = milp_server_new();
    pid_t first = answered_by(WAYWARD_ANSWERS, server, false);
    const struct stop stop = {kill_the_server, &first};
    const struct milp_limits limits = {.stop = &stop};
    const struct milp_result result = solve(WAYWARD_STALLS_A_SERVER, server, false, &limits);

    check_answer(&result, MILP_FEASIBLE);
    assert_int_not_equal(milp_server_pid(server), first);
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(a_crash_is_an_answer)
{
    const struct milp_limits limits = {.seconds = AMPLE_S};
    milp_server_t *server = milp_server_new();

    for (int whole = 0; whole < 2; whole++) {
        const struct milp_result result = solve(WAYWARD_CRASHES, server, whole, &limits);

        check_answer(&result, MILP_FAILED);
        assert_string_equal(result.error.text,
                            "wayward: its process was ended by signal 11 (Segmentation fault)");
        (void)answered_by(WAYWARD_ANSWERS, server, whole);
    }
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(a_limit_of_time_is_kept_and_the_next_model_is_solved)
{
    const struct milp_limits limits = {.seconds = 0.05};
    milp_server_t *server = milp_server_new();

    for (int whole = 0; whole < 2; whole++) {
        const struct milp_result result = solve(WAYWARD_STALLS, server, whole, &limits);

        check_answer(&result, MILP_NO_SOLUTION);
        assert_string_equal(result.error.text, "wayward: it was ended at its limit of 0.05 s");
        assert_int_equal(milp_server_pid(server), 0);
        check_no_process_is_left();
        (void)answered_by(WAYWARD_ANSWERS, server, whole);
    }
    milp_server_destroy(&server);
    check_no_process_is_left();
}

TEST(a_limit_of_memory_ends_a_copy)
{
    const struct milp_limits limits = {.seconds = AMPLE_S, .memory_mib = 20};
    milp_server_t *server;
    struct milp_result result;
    pid_t first;

#ifdef RUBATO_SANITIZED
    skip(); /* their malloc ends a process in ways of its own */
#endif
    server = milp_server_new();
    first = answered_by(WAYWARD_ANSWERS, server, false);
    result = solve(WAYWARD_HOARDS, server, false, &limits);
    check_answer(&result, MILP_NO_SOLUTION);
    assert_true(result.out_of_memory);
    assert_string_equal(result.error.text,
                        "wayward: it found no more memory within its limit of 20 MiB");
    assert_int_equal(answered_by(WAYWARD_ANSWERS, server, false), first);
    milp_server_destroy(&server);
    check_no_process_is_left();
}

static bool always(void *owner)
{
    (void)owner;
    return true;
}

TEST(a_stop_waits_for_no_limit)
{
    const struct stop stop = {always, NULL};
    const struct milp_limits limits = {.stop = &stop};
    milp_server_t *server = milp_server_new();
    const struct milp_result result = solve(WAYWARD_STALLS, server, false, &limits);

    check_answer(&result, MILP_NO_SOLUTION);
    assert_string_equal(result.error.text, "wayward: it was asked to stop");
    (void)answered_by(WAYWARD_ANSWERS, server, false);
    milp_server_destroy(&server);
    check_no_process_is_left();
}

static int next_free_fd(void)
{
    const int fd = dup(STDERR_FILENO);

    (void)close(fd);
    return fd;
}

TEST(nothing_stays_open)
{
    const int before = next_free_fd();

    for (int i = 0; i < 5; i++) {
        milp_server_t *server = milp_server_new();

        (void)answered_by(WAYWARD_CRASHES_A_SERVER, server, i % 2);
        milp_server_destroy(&server);
    }
    assert_int_equal(next_free_fd(), before);
    check_no_process_is_left();
}

TEST(ignored_children_do_no_harm)
{
    milp_server_t *server = milp_server_new();

    (void)signal(SIGCHLD, SIG_IGN);
    (void)answered_by(WAYWARD_ANSWERS, server, true);
    assert_int_equal(kill(milp_server_pid(server), SIGKILL), 0);
    (void)answered_by(WAYWARD_ANSWERS, server, false);
    milp_server_destroy(&server);
    (void)signal(SIGCHLD, SIG_DFL);
}

/* A child of this process that becomes an orphan is this process's again. */
TEST(no_server_outlives_its_parent)
{
    int ends[2];
    pid_t parent;
    pid_t pid;

    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe(ends), 0);
    parent = fork();
    if (parent == 0) {
        milp_server_t *server = milp_server_new();
        const struct milp_limits limits = {.seconds = 0};

        (void)answered_by(WAYWARD_ANSWERS, server, false);
        pid = milp_server_pid(server);
        (void)!write(ends[1], &pid, sizeof(pid));
        (void)solve(WAYWARD_STALLS, server, false, &limits);
        _exit(0);
    }
    assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

TEST(models_share_a_server_and_keep_their_answers)
{
    const struct milp_limits limits = {.seconds = 0};
    milp_server_t *server = milp_server_new();
    milp_t *milp[2] = {model_on(server, WAYWARD_ANSWERS, false),
                       model_on(server, WAYWARD_ANSWERS, true)};
    struct milp_result results[2];

    milp_solve(wayward(), milp[0], &limits, &results[0]);
    milp_solve(wayward(), milp[1], &limits, &results[1]);
    assert_int_equal((pid_t)results[0].values[0], milp_server_pid(server));
    assert_int_not_equal((pid_t)results[1].values[0], milp_server_pid(server));
    milp_destroy(&milp[0]);
    milp_destroy(&milp[1]);
    milp_server_destroy(&server);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
