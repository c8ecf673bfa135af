/* milp_packet.c - see milp_packet.h. */
#include "scheduler/solver/milp_packet.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The place of each array of a packet, in bytes after `arrays`. The arrays of the answer come
 * first. */
struct places {
    size_t values;
    size_t reduced_costs;
    size_t row_duals;
    size_t found_basis;
    size_t column_lower;
    size_t column_upper;
    size_t objective;
    size_t row_lower;
    size_t row_upper;
    size_t coefficient;
    size_t start_value;
    size_t start;
    size_t row;
    size_t start_column;
    size_t integer;
    size_t basis;
    size_t end;
};

/* The place of the next array, of `count` elements of `size` bytes; `end` moves behind the array.
 */
static size_t place(size_t *end, int count, size_t size)
{
    const size_t at = *end;

    *end += ((size_t)count * size + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return at;
}

static struct places places_of(const struct milp_problem *problem, int terms)
{
    const int columns = problem->columns;
    const int rows = problem->rows;
    size_t end = 0;
    struct places places;

    places.values = place(&end, columns, sizeof(double));
    places.reduced_costs = place(&end, columns, sizeof(double));
    places.row_duals = place(&end, rows, sizeof(double));
    places.found_basis = place(&end, columns + rows, 1);
    places.column_lower = place(&end, columns, sizeof(double));
    places.column_upper = place(&end, columns, sizeof(double));
    places.objective = place(&end, columns, sizeof(double));
    places.row_lower = place(&end, rows, sizeof(double));
    places.row_upper = place(&end, rows, sizeof(double));
    places.coefficient = place(&end, terms, sizeof(double));
    places.start_value = place(&end, problem->starts, sizeof(double));
    places.start = place(&end, columns + 1, sizeof(int));
    places.row = place(&end, terms, sizeof(int));
    places.start_column = place(&end, problem->starts, sizeof(int));
    places.integer = place(&end, columns, sizeof(bool));
    places.basis = place(&end, columns + rows, 1);
    places.end = end;
    return places;
}

size_t milp_packet_bytes(const struct milp_problem *problem)
{
    return sizeof(struct milp_packet) + places_of(problem, problem->start[problem->columns]).end;
}

static void *at(struct milp_packet *self, size_t place)
{
    return (char *)self->arrays + place;
}

static void put(struct milp_packet *self, size_t place, const void *from, int count, size_t size)
{
    if (count > 0)
        memcpy(at(self, place), from, (size_t)count * size);
}

static void write_columns(struct milp_packet *self, const struct places *places,
                          const struct milp_problem *problem)
{
    const int columns = problem->columns;

    put(self, places->column_lower, problem->column_lower, columns, sizeof(double));
    put(self, places->column_upper, problem->column_upper, columns, sizeof(double));
    put(self, places->objective, problem->objective, columns, sizeof(double));
    put(self, places->integer, problem->integer, columns, sizeof(bool));
    put(self, places->start_value, problem->start_value, problem->starts, sizeof(double));
    put(self, places->start_column, problem->start_column, problem->starts, sizeof(int));
}

void milp_packet_write(struct milp_packet *self, const struct milp_problem *problem,
                       const struct milp_limits *limits)
{
    const int terms = problem->start[problem->columns];
    const struct places places = places_of(problem, terms);
    const int numbers = 2 * problem->columns + problem->rows;

    assert(problem->sets == 0);
    memset(self, 0, sizeof(*self));
    self->term_count = terms;
    self->limits = *limits;
    self->limits.stop = NULL;
    self->problem = *problem;
    write_columns(self, &places, problem);
    put(self, places.row_lower, problem->row_lower, problem->rows, sizeof(double));
    put(self, places.row_upper, problem->row_upper, problem->rows, sizeof(double));
    put(self, places.start, problem->start, problem->columns + 1, sizeof(int));
    put(self, places.row, problem->row, terms, sizeof(int));
    put(self, places.coefficient, problem->coefficient, terms, sizeof(double));
    put(self, places.basis, problem->basis, problem->columns + problem->rows, 1);
    for (int i = 0; i < numbers; i++)
        self->arrays[i] = NAN;
    memset(at(self, places.found_basis), MILP_NO_BASIS,
           (size_t)problem->columns + (size_t)problem->rows);
    self->reply.answer = MILP_FAILED;
    self->reply.bound = problem->maximise ? MILP_INFINITY : -MILP_INFINITY;
}

struct milp_problem milp_packet_problem(struct milp_packet *self)
{
    const struct places places = places_of(&self->problem, self->term_count);
    struct milp_problem problem = self->problem;

    problem.column_lower = at(self, places.column_lower);
    problem.column_upper = at(self, places.column_upper);
    problem.objective = at(self, places.objective);
    problem.integer = at(self, places.integer);
    problem.row_lower = at(self, places.row_lower);
    problem.row_upper = at(self, places.row_upper);
    problem.start = at(self, places.start);
    problem.row = at(self, places.row);
    problem.coefficient = at(self, places.coefficient);
    problem.start_column = at(self, places.start_column);
    problem.start_value = at(self, places.start_value);
    problem.basis = at(self, places.basis);
    return problem;
}

void milp_packet_point(struct milp_packet *self, const struct milp_problem *problem,
                       struct milp_reply *reply)
{
    const struct places places = places_of(problem, problem->start[problem->columns]);

    reply->values = at(self, places.values);
    reply->reduced_costs = at(self, places.reduced_costs);
    reply->row_duals = at(self, places.row_duals);
    reply->basis = at(self, places.found_basis);
    reply->error.text[sizeof(reply->error.text) - 1] = '\0';
}
