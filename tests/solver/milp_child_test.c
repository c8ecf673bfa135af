/* milp_child_test.c - whatever a back end does, there is the right answer and nothing is left of
 * it. */
#include "tests/solver/faulty_solver.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A limit for those that need none: a busy machine lets them wait. */
#define AMPLE_S 600

/* What the test and its children share: which process worked. */
static pid_t *worker;
static int held_end; /* an end of a pipe that a child keeps open */

FIXTURE(set_up)
{
    worker = mmap(NULL, sizeof(*worker), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return worker == MAP_FAILED ? -1 : 0;
}

FIXTURE(tear_down)
{
    return munmap(worker, sizeof(*worker));
}

/* Maximise x + y, both 0 or 1, of which one may be 1. */
static milp_t *small_model(void)
{
    milp_t *milp = milp_new();
    const int x = milp_add_column(milp, 0, 1, 1, true);
    const int y = milp_add_column(milp, 0, 1, 1, true);
    const int row = milp_add_row(milp, 0, 1);

    milp_set_maximise(milp, true);
    milp_add_term(milp, row, x, 1);
    milp_add_term(milp, row, y, 1);
    return milp;
}

static void check_nobody_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(every_fault_has_its_answer)
{
    milp_t *milp = small_model();
    struct milp_result result;

    for (size_t i = 0; i < faulty_solver_count; i++) {
        const bool ended = faulty_solvers[i].answer == MILP_NO_SOLUTION;
        const struct milp_limits limits = {.seconds = ended ? 0.05 : AMPLE_S};

        milp_solve(faulty_solvers[i].solver, milp, &limits, &result);
        if (result.answer != faulty_solvers[i].answer)
            fail_msg("%s: %s and not %s: %s", faulty_solvers[i].solver->name,
                     milp_answer_name(result.answer), milp_answer_name(faulty_solvers[i].answer),
                     result.error.text);
        assert_null(result.values);
        assert_true(isnan(result.objective));
        assert_true(isinf(result.bound) && isinf(result.gap));
        check_nobody_is_left();
    }
    milp_destroy(&milp);
}

static void check_sentence(const struct milp_solver *solver, double seconds, const char *sentence)
{
    const struct milp_limits limits = {.seconds = seconds};
    milp_t *milp = small_model();
    struct milp_result result;

    milp_solve(solver, milp, &limits, &result);
    assert_string_equal(result.error.text, sentence);
    milp_destroy(&milp);
}

TEST(a_fault_is_told_in_one_sentence)
{
    check_sentence(&solver_that_fails, AMPLE_S, "failing: it always fails");
    check_sentence(&solver_that_aborts, AMPLE_S,
                   "aborting: its process was ended by signal 6 (Aborted)");
    check_sentence(&solver_that_segfaults, AMPLE_S,
                   "segfaulting: its process was ended by signal 11 (Segmentation fault)");
    check_sentence(&solver_that_exits, AMPLE_S,
                   "exiting: its process ended with status 3 and no answer");
    check_sentence(&solver_that_stalls, 0.05, "stalling: it was ended at its limit of 0.05 s");
    check_sentence(&solver_that_hides, 0.05, "hiding: it was ended at its limit of 0.05 s");
    check_sentence(&solver_without_values, AMPLE_S, "empty: its value of column 0 is nan");
    check_sentence(&solver_of_nonsense, AMPLE_S,
                   "nonsense: its value of column 0 is 1000000, outside of [0, 1]");
    check_sentence(&solver_that_boasts, AMPLE_S,
                   "boasting: its point is worth 0, which its bound 1e+12 does "
                   "not make optimal");
    check_sentence(&solver_without_answer, AMPLE_S, "unanswering: its answer is 6, which is none");
    check_sentence(&solver_that_despairs, 2,
                   "despairing: it called the model infeasible when its time was up");
}

static void check_memory_sentence(int64_t memory_mib, const char *sentence)
{
    const struct milp_limits limits = {.seconds = AMPLE_S, .memory_mib = memory_mib};
    milp_t *milp = small_model();
    struct milp_result result;

    milp_solve(&solver_that_hoards, milp, &limits, &result);
    check_answer(&result, MILP_NO_SOLUTION);
    assert_true(result.out_of_memory);
    assert_null(result.values);
    assert_string_equal(result.error.text, sentence);
    check_nobody_is_left();
    milp_destroy(&milp);
}

TEST(who_takes_too_much_memory_is_ended)
{
#ifdef RUBATO_SANITIZED
    skip(); /* their malloc ends a process in ways of its own */
#endif
    check_memory_sentence(1, "hoarding: it found no more memory within its limit of 1 MiB");
    check_memory_sentence(100, "hoarding: it found no more memory within its limit of 100 MiB");
}

/* The memory of a user or a machine may be less than a limit, or than what is there without one. */
TEST(who_finds_no_memory_says_that)
{
    const struct rlimit little = {(rlim_t)1 << 30, RLIM_INFINITY};
    struct rlimit before;

#ifdef RUBATO_SANITIZED
    skip(); /* their malloc ends a process in ways of its own */
#endif
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    check_memory_sentence(0, "hoarding: it found no more memory");
    check_memory_sentence(100000,
                          "hoarding: it found no more memory within its limit of 100000 MiB");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
}

static void say_who_and_stall(const struct milp_problem *problem, const struct milp_limits *limits,
                              struct milp_reply *reply)
{
    *worker = getpid();
    solver_that_stalls.solve(problem, limits, reply);
}

static const struct milp_solver named_stalling = {.name = "named", .solve = say_who_and_stall};

TEST(who_is_ended_at_the_limit_is_gone)
{
    const struct milp_limits limits = {.seconds = 0.05};
    milp_t *milp = small_model();
    struct milp_result result;

    *worker = 0;
    milp_solve(&named_stalling, milp, &limits, &result);
    check_answer(&result, MILP_NO_SOLUTION);
    assert_int_not_equal(*worker, 0);
    assert_int_not_equal(*worker, getpid());
    assert_int_equal(kill(*worker, 0), -1);
    assert_int_equal(errno, ESRCH);
    milp_destroy(&milp);
}

static int asked;

static bool is_the_second_time(void *owner)
{
    (void)owner;
    return ++asked >= 2;
}

TEST(a_stop_waits_for_no_limit)
{
    const struct stop stop = {is_the_second_time, NULL};
    const struct milp_limits limits = {.stop = &stop};
    milp_t *milp = small_model();
    struct milp_result result;

    asked = 0;
    milp_solve(&solver_that_stalls, milp, &limits, &result);
    check_answer(&result, MILP_NO_SOLUTION);
    assert_string_equal(result.error.text, "stalling: it was asked to stop");
    assert_int_equal(asked, 2);
    check_nobody_is_left();
    milp_destroy(&milp);
}

static void hold_the_pipe_and_stall(const struct milp_problem *problem,
                                    const struct milp_limits *limits, struct milp_reply *reply)
{
    (void)!write(held_end, "x", 1);
    solver_that_stalls.solve(problem, limits, reply);
}

static const struct milp_solver holding = {.name = "holding", .solve = hold_the_pipe_and_stall};

TEST(nobody_outlives_a_parent_that_is_killed)
{
    const struct milp_limits limits = {.seconds = 0};
    struct milp_result result;
    int ends[2];
    char byte;
    pid_t parent;

    assert_int_equal(pipe(ends), 0);
    held_end = ends[1];
    parent = fork();
    if (parent == 0) {
        milp_t *milp = small_model();

        milp_solve(&holding, milp, &limits, &result);
        _exit(0);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1); /* it works */
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* no process holds the other end */
    (void)close(ends[0]);
}

static void print_and_answer(const struct milp_problem *problem, const struct milp_limits *limits,
                             struct milp_reply *reply)
{
    (void)limits;
    (void)printf("a page of news\n");
    (void)fflush(stdout);
    memset(reply->values, 0, (size_t)problem->columns * sizeof(double));
    reply->answer = MILP_FEASIBLE;
}

static const struct milp_solver talkative = {.name = "talkative", .solve = print_and_answer};

TEST(what_a_back_end_prints_does_not_reach_our_output)
{
    const struct milp_limits limits = {.seconds = 0};
    const int output = dup(STDOUT_FILENO);
    milp_t *milp = small_model();
    struct milp_result result;
    int ends[2];
    char byte;

    assert_int_equal(pipe(ends), 0);
    (void)fflush(stdout);
    (void)dup2(ends[1], STDOUT_FILENO);
    (void)close(ends[1]);
    milp_solve(&talkative, milp, &limits, &result);
    (void)dup2(output, STDOUT_FILENO);
    (void)close(output);
    check_answer(&result, MILP_FEASIBLE);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    (void)close(ends[0]);
    milp_destroy(&milp);
}

static int next_free_fd(void)
{
    const int fd = dup(STDERR_FILENO);

    (void)close(fd);
    return fd;
}

TEST(solve_after_solve_leaves_nothing_open)
{
    const struct milp_limits limits = {.seconds = 0};
    const int before = next_free_fd();
    milp_t *milp = small_model();
    struct milp_result result;

    for (int i = 0; i < 100; i++)
        milp_solve(i % 2 ? &talkative : &solver_that_exits, milp, &limits, &result);
    assert_int_equal(next_free_fd(), before);
    check_nobody_is_left();
    milp_destroy(&milp);
}

TEST(ignored_children_do_no_harm)
{
    const struct milp_limits limits = {.seconds = 0};
    milp_t *milp = small_model();
    struct milp_result result;

    (void)signal(SIGCHLD, SIG_IGN);
    milp_solve(&talkative, milp, &limits, &result);
    check_answer(&result, MILP_FEASIBLE);
    milp_solve(&solver_that_aborts, milp, &limits, &result);
    check_answer(&result, MILP_FAILED);
    (void)signal(SIGCHLD, SIG_DFL);
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
