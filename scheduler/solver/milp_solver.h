/* milp_solver.h - the interface of a back end: one file that defines one `struct milp_solver`.
 *
 * It is built as an object of its own, lib/rubato/milp_NAME.so, in which the constant is called
 * `milp_solver`, and is loaded when it is first wanted (milp_find_solver): a solver's libraries
 * take longer to load than most simulations last. Beside that file it takes a target in
 * CMakeLists.txt, a line in cmake/Install.cmake, and its name where programs list solvers
 * (run/inputs.c). */
#ifndef SOLVER_MILP_SOLVER_H
#define SOLVER_MILP_SOLVER_H

#include "common/error.h"
#include "scheduler/solver/milp.h"

/* The model as a back end sees it: plain arrays, checked, lent for the call. */
struct milp_problem {
    bool maximise;
    int columns;
    int rows;
    const double *column_lower; /* one a column; +-MILP_INFINITY for no bound */
    const double *column_upper;
    const double *objective;
    const bool *integer;
    const double *row_lower; /* one a row; +-MILP_INFINITY for no bound */
    const double *row_upper;
    const int *start; /* columns + 1: the terms of column c are those from start[c] to start[c +
                         1], */
    const int *row;   /* ... by rising row, no row twice, */
    const double *coefficient; /* ... none of them 0 */
    int sets;
    const int *set_type;   /* 1 or 2 */
    const int *set_start;  /* sets + 1, as above, into */
    const int *set_column; /* ... the columns in their order */
    int starts;
    const int *start_column; /* `starts` columns with a value to start from */
    const double *start_value;
    const unsigned char *basis; /* start of a linear program, columns, then rows: the basis of an
                                   earlier answer; MILP_NO_BASIS for new ones */
};

/* The present model, unchecked; lent until it is next changed, solved or destroyed. */
const struct milp_problem *milp_problem(milp_t *self);

/* The reply of a back end. Answer, bound and error are those of struct milp_result. */
struct milp_reply {
    enum milp_answer answer; /* MILP_FAILED before the call */
    double bound;            /* infinite, so unknown, before the call */
    int64_t nodes;
    double *values;    /* room for one a column; to be filled for a feasible or optimal answer */
    double *row_duals; /* room for one a row and one a column; to be filled, and `has_duals` set, */
    double *reduced_costs; /* ... for an optimal answer to a model of continuous columns */
    bool has_duals;
    unsigned char *basis; /* room for one a column and row: to be filled, and `has_basis` set, for
                           * an optimal linear program; NULL: it is not wanted */
    bool has_basis;
    double build_seconds; /* time to build its own model */
    struct error error;
};

struct milp_solver {
    const char *name;
    bool knows_sets; /* supports sets; otherwise they are replaced by whole numbers */
    bool stays;      /* can solve linear programs one after the other, see below */

    /* Runs in a process of its own, which ends afterwards: it may crash, and need not free
     * anything. Only if `stays` is set, models of continuous columns without sets may be solved one
     * after the other in one process: then it frees what it takes, and an answer depends on nothing
     * but the problem and the limits. It is to stop by itself when `limits` are reached (they are
     * somewhat tighter than the caller's) so that it can hand over what it has; otherwise it is
     * ended. */
    void (*solve)(const struct milp_problem *problem, const struct milp_limits *limits,
                  struct milp_reply *reply);
};

/* The back end of that name, loaded if necessary. NULL, with `error` set, if there is no such back
 * end or a library is missing. */
const struct milp_solver *milp_find_solver(const char *name, struct error *error);

/* The file of the back end `name`: in the folder RUBATO_SOLVERS, else in the folder of objects.
 * NULL if there is none; the caller frees the path. */
char *milp_solver_path(const char *name);

#endif
