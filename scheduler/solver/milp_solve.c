/* milp_solve.c - a solve: the limits that a back end is told, and the checks of its answer. */
#include "common/clock.h"
#include "scheduler/solver/milp.h"
#include "scheduler/solver/milp_check.h"
#include "scheduler/solver/milp_child.h"
#include "scheduler/solver/milp_server.h"
#include "scheduler/solver/milp_sets.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* The share of the time limit after which a back end is asked to stop, so that it can still hand
 * over its best point. */
#define ASKED_SHARE 0.9

/* The share of the time limit after which a back end is ended. This leaves time to clear up within
 * the tenth that milp.h allows. */
#define ENDED_SHARE 1.05

/* The share of the asked time after which no answer that needs a proof is believed. Some solvers
 * take the end of their time for a proof that there is no point. */
#define PROOF_SHARE 0.8

static void empty_result(const struct milp_problem *problem, struct milp_result *result)
{
    result->answer = MILP_FAILED;
    result->objective = NAN;
    result->bound = problem->maximise ? MILP_INFINITY : -MILP_INFINITY;
    result->gap = MILP_INFINITY;
    result->values = NULL;
    result->row_duals = NULL;
    result->reduced_costs = NULL;
    result->nodes = 0;
    result->seconds = 0;
    result->out_of_memory = false;
    result->build_seconds = 0;
    result->error.text[0] = '\0';
}

/* Checks that the claim that no point is better than `bound` fits the point, and corrects rounding
 * errors in the bound. -1, with a sentence, if the claim cannot be true or does not make the point
 * optimal. */
static int check_bound(const struct milp_problem *problem, const struct milp_limits *limits,
                       double scale, struct milp_result *result)
{
    const double sign = problem->maximise ? -1 : 1;
    const double objective = sign * result->objective;
    const double bound = sign * result->bound;
    const double slack = MILP_TOLERANCE * scale;
    const double allowed = fmax(limits->gap_absolute, limits->gap_relative * fabs(objective));

    if (isnan(bound) || bound > objective + slack)
        return error_set(&result->error, "its point is worth %.9g, better than its bound %.9g",
                         result->objective, result->bound);
    if (result->answer == MILP_OPTIMAL && bound < objective - fmax(allowed, 0) - slack)
        return error_set(&result->error,
                         "its point is worth %.9g, which its bound %.9g does not make optimal",
                         result->objective, result->bound);
    result->bound = sign * fmin(bound, objective);
    result->gap = fabs(result->objective - result->bound);
    return 0;
}

/* Takes an answer with a point into the result. -1, with a sentence, if the point or its bound is
 * not valid. */
static int take_point(const struct milp_problem *problem, const struct milp_limits *limits,
                      struct milp_reply *reply, struct milp_result *result)
{
    double scale;

    if (milp_check_point(problem, reply->values, &result->error) < 0)
        return -1;
    result->objective = milp_objective_at(problem, reply->values, &scale);
    result->bound = reply->bound;
    if (check_bound(problem, limits, scale, result) < 0)
        return -1;
    result->values = reply->values;
    return 0;
}

static int take_duals(const struct milp_problem *problem, const struct milp_reply *reply,
                      struct milp_result *result)
{
    for (int i = 0; i < problem->rows; i++)
        if (!isfinite(reply->row_duals[i]))
            return error_set(&result->error, "its dual of row %d is %g", i, reply->row_duals[i]);
    for (int i = 0; i < problem->columns; i++)
        if (!isfinite(reply->reduced_costs[i]))
            return error_set(&result->error, "its reduced cost of column %d is %g", i,
                             reply->reduced_costs[i]);
    result->row_duals = reply->row_duals;
    result->reduced_costs = reply->reduced_costs;
    return 0;
}

/* Takes the valid parts of a reply. -1, with a sentence, if a part is not valid. */
static int take_reply(const struct milp_problem *problem, const struct milp_limits *limits,
                      bool late, struct milp_reply *reply, struct milp_result *result)
{
    result->answer = reply->answer;
    result->nodes = reply->nodes;
    result->error = reply->error;
    switch (reply->answer) {
    case MILP_OPTIMAL:
        if (take_point(problem, limits, reply, result) < 0)
            return -1;
        return reply->has_duals ? take_duals(problem, reply, result) : 0;
    case MILP_FEASIBLE:
        return take_point(problem, limits, reply, result);
    case MILP_INFEASIBLE:
    case MILP_UNBOUNDED:
        if (late) {
            result->answer = MILP_NO_SOLUTION;
            error_set(&result->error, "it called the model %s when its time was up",
                      milp_answer_name(reply->answer));
        }
        return 0;
    case MILP_NO_SOLUTION:
        if (!(limits->seconds > 0) && limits->nodes <= 0 && !limits->unproven)
            return error_set(&result->error, "it gave up, though there is no limit");
        return 0;
    case MILP_FAILED:
        return -1;
    }
    return error_set(&result->error, "its answer is %d, which is none", (int)reply->answer);
}

