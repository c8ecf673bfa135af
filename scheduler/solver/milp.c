/* milp.c - a model as it is put together, and the arrays that a back end reads. See milp.h. */
#include "scheduler/solver/milp.h"

#include "common/memory.h"
#include "scheduler/solver/milp_child.h"
#include "scheduler/solver/milp_sets.h"
#include "scheduler/solver/milp_solver.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct column {
    double lower;
    double upper;
    double objective;
    double start;
    bool integer;
    bool has_start;
};

struct row {
    double lower;
    double upper;
};

struct term {
    int row;
    int column;
    double coefficient;
};

struct set {
    int type;
    size_t first; /* of its members */
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
    milp_t *plain;
};

milp_t *milp_new(void)
{
    milp_t *self = xcalloc(1, sizeof(*self));

    self->arena = arena_new();
    self->child = milp_child_new();
    return self;
}

void milp_destroy(milp_t **self)
{
    if (!*self)
        return;
    milp_destroy(&(*self)->plain);
    milp_child_destroy(&(*self)->child);
    arena_destroy(&(*self)->arena);
    free((*self)->columns);
    free((*self)->rows);
    free((*self)->terms);
    free((*self)->sets);
    free((*self)->members);
    free(*self);
    *self = NULL;
}

void milp_clear(milp_t *self)
{
    self->maximise = false;
    self->column_count = 0;
    self->row_count = 0;
    self->term_count = 0;
    self->set_count = 0;
    self->member_count = 0;
    self->assembled = false;
}

int milp_columns(const milp_t *self)
{
    return (int)self->column_count;
}

int milp_rows(const milp_t *self)
{
    return (int)self->row_count;
}

milp_child_t *milp_child(milp_t *self)
{
    return self->child;
}

milp_t *milp_plain(milp_t *self)
{
    if (!self->plain)
        self->plain = milp_new();
    return self->plain;
}

static struct column *column_at(milp_t *self, int column)
{
    assert(column >= 0 && (size_t)column < self->column_count);
    self->assembled = false;
    return &self->columns[column];
}

static struct row *row_at(milp_t *self, int row)
{
    assert(row >= 0 && (size_t)row < self->row_count);
    self->assembled = false;
    return &self->rows[row];
}

void milp_set_maximise(milp_t *self, bool maximise)
{
    self->maximise = maximise;
    self->assembled = false;
}

int milp_add_column(milp_t *self, double lower, double upper, double objective, bool integer)
{
    const size_t at = self->column_count;

    assert(at < INT_MAX);
    self->columns = grow_array(self->columns, at, &self->column_capacity, sizeof(self->columns[0]));
    self->columns[at] =
        (struct column){.lower = lower, .upper = upper, .objective = objective, .integer = integer};
    self->column_count++;
    self->assembled = false;
    return (int)at;
}

int milp_add_row(milp_t *self, double lower, double upper)
{
    const size_t at = self->row_count;

    assert(at < INT_MAX);
    self->rows = grow_array(self->rows, at, &self->row_capacity, sizeof(self->rows[0]));
    self->rows[at] = (struct row){lower, upper};
    self->row_count++;
    self->assembled = false;
    return (int)at;
}

void milp_add_term(milp_t *self, int row, int column, double coefficient)
{
    const size_t at = self->term_count;

    assert(row >= 0 && (size_t)row < self->row_count);
    assert(column >= 0 && (size_t)column < self->column_count);
    assert(at < INT_MAX);
    self->terms = grow_array(self->terms, at, &self->term_capacity, sizeof(self->terms[0]));
    self->terms[at] = (struct term){row, column, coefficient};
    self->term_count++;
    self->assembled = false;
}

void milp_add_sos(milp_t *self, int type, const int columns[], int count)
{
    assert(type == 1 || type == 2);
    assert(count >= 0 && self->member_count + (size_t)count <= INT_MAX);
    self->sets =
        grow_array(self->sets, self->set_count, &self->set_capacity, sizeof(self->sets[0]));
    self->sets[self->set_count++] = (struct set){type, self->member_count, (size_t)count};
    for (int i = 0; i < count; i++) {
        assert(columns[i] >= 0 && (size_t)columns[i] < self->column_count);
        self->members = grow_array(self->members, self->member_count, &self->member_capacity,
                                   sizeof(self->members[0]));
        self->members[self->member_count++] = columns[i];
    }
    self->assembled = false;
}

void milp_set_bounds(milp_t *self, int column, double lower, double upper)
{
    struct column *there = column_at(self, column);

    there->lower = lower;
    there->upper = upper;
}

void milp_set_objective(milp_t *self, int column, double objective)
{
    column_at(self, column)->objective = objective;
}

void milp_set_row(milp_t *self, int row, double lower, double upper)
{
    *row_at(self, row) = (struct row){lower, upper};
}

void milp_set_start(milp_t *self, int column, double value)
{
    struct column *there = column_at(self, column);

    there->start = value;
    there->has_start = true;
}

void milp_clear_start(milp_t *self)
{
    for (size_t i = 0; i < self->column_count; i++)
        self->columns[i].has_start = false;
    self->assembled = false;
}

