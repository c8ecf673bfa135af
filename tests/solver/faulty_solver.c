/* faulty_solver.c - see faulty_solver.h. */
#include "tests/solver/faulty_solver.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail_always(const struct milp_problem *problem, const struct milp_limits *limits,
                        struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    reply->answer = MILP_FAILED;
    error_set(&reply->error, "it always fails");
}

static void abort_always(const struct milp_problem *problem, const struct milp_limits *limits,
                         struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    (void)reply;
    abort();
}

static void segfault(const struct milp_problem *problem, const struct milp_limits *limits,
                     struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    (void)reply;
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would make something else of it */
    (void)raise(SIGSEGV);
}

static void exit_early(const struct milp_problem *problem, const struct milp_limits *limits,
                       struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    reply->answer = MILP_OPTIMAL;
    _exit(3);
}

static void stall(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    (void)reply;
    for (;;)
        (void)pause();
}

static void hide(const struct milp_problem *problem, const struct milp_limits *limits,
                 struct milp_reply *reply)
{
    for (int fd = 0; fd < 1024; fd++)
        (void)close(fd);
    stall(problem, limits, reply);
}

static void hoard(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply)
{
    const size_t piece = (size_t)1 << 20;

    (void)problem;
    (void)limits;
    (void)reply;
    for (;;)
        memset(malloc(piece), 1, piece); /* never freed, and ends the process itself */
}

static void leave_values(const struct milp_problem *problem, const struct milp_limits *limits,
                         struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    reply->answer = MILP_OPTIMAL;
    reply->bound = 0;
}

static void invent_values(const struct milp_problem *problem, const struct milp_limits *limits,
                          struct milp_reply *reply)
{
    (void)limits;
    for (int i = 0; i < problem->columns; i++)
        reply->values[i] = 1e6;
    reply->answer = MILP_OPTIMAL;
    reply->bound = 0;
}

static void boast(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply)
{
    (void)limits;
    for (int i = 0; i < problem->columns; i++)
        reply->values[i] = isfinite(problem->column_lower[i]) ? problem->column_lower[i] : 0;
    reply->answer = MILP_OPTIMAL;
    reply->bound = problem->maximise ? 1e12 : -1e12;
}

static void invent_answer(const struct milp_problem *problem, const struct milp_limits *limits,
                          struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    reply->answer = (enum milp_answer)MILP_ANSWERS;
}

static void despair(const struct milp_problem *problem, const struct milp_limits *limits,
                    struct milp_reply *reply)
{
    (void)problem;
    (void)poll(NULL, 0, (int)(850 * limits->seconds)); /* it ends when most of its time is up */
    reply->answer = MILP_INFEASIBLE;
}

const struct milp_solver solver_that_fails = {.name = "failing", .solve = fail_always};
const struct milp_solver solver_that_hoards = {.name = "hoarding", .solve = hoard};
const struct milp_solver solver_that_aborts = {.name = "aborting", .solve = abort_always};
const struct milp_solver solver_that_segfaults = {.name = "segfaulting", .solve = segfault};
const struct milp_solver solver_that_exits = {.name = "exiting", .solve = exit_early};
const struct milp_solver solver_that_stalls = {.name = "stalling", .solve = stall};
const struct milp_solver solver_that_hides = {.name = "hiding", .solve = hide};
const struct milp_solver solver_without_values = {.name = "empty", .solve = leave_values};
const struct milp_solver solver_of_nonsense = {.name = "nonsense", .solve = invent_values};
const struct milp_solver solver_that_boasts = {.name = "boasting", .solve = boast};
const struct milp_solver solver_without_answer = {.name = "unanswering", .solve = invent_answer};
const struct milp_solver solver_that_despairs = {.name = "despairing", .solve = despair};

const struct faulty_solver faulty_solvers[] = {
    {&solver_that_fails, MILP_FAILED},         {&solver_that_aborts, MILP_FAILED},
    {&solver_that_segfaults, MILP_FAILED},     {&solver_that_exits, MILP_FAILED},
    {&solver_that_stalls, MILP_NO_SOLUTION},   {&solver_that_hides, MILP_NO_SOLUTION},
    {&solver_without_values, MILP_FAILED},     {&solver_of_nonsense, MILP_FAILED},
    {&solver_that_boasts, MILP_FAILED},        {&solver_without_answer, MILP_FAILED},
    {&solver_that_despairs, MILP_NO_SOLUTION},
};
const size_t faulty_solver_count = sizeof(faulty_solvers) / sizeof(faulty_solvers[0]);
