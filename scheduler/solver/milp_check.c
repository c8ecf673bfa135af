/* milp_check.c - see milp_check.h. */
#include "scheduler/solver/milp_check.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* NaN is not in range. */
static bool in_range(double number)
{
    return fabs(number) <= MILP_LARGEST;
}

static int check_bounds(const char *what, int index, double lower, double upper,
                        struct error *error)
{
    if (!in_range(lower) && lower != -MILP_INFINITY)
        return error_set(error, "%s %d: a lower bound of %g is out of range", what, index, lower);
    if (!in_range(upper) && upper != MILP_INFINITY)
        return error_set(error, "%s %d: an upper bound of %g is out of range", what, index, upper);
    if (lower > upper)
        return error_set(error, "%s %d: its lower bound %g is above its upper bound %g", what,
                         index, lower, upper);
    return 0;
}

static int check_column(const struct milp_problem *problem, int column, struct error *error)
{
    if (check_bounds("column", column, problem->column_lower[column], problem->column_upper[column],
                     error) < 0)
        return -1;
    if (!in_range(problem->objective[column]))
        return error_set(error, "column %d: an objective of %g is out of range", column,
                         problem->objective[column]);
    for (int i = problem->start[column]; i < problem->start[column + 1]; i++)
        if (!in_range(problem->coefficient[i]))
            return error_set(error, "row %d, column %d: a coefficient of %g is out of range",
                             problem->row[i], column, problem->coefficient[i]);
    return 0;
}

/* Checks a set. `seen` holds, for each column, the number of the last set with that column, counted
 * from 1. */
static int check_set(const struct milp_problem *problem, int set, int *seen, struct error *error)
{
    const int first = problem->set_start[set];
    const int end = problem->set_start[set + 1];

    if (first == end)
        return error_set(error, "set %d: there is nothing in it", set);
    for (int i = first; i < end; i++) {
        const int column = problem->set_column[i];

        if (seen[column] == set + 1)
            return error_set(error, "set %d: column %d is in it twice", set, column);
        seen[column] = set + 1;
    }
    return 0;
}

static int check_sets(const struct milp_problem *problem, struct error *error)
{
    int *seen = xcalloc((size_t)problem->columns, sizeof(*seen));
    int result = 0;

    for (int i = 0; i < problem->sets && result == 0; i++)
        result = check_set(problem, i, seen, error);
    free(seen);
    return result;
}

static int check_starts(const struct milp_problem *problem, struct error *error)
{
    for (int i = 0; i < problem->starts; i++) {
        const int column = problem->start_column[i];
        const double value = problem->start_value[i];

        if (!(value >= problem->column_lower[column] && value <= problem->column_upper[column]))
            return error_set(error, "column %d: a start of %g is not within its bounds", column,
                             value);
    }
    return 0;
}

int milp_check_problem(const struct milp_problem *problem, struct error *error)
{
    for (int i = 0; i < problem->columns; i++)
        if (check_column(problem, i, error) < 0)
            return -1;
    for (int i = 0; i < problem->rows; i++)
        if (check_bounds("row", i, problem->row_lower[i], problem->row_upper[i], error) < 0)
            return -1;
    if (problem->sets > 0 && check_sets(problem, error) < 0)
        return -1;
    return check_starts(problem, error);
}

/* The tolerance of a bound. */
static double slack(double bound, double scale)
{
    return MILP_TOLERANCE * fmax(fmax(1, fabs(bound)), scale);
}

static bool is_outside(double value, double lower, double upper, double scale)
{
    return (isfinite(lower) && value < lower - slack(lower, scale)) ||
           (isfinite(upper) && value > upper + slack(upper, scale));
}

static int check_value(const struct milp_problem *problem, int column, double *value,
                       struct error *error)
{
    const double lower = problem->column_lower[column];
    const double upper = problem->column_upper[column];

    if (!isfinite(*value))
        return error_set(error, "its value of column %d is %g", column, *value);
    if (problem->integer[column] && fabs(*value - round(*value)) > MILP_TOLERANCE)
        return error_set(error, "its value of column %d is %.9g, which is not whole", column,
                         *value);
    if (is_outside(*value, lower, upper, 0))
        return error_set(error, "its value of column %d is %.9g, outside of [%g, %g]", column,
                         *value, lower, upper);
    *value = problem->integer[column] ? round(*value) : fmin(fmax(*value, lower), upper);
    *value += 0.0; /* no negative zeros */
    return 0;
}

static int check_set_values(const struct milp_problem *problem, int set, double *values,
                            struct error *error)
{
    const int type = problem->set_type[set];
    int first = -1; /* the first column of the set that differs from 0 */

    for (int i = problem->set_start[set]; i < problem->set_start[set + 1]; i++) {
        double *value = &values[problem->set_column[i]];

        if (fabs(*value) <= MILP_TOLERANCE) {
            *value = 0;
            continue;
        }
        if (first < 0)
            first = i;
        if (i >= first + type)
            return error_set(error, "its values of columns %d and %d break set %d",
                             problem->set_column[first], problem->set_column[i], set);
    }
    return 0;
}

static int check_rows(const struct milp_problem *problem, const double *values, struct error *error)
{
    double *sum = xcalloc((size_t)problem->rows, sizeof(*sum));
    double *scale = xcalloc((size_t)problem->rows, sizeof(*scale));
    int result = 0;

    for (int column = 0; column < problem->columns; column++)
        for (int i = problem->start[column]; i < problem->start[column + 1]; i++) {
            const double term = problem->coefficient[i] * values[column];

            sum[problem->row[i]] += term;
            scale[problem->row[i]] = fmax(scale[problem->row[i]], fabs(term));
        }
    for (int i = 0; i < problem->rows && result == 0; i++)
        if (is_outside(sum[i], problem->row_lower[i], problem->row_upper[i], scale[i]))
            result = error_set(error, "row %d of its point adds up to %.9g, outside of [%g, %g]", i,
                               sum[i], problem->row_lower[i], problem->row_upper[i]);
    free(sum);
    free(scale);
    return result;
}

int milp_check_point(const struct milp_problem *problem, double *values, struct error *error)
{
    for (int i = 0; i < problem->columns; i++)
        if (check_value(problem, i, &values[i], error) < 0)
            return -1;
    for (int i = 0; i < problem->sets; i++)
        if (check_set_values(problem, i, values, error) < 0)
            return -1;
    return check_rows(problem, values, error);
}

double milp_objective_at(const struct milp_problem *problem, const double *values, double *scale)
{
    double sum = 0;

    *scale = 1;
    for (int i = 0; i < problem->columns; i++) {
        const double term = problem->objective[i] * values[i];

        sum += term;
        *scale = fmax(*scale, fabs(term));
    }
    return sum;
}
