/* milp_cbc.c - Cbc and Clp as a back end; no other file names them. See milp_solver.h.
 *
 * Models with whole numbers go to Cbc 2.10. Other models go straight to Clp, with which Cbc solves
 * its relaxations, as Cbc's own interface has no duals of rows. Each solve has a new object: a
 * second Cbc_solve of an object returns the old answer, and answers must not depend on earlier
 * solves. Sets are left to our own code: Cbc ignores sets in models without whole numbers, and
 * crashes or never ends on many other models with sets. */
#include "scheduler/solver/milp_solver.h"

#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct milp_solver milp_solver;

/* The clock of this object, which programs load. The object links nothing of the programs, so it
 * has its own clock and memory. */
static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *room(int count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static void say(struct milp_reply *reply, const char *what, int status)
{
    (void)snprintf(reply->error.text, sizeof(reply->error.text), "%s %d", what, status);
}

/* Cbc 2.10.8 aborts on models with one or two rows. Smaller models are filled up with empty rows
 * without bounds. */
#define FEWEST_ROWS 4

/* The problem in the arrays that both libraries load: minimised, with the libraries' own
 * infinities. */
struct coin {
    int rows; /* with the empty rows that fill the model up */
    double *column_lower;
    double *column_upper;
    double *objective;
    double *row_lower;
    double *row_upper;
};

static double coin_number(double number)
{
    return fmin(fmax(number, -DBL_MAX), DBL_MAX);
}

static struct coin coin_arrays(const struct milp_problem *problem)
{
    const int rows = problem->rows > FEWEST_ROWS ? problem->rows : FEWEST_ROWS;
    struct coin coin = {
        .rows = rows,
        .column_lower = room(problem->columns, sizeof(double)),
        .column_upper = room(problem->columns, sizeof(double)),
        .objective = room(problem->columns, sizeof(double)),
        .row_lower = room(rows, sizeof(double)),
        .row_upper = room(rows, sizeof(double)),
    };

    for (int i = 0; i < problem->columns; i++) {
        const bool whole = problem->integer[i];
        const double lower = problem->column_lower[i];
        const double upper = problem->column_upper[i];

        coin.column_lower[i] = coin_number(whole ? ceil(lower - MILP_TOLERANCE) : lower);
        coin.column_upper[i] = coin_number(whole ? floor(upper + MILP_TOLERANCE) : upper);
        coin.objective[i] = problem->maximise ? -problem->objective[i] : problem->objective[i];
    }
    for (int i = 0; i < rows; i++) {
        coin.row_lower[i] = i < problem->rows ? coin_number(problem->row_lower[i]) : -DBL_MAX;
        coin.row_upper[i] = i < problem->rows ? coin_number(problem->row_upper[i]) : DBL_MAX;
    }
    return coin;
}

static void coin_free(struct coin *coin)
{
    free(coin->column_lower);
    free(coin->column_upper);
    free(coin->objective);
    free(coin->row_lower);
    free(coin->row_upper);
}

/* A solve of the problem's objective, or of none, which asks only whether there is a point. */
struct attempt {
    const struct milp_problem *problem;
    const struct coin *coin;
    const double *objective; /* NULL for none */
    const struct milp_limits *limits;
    double began_s;
};

static double left_s(const struct attempt *attempt)
{
    return fmax(attempt->began_s + attempt->limits->seconds - now_s(), 1e-3);
}

static Clp_Simplex *clp_model(const struct attempt *attempt)
{
    const struct milp_problem *problem = attempt->problem;
    const struct coin *coin = attempt->coin;
    Clp_Simplex *model = Clp_newModel();

    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, problem->columns, problem->rows, problem->start, problem->row,
                    problem->coefficient, coin->column_lower, coin->column_upper,
                    attempt->objective, coin->row_lower, coin->row_upper);
    if (attempt->limits->seconds > 0)
        Clp_setMaximumSeconds(model, left_s(attempt));
    return model;
}

