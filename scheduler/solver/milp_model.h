/* milp_model.h - the data of a model while it is built and changed. */
#ifndef SOLVER_MILP_MODEL_H
#define SOLVER_MILP_MODEL_H

#include "common/memory.h"
#include "scheduler/solver/milp_child.h"
#include "scheduler/solver/milp_server.h"
#include "scheduler/solver/milp_solver.h"

struct column {
    double lower;
    double upper;
    double objective;
    double start;
    bool integer;
    bool has_start;
    unsigned char basis; /* enum milp_basis */
    int first_term;      /* first term in its list through `next`, -1 for none */
    int last_term;
};

struct row {
    double lower;
    double upper;
    unsigned char basis; /* enum milp_basis */
};

struct term {
    int row;
    int column;
    int next; /* next term of the same column, -1 at the end */
    double coefficient;
};

struct set {
    int type;
    size_t first; /* index of its first member */
    size_t count;
};

struct milp {
    bool maximise;
    struct column *columns;
    size_t column_count;
    size_t column_capacity;
    struct row *rows;
    size_t row_count;
    size_t row_capacity;
    struct term *terms;
    size_t term_count;
    size_t term_capacity;
    struct set *sets;
    size_t set_count;
    size_t set_capacity;
    int *members;
    size_t member_count;
    size_t member_capacity;
    bool assembled;
    arena_t *arena; /* the arrays of `problem` */
    struct milp_problem problem;
    milp_child_t *child;
    milp_server_t *server; /* NULL: each solve has a process of its own */
    double *answer;        /* copied out of the server's memory, which several models share */
    size_t answer_capacity;
    milp_t *plain;
};

#endif
