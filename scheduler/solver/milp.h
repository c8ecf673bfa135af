/* milp.h - mixed integer linear programs: a model, its limits, and the result of a solve.
 *
 *     minimise or maximise   sum of objective * x
 *     subject to             row lower <= sum of coefficient * x <= row upper
 *                            column lower <= x <= column upper, some x whole
 *                            special ordered sets
 *
 * It names no solver and is shaped by no policy. A back end (milp_solver.h) does the work in a
 * child process, so that its faults do no harm: the process is ended at the limit, its crash is an
 * answer, and its point is checked here before use. */
#ifndef SOLVER_MILP_H
#define SOLVER_MILP_H

#include "common/error.h"
#include "common/stop.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct milp milp_t;
typedef struct milp_server milp_server_t;
struct milp_solver;

#define MILP_INFINITY HUGE_VAL

/* The largest finite number, either sign: up to here doubles hold every whole number. */
#define MILP_LARGEST 1e15

/* The tolerance of a point. A whole number may be off by this much; a bound by this much times the
 * largest of 1, the bound and, for rows, the terms that add up to the row. Points are equally good
 * if they differ in worth by less than this times the largest of 1 and the terms of the
 * objective. */
#define MILP_TOLERANCE 1e-6

/* An empty model, to be minimised. A model can be solved many times, and changed in between. */
milp_t *milp_new(void);
void milp_destroy(milp_t **self);

/* Empties the model and keeps its memory for reuse. */
void milp_clear(milp_t *self);

void milp_set_maximise(milp_t *self, bool maximise);

/* Adds a column or row and returns its index, counted from 0. Any double is accepted here:
 * milp_solve() reports invalid numbers. */
int milp_add_column(milp_t *self, double lower, double upper, double objective, bool integer);
int milp_add_row(milp_t *self, double lower, double upper);

/* Adds `coefficient` to the coefficient of `column` in `row`, which is 0 at first. Both exist. */
void milp_add_term(milp_t *self, int row, int column, double coefficient);

/* Adds a special ordered set: of `columns`, in this order, at most one (type 1) or two neighbours
 * (type 2) may differ from 0. The array is copied. Most back ends need finite bounds for these
 * columns. */
void milp_add_sos(milp_t *self, int type, const int columns[], int count);

/* Change existing bounds, coefficients and terms. A missing term is added. */
void milp_set_bounds(milp_t *self, int column, double lower, double upper);
void milp_set_objective(milp_t *self, int column, double objective);
void milp_set_row(milp_t *self, int row, double lower, double upper);
void milp_set_term(milp_t *self, int row, int column, double coefficient);

/* Remove `count` columns, or rows, from `first` on, with their terms and from all sets. Later
 * columns, or rows, get lower indices. */
void milp_remove_columns(milp_t *self, int first, int count);
void milp_remove_rows(milp_t *self, int first, int count);

/* Sets the value of `column` in the point to start from, which may be known in part. The value must
 * be within the bounds. A back end may ignore the point. */
void milp_set_start(milp_t *self, int column, double value);
void milp_clear_start(milp_t *self);

/* Sends the solves of this model to `server` (milp_server.h), which is borrowed, from now on. With
 * NULL, as at first, each solve has a process of its own. With a server a linear program starts
 * from the basis of the program before, as far as its columns and rows still exist. */
void milp_use_server(milp_t *self, milp_server_t *server);

/* The basis that the next linear program starts from: a byte for each column, then one for each
 * row, whose meaning is the back end's. A policy that keeps the basis keeps its decisions: an
 * optimum of many equally good points depends on where the search starts. Setting NULL forgets the
 * basis. */
#define MILP_NO_BASIS 255
void milp_get_basis(const milp_t *self, unsigned char *basis);
void milp_set_basis(milp_t *self, const unsigned char *basis);

int milp_columns(const milp_t *self);
int milp_rows(const milp_t *self);

/* The limits of a solve. With 0 everywhere the solve looks for a proof without end. */
struct milp_limits {
    /* Elapsed seconds of all of milp_solve(), kept within a tenth or 20 ms; 0 for no limit. With a
     * limit, equal runs may give different answers. */
    double seconds;
    double gap_absolute; /* a point is good enough if no point is better by more than this */
    double gap_relative; /* ... or by more than this times the point's own worth */
    int64_t nodes;       /* of the search tree, 0 for no limit; equal runs stop at equal points */
    int64_t memory_mib;  /* memory of a back end beside the caller's, 0 for no limit */
    /* Allows shortcuts that are many times as fast and sometimes wrong. The best answer is then
     * MILP_FEASIBLE, without a bound, or MILP_NO_SOLUTION. For callers that have a bound of their
     * own. */
    bool unproven;
    int seed;                /* >= 0; the same model and seed give the same point */
    const struct stop *stop; /* asked five times a second; NULL for none */
};

enum milp_answer {
    MILP_OPTIMAL,     /* a point; no other point is better by more than the gaps allow */
    MILP_FEASIBLE,    /* a point, after a limit or without a wanted proof; see bound and gap */
    MILP_INFEASIBLE,  /* proven: no point exists */
    MILP_UNBOUNDED,   /* points have no best one: the objective is unbounded */
    MILP_NO_SOLUTION, /* a limit was reached before a point was found */
    MILP_FAILED,      /* `error` says why: an invalid model, or a faulty solver */
};

#define MILP_ANSWERS 6

/* "optimal", "feasible", "infeasible", "unbounded", "no-solution", "failed", and a NULL at the
 * end. */
extern const char *const milp_answer_names[MILP_ANSWERS + 1];
const char *milp_answer_name(enum milp_answer answer);

/* The result of a solve. The arrays belong to the model and last until the model is next solved,
 * cleared or destroyed.
 *
 * Duals exist for an optimal model of continuous columns without sets. The dual of a row says by
 * how much the stated objective grows for each unit by which the row's binding bound is raised. In
 * a minimisation the dual is >= 0 where the lower bound binds, <= 0 where the upper bound binds,
 * and 0 where neither binds; in a maximisation the signs are swapped. The reduced cost of a column
 * is the dual of the column's bounds: its objective less the sum of coefficient * dual over its
 * rows. At the optimum
 *
 * objective = sum of dual * bound over the rows + sum of reduced cost * bound over the columns. */
struct milp_result {
    enum milp_answer answer;
    double objective;     /* objective of the point; NaN without a point */
    double bound;         /* no point is better than this; infinite if unknown */
    double gap;           /* |objective - bound|; infinite if either is unknown */
    const double *values; /* value of each column, whole where required, within bounds; or NULL */
    const double *row_duals;     /* a dual for each row, or NULL */
    const double *reduced_costs; /* a reduced cost for each column, or NULL */
    int64_t nodes;               /* nodes of the search tree */
    double seconds;              /* elapsed, from model to answer */
    bool out_of_memory; /* MILP_NO_SOLUTION: limits.memory_mib is reached, or all memory is taken */
    double build_seconds; /* part of `seconds`: time to check the model and to build the back end's
                             own */
    struct error error;   /* a sentence about an answer that is not optimal, or "" */
};

/* Solves the model with a back end. Every call has an answer. An invalid model (a NaN or a number
 * out of range, bounds that cross, an empty set or a set with a column twice) is answered with
 * MILP_FAILED, and the error names row or column. */
void milp_solve(const struct milp_solver *solver, milp_t *self, const struct milp_limits *limits,
                struct milp_result *result);

#endif