static void assemble_columns(milp_t *self)
{
    const size_t count = self->column_count;
    double *lower = arena_alloc(self->arena, count * sizeof(*lower));
    double *upper = arena_alloc(self->arena, count * sizeof(*upper));
    double *objective = arena_alloc(self->arena, count * sizeof(*objective));
    bool *integer = arena_alloc(self->arena, count * sizeof(*integer));
    int *start_column = arena_alloc(self->arena, count * sizeof(*start_column));
    double *start_value = arena_alloc(self->arena, count * sizeof(*start_value));
    int starts = 0;

    for (size_t i = 0; i < count; i++) {
        const struct column *column = &self->columns[i];

        lower[i] = column->lower;
        upper[i] = column->upper;
        objective[i] = column->objective;
        integer[i] = column->integer;
        if (column->has_start) {
            start_column[starts] = (int)i;
            start_value[starts++] = column->start;
        }
    }
    self->problem.columns = (int)count;
    self->problem.column_lower = lower;
    self->problem.column_upper = upper;
    self->problem.objective = objective;
    self->problem.integer = integer;
    self->problem.starts = starts;
    self->problem.start_column = start_column;
    self->problem.start_value = start_value;
}

static void assemble_rows(milp_t *self)
{
    const size_t count = self->row_count;
    double *lower = arena_alloc(self->arena, count * sizeof(*lower));
    double *upper = arena_alloc(self->arena, count * sizeof(*upper));

    for (size_t i = 0; i < count; i++) {
        lower[i] = self->rows[i].lower;
        upper[i] = self->rows[i].upper;
    }
    self->problem.rows = (int)count;
    self->problem.row_lower = lower;
    self->problem.row_upper = upper;
}

/* Where those of each row begin, once they are ordered by rows: rows + 1 numbers. */
static int *count_by_row(milp_t *self)
{
    int *begin = arena_alloc(self->arena, (self->row_count + 1) * sizeof(*begin));

    memset(begin, 0, (self->row_count + 1) * sizeof(*begin));
    for (size_t i = 0; i < self->term_count; i++)
        begin[self->terms[i].row + 1]++;
    for (size_t i = 0; i < self->row_count; i++)
        begin[i + 1] += begin[i];
    return begin;
}

static int *count_by_column(milp_t *self)
{
    int *begin = arena_alloc(self->arena, (self->column_count + 1) * sizeof(*begin));

    memset(begin, 0, (self->column_count + 1) * sizeof(*begin));
    for (size_t i = 0; i < self->term_count; i++)
        begin[self->terms[i].column + 1]++;
    for (size_t i = 0; i < self->column_count; i++)
        begin[i + 1] += begin[i];
    return begin;
}

/* The terms by column and, within a column, by row: two stable counting sorts. What stands at the
 * end of each column's share of `begin` afterwards is where that of the next begins. */
static const struct term *sort_terms(milp_t *self)
{
    const size_t bytes = self->term_count * sizeof(struct term);
    struct term *by_row = arena_alloc(self->arena, bytes);
    struct term *by_column = arena_alloc(self->arena, bytes);
    int *row_begin = count_by_row(self);
    int *column_begin = count_by_column(self);

    for (size_t i = 0; i < self->term_count; i++)
        by_row[row_begin[self->terms[i].row]++] = self->terms[i];
    for (size_t i = 0; i < self->term_count; i++)
        by_column[column_begin[by_row[i].column]++] = by_row[i];
    return by_column;
}

static void assemble_terms(milp_t *self)
{
    const size_t count = self->term_count;
    const struct term *terms = sort_terms(self);
    int *start = arena_alloc(self->arena, (self->column_count + 1) * sizeof(*start));
    int *row = arena_alloc(self->arena, count * sizeof(*row));
    double *coefficient = arena_alloc(self->arena, count * sizeof(*coefficient));
    size_t at = 0;
    int kept = 0;

    for (size_t column = 0; column < self->column_count; column++) {
        start[column] = kept;
        while (at < count && (size_t)terms[at].column == column) {
            const int same = terms[at].row;
            double sum = terms[at++].coefficient;

            while (at < count && (size_t)terms[at].column == column && terms[at].row == same)
                sum += terms[at++].coefficient;
            row[kept] = same;
            coefficient[kept] = sum;
            kept += sum != 0;
        }
    }
    start[self->column_count] = kept;
    self->problem.start = start;
    self->problem.row = row;
    self->problem.coefficient = coefficient;
}

static void assemble_sets(milp_t *self)
{
    const size_t count = self->set_count;
    int *type = arena_alloc(self->arena, count * sizeof(*type));
    int *start = arena_alloc(self->arena, (count + 1) * sizeof(*start));
    int *column = arena_alloc(self->arena, self->member_count * sizeof(*column));

    for (size_t i = 0; i < count; i++) {
        type[i] = self->sets[i].type;
        start[i] = (int)self->sets[i].first;
    }
    start[count] = (int)self->member_count;
    for (size_t i = 0; i < self->member_count; i++)
        column[i] = self->members[i];
    self->problem.sets = (int)count;
    self->problem.set_type = type;
    self->problem.set_start = start;
    self->problem.set_column = column;
}

const struct milp_problem *milp_problem(milp_t *self)
{
    if (self->assembled)
        return &self->problem;
    arena_reset(self->arena);
    self->problem.maximise = self->maximise;
    assemble_columns(self);
    assemble_rows(self);
    assemble_terms(self);
    assemble_sets(self);
    self->assembled = true;
    return &self->problem;
}

const char *milp_answer_name(enum milp_answer answer)
{
    static const char *const names[MILP_ANSWERS] = {
        [MILP_OPTIMAL] = "optimal",         [MILP_FEASIBLE] = "feasible",
        [MILP_INFEASIBLE] = "infeasible",   [MILP_UNBOUNDED] = "unbounded",
        [MILP_NO_SOLUTION] = "no-solution", [MILP_FAILED] = "failed",
    };

    assert(answer >= 0 && answer < MILP_ANSWERS);
    return names[answer];
}
