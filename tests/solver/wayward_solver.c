/* wayward_solver.c - a back end that does what the objective of column 0 says, for tests of a
 * server. See wayward_solver.h. */
#include "tests/solver/wayward_solver.h"

#include "scheduler/solver/milp_solver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct milp_solver milp_solver;

static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would make something else of it */
    (void)raise(SIGSEGV);
}

static void stall(void)
{
    for (;;)
        (void)pause();
}

static void hoard(void)
{
    for (;;)
        memset(malloc((size_t)1 << 20), 1, (size_t)1 << 20);
}

/* Each value is the id of the process that works. */
static void solve(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply)
{
    const int way = (int)problem->objective[0];
    const bool is_server = getpgrp() == getpid();

    (void)limits;
    if (way == WAYWARD_CRASHES || (way == WAYWARD_CRASHES_A_SERVER && is_server))
        crash();
    if (way == WAYWARD_STALLS || (way == WAYWARD_STALLS_A_SERVER && is_server))
        stall();
    if (way == WAYWARD_HOARDS)
        hoard();
    for (int i = 0; i < problem->columns; i++)
        reply->values[i] = (double)getpid();
    reply->answer = MILP_FEASIBLE;
}

const struct milp_solver milp_solver = {.name = "wayward", .stays = true, .solve = solve};