/* Removes the proof from a reply found by shortcuts, which prove nothing. The point stays. */
static void withdraw_proof(const struct milp_problem *problem, struct milp_reply *reply)
{
    if (reply->answer == MILP_OPTIMAL)
        reply->answer = MILP_FEASIBLE;
    else if (reply->answer == MILP_INFEASIBLE || reply->answer == MILP_UNBOUNDED)
        reply->answer = MILP_NO_SOLUTION;
    reply->bound = problem->maximise ? MILP_INFINITY : -MILP_INFINITY;
    reply->has_duals = false;
}

static void fail(const struct milp_problem *problem, struct milp_result *result)
{
    const struct error error = result->error;

    empty_result(problem, result);
    result->error = error;
}

static void judge(const struct milp_problem *problem, const struct milp_limits *limits,
                  enum milp_child_end how, bool late, struct milp_reply *reply,
                  struct milp_result *result)
{
    switch (how) {
    case MILP_CHILD_ANSWERED:
        if (limits->unproven)
            withdraw_proof(problem, reply);
        if (take_reply(problem, limits, late, reply, result) < 0)
            fail(problem, result);
        break;
    case MILP_CHILD_LATE:
        result->answer = MILP_NO_SOLUTION;
        error_set(&result->error, "it was ended at its limit of %g s", limits->seconds);
        break;
    case MILP_CHILD_FULL:
        result->answer = MILP_NO_SOLUTION;
        result->out_of_memory = true;
        error_set(&result->error, "it found no more memory");
        if (limits->memory_mib > 0)
            error_set(&result->error, "it found no more memory within its limit of %" PRId64 " MiB",
                      limits->memory_mib);
        break;
    case MILP_CHILD_STOPPED:
        result->answer = MILP_NO_SOLUTION;
        error_set(&result->error, "it was asked to stop");
        break;
    case MILP_CHILD_BROKEN:
        result->error = reply->error;
        break;
    }
}

/* The problem for the back end: `problem`, or an equivalent that the back end understands. The
 * columns of `problem` come first in both. NULL, with `error` set, if there is no equivalent. */
static const struct milp_problem *translate(const struct milp_solver *solver, milp_t *self,
                                            const struct milp_problem *problem, struct error *error)
{
    milp_t *plain;

    if (problem->sets == 0 || solver->knows_sets)
        return problem;
    plain = milp_plain(self);
    return milp_spell_out_sets(problem, plain, error) < 0 ? NULL : milp_problem(plain);
}

/* Has the back end work on the problem, in a child or in the server of the model. */
static enum milp_child_end run(const struct milp_solver *solver, milp_t *self,
                               const struct milp_problem *given, const struct milp_limits *asked,
                               double deadline_s, struct milp_reply *reply)
{
    milp_server_t *server = milp_server(self);
    enum milp_child_end how;

    if (!server || given->sets > 0)
        return milp_child_run(milp_child(self), solver, given, asked, deadline_s, reply);
    how = milp_server_run(server, solver, given, asked, deadline_s, reply);
    if (how == MILP_CHILD_ANSWERED)
        milp_keep_answer(self, reply);
    return how;
}

/* The solve of a problem that makes sense, which began at `began_s`. */
static void solve_checked(const struct milp_solver *solver, milp_t *self,
                          const struct milp_problem *problem, const struct milp_limits *limits,
                          double began_s, struct milp_result *result)
{
    const struct milp_problem *given = translate(solver, self, problem, &result->error);
    const bool timed = limits->seconds > 0;
    const double built_s = clock_s();
    struct milp_limits asked = *limits;
    struct milp_reply reply;
    enum milp_child_end how;
    bool late;

    if (!given)
        return;
    if (timed)
        asked.seconds = fmax(ASKED_SHARE * limits->seconds - (built_s - began_s), 1e-3);
    how = run(solver, self, given, &asked,
              timed ? began_s + ENDED_SHARE * limits->seconds : INFINITY, &reply);
    late = timed && clock_s() - built_s >= PROOF_SHARE * asked.seconds;
    judge(problem, limits, how, late, &reply, result);
    result->build_seconds = built_s - began_s + reply.build_seconds;
}

void milp_solve(const struct milp_solver *solver, milp_t *self, const struct milp_limits *limits,
                struct milp_result *result)
{
    const double began_s = clock_s();
    const struct milp_problem *problem = milp_problem(self);

    assert(limits->seed >= 0);
    empty_result(problem, result);
    if (milp_check_problem(problem, &result->error) == 0) {
        solve_checked(solver, self, problem, limits, began_s, result);
        if (result->error.text[0])
            error_prefix(&result->error, solver->name);
    }
    result->seconds = clock_s() - began_s;
}
