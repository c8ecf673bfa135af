/* milp.c - a model while it is built and changed. See milp.h. */
#include "scheduler/solver/milp_model.h"
#include "scheduler/solver/milp_sets.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    free((*self)->answer);
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
    self->columns[at] = (struct column){.lower = lower,
                                        .upper = upper,
                                        .objective = objective,
                                        .integer = integer,
                                        .basis = MILP_NO_BASIS,
                                        .first_term = -1,
                                        .last_term = -1};
    self->column_count++;
    self->assembled = false;
    return (int)at;
}

int milp_add_row(milp_t *self, double lower, double upper)
{
    const size_t at = self->row_count;

    assert(at < INT_MAX);
    self->rows = grow_array(self->rows, at, &self->row_capacity, sizeof(self->rows[0]));
    self->rows[at] = (struct row){lower, upper, MILP_NO_BASIS};
    self->row_count++;
    self->assembled = false;
    return (int)at;
}

/* Appends the term at `at` to the terms of its column. */
static void link_term(milp_t *self, size_t at)
{
    struct column *column = &self->columns[self->terms[at].column];

    self->terms[at].next = -1;
    if (column->first_term < 0)
        column->first_term = (int)at;
    else
        self->terms[column->last_term].next = (int)at;
    column->last_term = (int)at;
}

void milp_add_term(milp_t *self, int row, int column, double coefficient)
{
    const size_t at = self->term_count;

    assert(row >= 0 && (size_t)row < self->row_count);
    assert(column >= 0 && (size_t)column < self->column_count);
    assert(at < INT_MAX);
    self->terms = grow_array(self->terms, at, &self->term_capacity, sizeof(self->terms[0]));
    self->terms[at] = (struct term){.row = row, .column = column, .coefficient = coefficient};
    self->term_count++;
    link_term(self, at);
    self->assembled = false;
}

void milp_set_term(milp_t *self, int row, int column, double coefficient)
{
    bool found = false;

    assert(row >= 0 && (size_t)row < self->row_count);
    for (int at = column_at(self, column)->first_term; at >= 0; at = self->terms[at].next) {
        if (self->terms[at].row != row)
            continue;
        self->terms[at].coefficient = found ? 0 : coefficient;
        found = true;
    }
    if (!found)
        milp_add_term(self, row, column, coefficient);
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

/* The new index of `at` after the `count` elements from `first` on are taken out; -1 for these
 * elements. */
static int moved(int at, int first, int count)
{
    if (at < first)
        return at;
    return at < first + count ? -1 : at - count;
}

/* Keeps the terms whose row and column stay, under their new numbers. */
static void remove_terms(milp_t *self, int first_row, int rows, int first_column, int columns)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->column_count; i++)
        self->columns[i].first_term = self->columns[i].last_term = -1;
    for (size_t i = 0; i < self->term_count; i++) {
        struct term term = self->terms[i];

        term.row = moved(term.row, first_row, rows);
        term.column = moved(term.column, first_column, columns);
        if (term.row < 0 || term.column < 0)
            continue;
        self->terms[kept] = term;
        link_term(self, kept++);
    }
    self->term_count = kept;
    self->assembled = false;
}

static void remove_members(milp_t *self, int first, int count)
{
    size_t kept = 0;

    for (size_t i = 0; i < self->set_count; i++) {
        const struct set set = self->sets[i];

        self->sets[i].first = kept;
        for (size_t j = set.first; j < set.first + set.count; j++) {
            const int column = moved(self->members[j], first, count);

            if (column >= 0)
                self->members[kept++] = column;
        }
        self->sets[i].count = kept - self->sets[i].first;
    }
    self->member_count = kept;
}

void milp_remove_columns(milp_t *self, int first, int count)
{
    const size_t end = (size_t)first + (size_t)count;

    assert(first >= 0 && count >= 0 && end <= self->column_count);
    if (count == 0)
        return;
    memmove(&self->columns[first], &self->columns[end],
            (self->column_count - end) * sizeof(self->columns[0]));
    self->column_count -= (size_t)count;
    remove_terms(self, 0, 0, first, count);
    remove_members(self, first, count);
}

void milp_remove_rows(milp_t *self, int first, int count)
{
    const size_t end = (size_t)first + (size_t)count;

    assert(first >= 0 && count >= 0 && end <= self->row_count);
    if (count == 0)
        return;
    memmove(&self->rows[first], &self->rows[end], (self->row_count - end) * sizeof(self->rows[0]));
    self->row_count -= (size_t)count;
    remove_terms(self, first, count, 0, 0);
}

void milp_use_server(milp_t *self, milp_server_t *server)
{
    self->server = server;
}

milp_server_t *milp_server(const milp_t *self)
{
    return self->server;
}

void milp_keep_answer(milp_t *self, struct milp_reply *reply)
{
    const size_t columns = self->column_count;
    const size_t rows = self->row_count;

    self->answer = reserve_array(self->answer, 2 * columns + rows + 1, &self->answer_capacity,
                                 sizeof(self->answer[0]));
    memcpy(self->answer, reply->values, columns * sizeof(double));
    memcpy(self->answer + columns, reply->reduced_costs, columns * sizeof(double));
    memcpy(self->answer + 2 * columns, reply->row_duals, rows * sizeof(double));
    reply->values = self->answer;
    reply->reduced_costs = self->answer + columns;
    reply->row_duals = self->answer + 2 * columns;
    if (reply->has_basis)
        milp_set_basis(self, reply->basis);
    reply->basis = NULL;
}

void milp_set_basis(milp_t *self, const unsigned char *basis)
{
    for (size_t i = 0; i < self->column_count; i++)
        self->columns[i].basis = basis ? basis[i] : MILP_NO_BASIS;
    for (size_t i = 0; i < self->row_count; i++)
        self->rows[i].basis = basis ? basis[self->column_count + i] : MILP_NO_BASIS;
    self->assembled = false;
}

void milp_get_basis(const milp_t *self, unsigned char *basis)
{
    for (size_t i = 0; i < self->column_count; i++)
        basis[i] = self->columns[i].basis;
    for (size_t i = 0; i < self->row_count; i++)
        basis[self->column_count + i] = self->rows[i].basis;
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
    struct row *there = row_at(self, row);

    there->lower = lower;
    there->upper = upper;
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

const char *const milp_answer_names[MILP_ANSWERS + 1] = {
    [MILP_OPTIMAL] = "optimal",         [MILP_FEASIBLE] = "feasible",
    [MILP_INFEASIBLE] = "infeasible",   [MILP_UNBOUNDED] = "unbounded",
    [MILP_NO_SOLUTION] = "no-solution", [MILP_FAILED] = "failed",
};

const char *milp_answer_name(enum milp_answer answer)
{
    assert(answer >= 0 && answer < MILP_ANSWERS);
    return milp_answer_names[answer];
}