/* Clp's numbers for the states of columns and rows. */
#define CLP_FREE     0
#define CLP_BASIC    1
#define CLP_AT_UPPER 2
#define CLP_AT_LOWER 3

/* The state of a column or row outside of the basis. */
static int outside_basis(double lower, double upper, int wanted)
{
    if (wanted == CLP_AT_UPPER && upper < DBL_MAX)
        return CLP_AT_UPPER;
    if (lower > -DBL_MAX)
        return CLP_AT_LOWER;
    return upper < DBL_MAX ? CLP_AT_UPPER : CLP_FREE;
}

/* Sets the basis of a model. A basis has as many columns and rows as the model has rows. Columns
 * and rows that came or went since leave gaps, which rows outside of the basis fill, or a surplus,
 * which is cut. */
static void set_basis(const struct milp_problem *problem, Clp_Simplex *model)
{
    const unsigned char *basis = problem->basis;
    const unsigned char *row_basis = basis + problem->columns;
    const double *lower = Clp_rowLower(model);
    const double *upper = Clp_rowUpper(model);
    int missing = problem->rows;

    for (int i = 0; i < problem->columns; i++) {
        const bool basic = basis[i] == CLP_BASIC && missing > 0;

        missing -= basic;
        Clp_setColumnStatus(
            model, i,
            basic ? CLP_BASIC
                  : outside_basis(Clp_columnLower(model)[i], Clp_columnUpper(model)[i], basis[i]));
    }
    for (int i = 0; i < problem->rows; i++) {
        const bool basic =
            missing > 0 && (row_basis[i] == CLP_BASIC || row_basis[i] == MILP_NO_BASIS);

        missing -= basic;
        Clp_setRowStatus(model, i,
                         basic ? CLP_BASIC : outside_basis(lower[i], upper[i], row_basis[i]));
    }
    for (int i = 0; i < problem->rows && missing > 0; i++)
        if (Clp_getRowStatus(model, i) != CLP_BASIC) {
            Clp_setRowStatus(model, i, CLP_BASIC);
            missing--;
        }
}

static void take_clp_point(const struct attempt *attempt, Clp_Simplex *model,
                           struct milp_reply *reply)
{
    const size_t columns = (size_t)attempt->problem->columns;

    if (columns > 0)
        memcpy(reply->values, Clp_getColSolution(model), columns * sizeof(double));
}

static void take_clp_duals(const struct attempt *attempt, Clp_Simplex *model,
                           struct milp_reply *reply)
{
    const struct milp_problem *problem = attempt->problem;
    const double sign = problem->maximise ? -1 : 1;
    const double *duals = Clp_getRowPrice(model);
    const double *costs = Clp_getReducedCost(model);

    for (int i = 0; i < problem->rows; i++)
        reply->row_duals[i] = sign * duals[i];
    for (int i = 0; i < problem->columns; i++)
        reply->reduced_costs[i] = sign * costs[i];
    reply->has_duals = true;
}

static enum milp_answer clp_answer(Clp_Simplex *model)
{
    switch (Clp_status(model)) {
    case 0:
        return MILP_OPTIMAL;
    case 1:
        return MILP_INFEASIBLE;
    case 2:
        return MILP_UNBOUNDED; /* if a point exists at all */
    case 3:
        return Clp_primalFeasible(model) ? MILP_FEASIBLE : MILP_NO_SOLUTION;
    default: /* secondary status 6: no row has a term, so the model looks both infeasible and
                unbounded */
        return Clp_secondaryStatus(model) == 6 ? MILP_UNBOUNDED : MILP_FAILED;
    }
}

/* Whether a dual fits its row or column: a dual differs from 0 only where a bound holds. */
static bool is_held(double dual, double value, double lower, double upper)
{
    const double bound = dual > 0 ? lower : upper;

    return fabs(dual) <= MILP_TOLERANCE ||
           fabs(value - bound) <= MILP_TOLERANCE * fmax(1, fabs(value));
}

