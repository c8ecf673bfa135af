/* milp_problem.c - the arrays that a back end reads, made of a model. See milp_solver.h. */
#include "scheduler/solver/milp_model.h"

#include <string.h>

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

/* The index of the first term of each row in the order of rows: rows + 1 numbers. */
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

/* The terms by column and, within a column, by row: two stable counting sorts. Afterwards the entry
 * of each column in `begin` is the first term of the next column. */
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

static void assemble_basis(milp_t *self)
{
    unsigned char *basis = arena_alloc(self->arena, self->column_count + self->row_count + 1);

    milp_get_basis(self, basis);
    self->problem.basis = basis;
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
    assemble_basis(self);
    self->assembled = true;
    return &self->problem;
}
