/* milp_solver.h - the interface of a back end: one file that defines one `struct milp_solver`.
 *
 * A back end is built as an object of its own, lib/rubato/milp_NAME.so, which calls the constant
 * `milp_solver`. The object is loaded on first use (milp_find_solver), as a solver's libraries take
 * longer to load than most simulations last. A new back end also needs a target in CMakeLists.txt,
 * a line in cmake/Install.cmake, and its name where programs list solvers (run/inputs.c). */
#ifndef SOLVER_MILP_SOLVER_H
#define SOLVER_MILP_SOLVER_H

#include "common/error.h"
#include "scheduler/solver/milp.h"

/* The model as a back end sees it: plain arrays, checked, lent for the call. */
struct milp_problem {
    bool maximise;
    int columns;
    int rows;
    const double *column_lower; /* a bound for each column; +-MILP_INFINITY for none */
    const double *column_upper;
    const double *objective;
    const bool *integer;
    const double *row_lower; /* a bound for each row; +-MILP_INFINITY for none */
    const double *row_upper;
    const int *start; /* columns + 1: the terms of column c are those from start[c] to start[c +
                         1], */
    const int *row;   /* ... by rising row, no row twice */
    const double *coefficient; /* ... no coefficient is 0 */
    int sets;
    const int *set_type;   /* 1 or 2 */
    const int *set_start;  /* sets + 1 entries: the columns of set s are from set_start[s] to
                              set_start[s + 1] */
    const int *set_column; /* ... in the order of the set */
    int starts;
    const int *start_column; /* `starts` columns with a value to start from */
    const double *start_value;
    const unsigned char *basis; /* start basis of a linear program, columns then rows, from an
                                   earlier answer; MILP_NO_BASIS for new columns and rows */
};

/* The present model, unchecked. The caller borrows it until it is next changed, solved or
 * destroyed. */
const struct milp_problem *milp_problem(milp_t *self);

/* The reply of a back end. `answer`, `bound` and `error` are as in struct milp_result. */
struct milp_reply {
    enum milp_answer answer; /* no answer before the call */
    double bound;            /* infinite, so unknown, before the call */
    int64_t nodes;
    double *values; /* room for a value a column; to be filled for a feasible or optimal answer */
    double *row_duals;     /* room for a dual a row; to be filled for an optimal answer */
    double *reduced_costs; /* ... to a model of continuous columns; room for a value a column */
    bool has_duals;
    unsigned char *basis; /* room for a byte a column and row; to be filled for an optimal linear
                             program; NULL: not wanted */
    bool has_basis;
    double build_seconds; /* time to build the back end's own model */
    struct error error;
};

struct milp_solver {
    const char *name;
    bool knows_sets; /* supports sets; without, whole numbers replace them */
    bool stays;      /* can solve linear programs one after the other, see `solve` */

    /* Runs in a process of its own, which ends afterwards, so the back end may crash and need not
     * free anything. If `stays` is set, a process may solve several models of continuous columns
     * without sets, one after the other. The back end then frees its memory, and an answer depends
     * only on the problem and the limits. The back end stops by itself when `limits` are reached,
     * which are somewhat tighter than the caller's, so that it can hand over its best point.
     * Otherwise the process is ended. */
    void (*solve)(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply);
};

/* The back end called `name`, loaded if necessary. NULL, with `error` set, if there is no such back
 * end or a library is missing. */
const struct milp_solver *milp_find_solver(const char *name, struct error *error);

/* The path of the object of the back end `name`, in the folder RUBATO_SOLVERS, or else in the
 * folder of objects. NULL if there is none; the caller frees the path. */
char *milp_solver_path(const char *name);

#endif