/* Whether Clp's duals prove its point. Clp calls some unbounded models optimal, whose duals prove
 * nothing. */
static bool is_proven(const struct attempt *attempt, Clp_Simplex *model)
{
    const struct milp_problem *problem = attempt->problem;
    const struct coin *coin = attempt->coin;
    const double *costs = Clp_getReducedCost(model);
    const double *values = Clp_getColSolution(model);
    const double *duals = Clp_getRowPrice(model);
    const double *sums = Clp_getRowActivity(model);

    for (int i = 0; i < problem->columns; i++)
        if (!is_held(costs[i], values[i], coin->column_lower[i], coin->column_upper[i]))
            return false;
    for (int i = 0; i < problem->rows; i++)
        if (!is_held(duals[i], sums[i], coin->row_lower[i], coin->row_upper[i]))
            return false;
    return true;
}

static void take_basis(const struct attempt *attempt, Clp_Simplex *model, struct milp_reply *reply)
{
    const struct milp_problem *problem = attempt->problem;

    if (!reply->basis)
        return;
    for (int i = 0; i < problem->columns; i++)
        reply->basis[i] = (unsigned char)Clp_getColumnStatus(model, i);
    for (int i = 0; i < problem->rows; i++)
        reply->basis[problem->columns + i] = (unsigned char)Clp_getRowStatus(model, i);
    reply->has_basis = true;
}

static enum milp_answer read_clp(const struct attempt *attempt, Clp_Simplex *model,
                                 struct milp_reply *reply)
{
    enum milp_answer answer = clp_answer(model);

    if (answer == MILP_FAILED)
        say(reply, "Clp ended with status", Clp_status(model));
    if (answer == MILP_OPTIMAL && !is_proven(attempt, model)) {
        say(reply, "Clp's duals do not prove its point, status", Clp_status(model));
        answer = MILP_FAILED;
    }
    if (answer == MILP_OPTIMAL || answer == MILP_FEASIBLE)
        take_clp_point(attempt, model, reply);
    if (answer == MILP_OPTIMAL) {
        reply->bound = (attempt->problem->maximise ? -1 : 1) * Clp_getObjValue(model);
        take_clp_duals(attempt, model, reply);
        take_basis(attempt, model, reply);
    }
    return answer;
}

/* Runs an algorithm of Clp on the attempt, from the basis of the problem if `warm`. */
static enum milp_answer run_clp(const struct attempt *attempt, int (*run)(Clp_Simplex *), bool warm,
                                struct milp_reply *reply)
{
    Clp_Simplex *model = clp_model(attempt);
    enum milp_answer answer;

    if (warm)
        set_basis(attempt->problem, model);
    if (attempt->objective == attempt->coin->objective)
        reply->build_seconds = now_s() - attempt->began_s;
    (void)run(model);
    answer = read_clp(attempt, model, reply);
    Clp_deleteModel(model);
    return answer;
}

static int run_primal(Clp_Simplex *model)
{
    return Clp_primal(model, 0);
}

static int run_dual(Clp_Simplex *model)
{
    return Clp_dual(model, 0);
}

static bool has_basis(const struct milp_problem *problem)
{
    for (int i = 0; i < problem->columns + problem->rows; i++)
        if (problem->basis[i] == CLP_BASIC)
            return true;
    return false;
}

/* Solves a linear program, first from the basis if there is one. A proven optimum is an optimum
 * wherever the search began. Any other answer from a basis is asked again without the basis. */
static enum milp_answer solve_linear(const struct attempt *attempt, struct milp_reply *reply)
{
    enum milp_answer answer = MILP_FAILED;

