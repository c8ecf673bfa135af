/* milp_sets.c - see milp_sets.h.
 *
 * A place of a set is a column for type 1, and two neighbours for type 2. Exactly one place is
 * chosen to differ from 0, by a sum of 0s and 1s that is 1. The bounds of a column are then
 * multiplied by the number of chosen places that contain the column. */
#include "scheduler/solver/milp_sets.h"

#include <math.h>

static void copy(const struct milp_problem *problem, milp_t *plain)
{
    milp_clear(plain);
    milp_set_maximise(plain, problem->maximise);
    for (int i = 0; i < problem->columns; i++)
        (void)milp_add_column(plain, problem->column_lower[i], problem->column_upper[i],
                              problem->objective[i], problem->integer[i]);
    for (int i = 0; i < problem->rows; i++)
        (void)milp_add_row(plain, problem->row_lower[i], problem->row_upper[i]);
    for (int column = 0; column < problem->columns; column++)
        for (int i = problem->start[column]; i < problem->start[column + 1]; i++)
            milp_add_term(plain, problem->row[i], column, problem->coefficient[i]);
    for (int i = 0; i < problem->starts; i++)
        milp_set_start(plain, problem->start_column[i], problem->start_value[i]);
}

/* Adds `count` places and returns the column of the first place. */
static int add_places(milp_t *plain, int count)
{
    const int row = milp_add_row(plain, 1, 1);
    const int first = milp_columns(plain);

    for (int i = 0; i < count; i++)
        milp_add_term(plain, row, milp_add_column(plain, 0, 1, 0, true), 1);
    return first;
}

/* Keeps the column on its side of `bound` times the number of chosen places from `first` to
 * `last`. */
static void bind(milp_t *plain, int column, double bound, int first, int last)
{
    const int row =
        bound > 0 ? milp_add_row(plain, -MILP_INFINITY, 0) : milp_add_row(plain, 0, MILP_INFINITY);

    milp_add_term(plain, row, column, 1);
    for (int i = first; i <= last; i++)
        milp_add_term(plain, row, i, -bound);
}

static int spell_out(const struct milp_problem *problem, int set, milp_t *plain,
                     struct error *error)
{
    const int type = problem->set_type[set];
    const int *columns = problem->set_column + problem->set_start[set];
    const int count = problem->set_start[set + 1] - problem->set_start[set];
    const int places = count - type + 1;
    int first;

    if (places <= 1) /* nothing to choose */
        return 0;
    first = add_places(plain, places);
    for (int i = 0; i < count; i++) {
        const double lower = problem->column_lower[columns[i]];
        const double upper = problem->column_upper[columns[i]];
        const int from = i - type + 1 > 0 ? i - type + 1 : 0;
        const int to = i < places ? i : places - 1;

        if (isinf(lower) || isinf(upper))
            return error_set(error, "column %d of set %d needs finite bounds", columns[i], set);
        if (upper > 0)
            bind(plain, columns[i], upper, first + from, first + to);
        if (lower < 0)
            bind(plain, columns[i], lower, first + from, first + to);
    }
    return 0;
}

int milp_spell_out_sets(const struct milp_problem *problem, milp_t *plain, struct error *error)
{
    copy(problem, plain);
    for (int i = 0; i < problem->sets; i++)
        if (spell_out(problem, i, plain, error) < 0)
            return -1;
    return 0;
}