    if (has_basis(attempt->problem))
        answer = run_clp(attempt, run_dual, true, reply);
    if (answer != MILP_OPTIMAL) {
        reply->error.text[0] = '\0';
        answer = run_clp(attempt, Clp_initialSolve, false, reply);
    }
    if (answer != MILP_FAILED)
        return answer;
    reply->error.text[0] = '\0';
    return run_clp(attempt, run_primal, false, reply); /* without Clp's presolve */
}

static void set_integers(const struct milp_problem *problem, Cbc_Model *model)
{
    for (int i = 0; i < problem->columns; i++)
        if (problem->integer[i])
            Cbc_setInteger(model, i);
}

static void set_number(Cbc_Model *model, const char *name, double value)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.17g", value);
    Cbc_setParameter(model, name, text);
}

/* Sets the limits. Proofs go without probing and the preprocessing that builds on it: with them,
 * one in 200 small random models that have a point is called infeasible, or gets a worse point as
 * optimal. */
static void set_limits(const struct attempt *attempt, Cbc_Model *model)
{
    const struct milp_limits *limits = attempt->limits;

    Cbc_setParameter(model, "log", "0");
    Cbc_setParameter(model, "threads", "0");
    if (!limits->unproven) {
        Cbc_setParameter(model, "preprocess", "off");
        Cbc_setParameter(model, "probing", "off");
    }
    set_number(model, "increment",
               1e-9); /* otherwise Cbc does not look for the last 1e-5 of the optimum */
    set_number(model, "randomSeed", limits->seed + 1); /* 0 asks the clock */
    set_number(model, "randomCbcSeed", limits->seed + 1);
    if (limits->seconds > 0) {
        Cbc_setParameter(model, "timeMode", "elapsed");
        Cbc_setMaximumSeconds(model, left_s(attempt));
    }
    if (limits->nodes > 0)
        Cbc_setMaximumNodes(model, (int)(limits->nodes < INT_MAX ? limits->nodes : INT_MAX));
    if (limits->gap_absolute > 0) /* Cbc_setAllowableGap has no effect on Cbc_solve */
        set_number(model, "allowableGap", limits->gap_absolute);
    if (limits->gap_relative > 0)
        set_number(model, "ratioGap", limits->gap_relative);
}

/* An empty model. Making a model takes half a millisecond, as long as filling it with ten thousand
 * columns, so this model is made once, when this object is loaded, and each process that solves
 * inherits it. */
static Cbc_Model *empty;

__attribute__((constructor)) static void make_empty(void)
{
    empty = Cbc_newModel();
}

static Cbc_Model *take_empty(void)
{
    Cbc_Model *model = empty ? empty : Cbc_newModel();

    empty = NULL;
    return model;
}

static Cbc_Model *cbc_model(const struct attempt *attempt)
{
    const struct milp_problem *problem = attempt->problem;
    const struct coin *coin = attempt->coin;
    Cbc_Model *model = take_empty();

    Cbc_loadProblem(model, problem->columns, coin->rows, problem->start, problem->row,
                    problem->coefficient, coin->column_lower, coin->column_upper,
                    attempt->objective, coin->row_lower, coin->row_upper);
    set_integers(problem, model);
    if (problem->starts > 0)
        Cbc_setMIPStartI(model, problem->starts, problem->start_column, problem->start_value);
    set_limits(attempt, model);
    return model;
}

static enum milp_answer cbc_answer(Cbc_Model *model)
{
    if (Cbc_bestSolution(model)) /* Cbc_getColSolution returns something even without a solution */
        return Cbc_isProvenOptimal(model) ? MILP_OPTIMAL : MILP_FEASIBLE;
    if (Cbc_isContinuousUnbounded(model))
        return MILP_UNBOUNDED; /* if a point exists at all */
    if (Cbc_isProvenInfeasible(model))
        return MILP_INFEASIBLE;
    return Cbc_status(model) == 1 ? MILP_NO_SOLUTION : MILP_FAILED;
}

/* The value that no point is better than, in a minimisation. */
static double cbc_bound(const struct attempt *attempt, Cbc_Model *model, enum milp_answer answer)
{
    const struct milp_limits *limits = attempt->limits;
    const double objective = Cbc_getObjValue(model);
    const double bound = Cbc_getBestPossibleObjValue(model);
    const double allowed = fmax(limits->gap_absolute, limits->gap_relative * fabs(objective));

    if (answer == MILP_OPTIMAL)
        return fmin(fmax(bound, objective - fmax(allowed, 0)), objective);
    return fabs(bound) < 1e40 ? fmin(bound, objective) : -MILP_INFINITY;
}

static enum milp_answer solve_whole(const struct attempt *attempt, struct milp_reply *reply)
{
    const struct milp_problem *problem = attempt->problem;
    Cbc_Model *model = cbc_model(attempt);
    enum milp_answer answer;

    if (attempt->objective == attempt->coin->objective)
        reply->build_seconds = now_s() - attempt->began_s;
    (void)Cbc_solve(model); /* the result is always the same */
    answer = cbc_answer(model);
    reply->nodes += Cbc_getNodeCount(model);
    if (answer == MILP_OPTIMAL || answer == MILP_FEASIBLE) {
        memcpy(reply->values, Cbc_bestSolution(model), (size_t)problem->columns * sizeof(double));
        reply->bound = (problem->maximise ? -1 : 1) * cbc_bound(attempt, model, answer);
    }
    if (answer == MILP_FAILED)
        say(reply, "Cbc ended with status", Cbc_status(model));
    return answer;
}

static bool has_integers(const struct milp_problem *problem)
{
    for (int i = 0; i < problem->columns; i++)
        if (problem->integer[i])
            return true;
    return false;
}

static enum milp_answer solve_attempt(const struct attempt *attempt, struct milp_reply *reply)
{
    return has_integers(attempt->problem) ? solve_whole(attempt, reply)
                                          : solve_linear(attempt, reply);
}

/* Whether the objective may grow without end, as far as the bounds of columns tell. */
static bool may_be_unbounded(const struct attempt *attempt)
{
    for (int i = 0; i < attempt->problem->columns; i++)
        if ((attempt->objective[i] < 0 && attempt->coin->column_upper[i] == DBL_MAX) ||
            (attempt->objective[i] > 0 && attempt->coin->column_lower[i] == -DBL_MAX))
            return true;
    return false;
}

/* Tells "infeasible" and "unbounded" apart. Presolvers mix them up, as they see only that one of
 * the two is true. A solve without an objective shows whether there is a point. */
static enum milp_answer tell_apart(const struct attempt *attempt, struct milp_reply *reply)
{
    double *nothing = room(attempt->problem->columns, sizeof(double));
    struct attempt any = *attempt;
    enum milp_answer answer;

    any.objective = nothing;
    answer = solve_attempt(&any, reply);
    free(nothing);
    reply->has_basis = false;
    switch (answer) {
    case MILP_OPTIMAL:
    case MILP_FEASIBLE:
        return MILP_UNBOUNDED;
    case MILP_INFEASIBLE:
        return MILP_INFEASIBLE;
    case MILP_NO_SOLUTION:
        return MILP_NO_SOLUTION;
    default:
        return MILP_FAILED;
    }
}

static void solve(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply)
{
    const double began_s = now_s();
    struct coin coin = coin_arrays(problem);
    const struct attempt attempt = {
        .problem = problem,
        .coin = &coin,
        .objective = coin.objective,
        .limits = limits,
        .began_s = began_s,
    };

    reply->answer = solve_attempt(&attempt, reply);
    if ((reply->answer == MILP_INFEASIBLE || reply->answer == MILP_UNBOUNDED) &&
        may_be_unbounded(&attempt))
        reply->answer = tell_apart(&attempt, reply);
    coin_free(&coin);
}

const struct milp_solver milp_solver = {
    .name = "cbc",
    .stays = true,
    .solve = solve,
};
