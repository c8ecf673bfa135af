/* milp_random_test.c - random models against every point that there is, and linear programs against
 * the proof that their duals are. */
#include "common/rng.h"
#include "tests/solver/certificate.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define COLUMNS 8
#define ROWS    6

/* A model as numbers, so that it can be tried out. */
struct numbers {
    int columns;
    int rows;
    bool maximise;
    double lower[COLUMNS];
    double upper[COLUMNS];
    double objective[COLUMNS];
    double coefficient[ROWS][COLUMNS];
    double row_lower[ROWS];
    double row_upper[ROWS];
};

static double draw_whole(rng_t *rng, int low, int high)
{
    const int count = high - low + 1;

    return low + (double)rng_below(rng, (uint64_t)count);
}

static void draw_row(rng_t *rng, struct numbers *numbers, int row)
{
    const double bound = draw_whole(rng, -2, 10);

    for (int i = 0; i < numbers->columns; i++)
        numbers->coefficient[row][i] = rng_below(rng, 3) ? draw_whole(rng, -3, 6) : 0;
    numbers->row_lower[row] = rng_below(rng, 3) ? -MILP_INFINITY : bound - draw_whole(rng, 0, 3);
    numbers->row_upper[row] = rng_below(rng, 6) ? bound : MILP_INFINITY;
}

static struct numbers draw(rng_t *rng, int columns, int low, int high)
{
    struct numbers numbers = {
        .columns = columns,
        .rows = (int)rng_below(rng, ROWS + 1),
        .maximise = rng_below(rng, 2) == 0,
    };

    for (int i = 0; i < columns; i++) {
        numbers.lower[i] = draw_whole(rng, low, 0);
        numbers.upper[i] = draw_whole(rng, 1, high);
        numbers.objective[i] = draw_whole(rng, -10, 10);
    }
    for (int i = 0; i < numbers.rows; i++)
        draw_row(rng, &numbers, i);
    return numbers;
}

static void build(milp_t *milp, const struct numbers *numbers, int whole)
{
    milp_clear(milp);
    milp_set_maximise(milp, numbers->maximise);
    for (int i = 0; i < numbers->columns; i++)
        (void)milp_add_column(milp, numbers->lower[i], numbers->upper[i], numbers->objective[i],
                              i < whole);
    for (int row = 0; row < numbers->rows; row++) {
        (void)milp_add_row(milp, numbers->row_lower[row], numbers->row_upper[row]);
        for (int i = 0; i < numbers->columns; i++)
            milp_add_term(milp, row, i, numbers->coefficient[row][i]);
    }
}

static bool is_point(const struct numbers *numbers, const double *values)
{
    for (int row = 0; row < numbers->rows; row++) {
        double sum = 0;

        for (int i = 0; i < numbers->columns; i++)
            sum += numbers->coefficient[row][i] * values[i];
        if (sum < numbers->row_lower[row] || sum > numbers->row_upper[row])
            return false;
    }
    return true;
}

static double worth(const struct numbers *numbers, const double *values)
{
    double sum = 0;

    for (int i = 0; i < numbers->columns; i++)
        sum += numbers->objective[i] * values[i];
    return sum;
}

/* The next point of whole numbers; false after the last one. */
static bool advance(const struct numbers *numbers, double *values)
{
    for (int i = 0; i < numbers->columns; i++) {
        if (++values[i] <= numbers->upper[i])
            return true;
        values[i] = numbers->lower[i];
    }
    return false;
}

/* The worth of the best whole point for which `allowed` holds; NaN if there is none. */
static double best_of_all(const struct numbers *numbers, bool (*allowed)(const double *, int))
{
    double values[COLUMNS];
    double best = NAN;

    memcpy(values, numbers->lower, sizeof(values));
    do {
        const double here = worth(numbers, values);

        if (is_point(numbers, values) && (!allowed || allowed(values, numbers->columns)))
            best = isnan(best) ? here : numbers->maximise ? fmax(best, here) : fmin(best, here);
    } while (advance(numbers, values));
    return best;
}

static void check_best(milp_t *milp, double best, long which)
{
    const struct milp_result result = solve_with_cbc(milp);
    const enum milp_answer expected = isnan(best) ? MILP_INFEASIBLE : MILP_OPTIMAL;

    if (result.answer != expected ||
        (expected == MILP_OPTIMAL && fabs(result.objective - best) > 1e-6))
        fail_msg("model %ld: %s, %g and not %g: %s", which, milp_answer_name(result.answer),
                 result.objective, best, result.error.text);
}

TEST(choices_are_as_good_as_the_best_of_all)
{
    rng_t rng = rng_new(test_seed(), "choices");
    const long times = test_times(250);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int columns = 1 + (int)rng_below(&rng, COLUMNS);
        const struct numbers numbers = draw(&rng, columns, 0, 1);

        build(milp, &numbers, columns);
        check_best(milp, best_of_all(&numbers, NULL), i);
    }
    milp_destroy(&milp);
}

TEST(whole_numbers_are_as_good_as_the_best_of_all)
{
    rng_t rng = rng_new(test_seed(), "whole numbers");
    const long times = test_times(150);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int columns = 1 + (int)rng_below(&rng, 4);
        const struct numbers numbers = draw(&rng, columns, -3, 5);

        build(milp, &numbers, columns);
        check_best(milp, best_of_all(&numbers, NULL), i);
    }
    milp_destroy(&milp);
}

/* The best of the linear programs that are left when every choice is made. */
static double best_of_mixed(milp_t *plain, const struct numbers *numbers, int choices)
{
    double best = NAN;

    for (unsigned chosen = 0; chosen < 1u << choices; chosen++) {
        struct milp_result result;

        build(plain, numbers, 0);
        for (int i = 0; i < choices; i++)
            milp_set_bounds(plain, i, chosen >> i & 1, chosen >> i & 1);
        result = solve_with_cbc(plain);
        if (result.answer == MILP_INFEASIBLE)
            continue;
        check_answer(&result, MILP_OPTIMAL);
        check_certificate(plain, &result);
        if (isnan(best) || (numbers->maximise ? result.objective > best : result.objective < best))
            best = result.objective;
    }
    return best;
}

TEST(mixed_models_are_as_good_as_the_best_choice)
{
    rng_t rng = rng_new(test_seed(), "mixed");
    const long times = test_times(60);
    milp_t *milp = milp_new();
    milp_t *plain = milp_new();

    for (long i = 0; i < times; i++) {
        const int choices = 1 + (int)rng_below(&rng, 4);
        struct numbers numbers = draw(&rng, choices + 1 + (int)rng_below(&rng, 4), -2, 4);

        for (int j = 0; j < choices; j++) {
            numbers.lower[j] = 0;
            numbers.upper[j] = 1;
        }
        build(milp, &numbers, choices);
        check_best(milp, best_of_mixed(plain, &numbers, choices), i);
    }
    milp_destroy(&plain);
    milp_destroy(&milp);
}

/* All columns are one set of type 1 or 2. */
static bool is_set(const double *values, int columns, int type)
{
    int first = columns;

    for (int i = 0; i < columns; i++) {
        if (values[i] == 0)
            continue;
        if (first == columns)
            first = i;
        if (i >= first + type)
            return false;
    }
    return true;
}

static bool is_set_of_one(const double *values, int columns)
{
    return is_set(values, columns, 1);
}

static bool is_set_of_two(const double *values, int columns)
{
    return is_set(values, columns, 2);
}

TEST(sets_are_as_good_as_the_best_of_all)
{
    static const int columns[] = {0, 1, 2, 3, 4};
    rng_t rng = rng_new(test_seed(), "sets");
    const long times = test_times(150);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int count = 1 + (int)rng_below(&rng, COUNT(columns));
        const struct numbers numbers = draw(&rng, count, -2, 3);
        const int type = 1 + (int)(i % 2);

        build(milp, &numbers, count);
        milp_add_sos(milp, type, columns, count);
        check_best(milp, best_of_all(&numbers, type == 1 ? is_set_of_one : is_set_of_two), i);
    }
    milp_destroy(&milp);
}

TEST(linear_programs_are_proven_by_their_duals)
{
    rng_t rng = rng_new(test_seed(), "linear programs");
    const long times = test_times(300);
    milp_t *milp = milp_new();
    int optimal = 0;

    for (long i = 0; i < times; i++) {
        const struct numbers numbers = draw(&rng, 1 + (int)rng_below(&rng, COLUMNS), -5, 9);
        struct milp_result result;

        build(milp, &numbers, 0);
        for (int column = 0; column < numbers.columns; column++)
            if (rng_below(&rng, 4) == 0)
                milp_set_bounds(milp, column, rng_below(&rng, 2) ? 0 : -MILP_INFINITY,
                                MILP_INFINITY);
        result = solve_with_cbc(milp);
        if (result.answer == MILP_INFEASIBLE || result.answer == MILP_UNBOUNDED)
            continue;
        check_answer(&result, MILP_OPTIMAL);
        check_certificate(milp, &result);
        optimal++;
    }
    assert_true(optimal > times / 3);
    milp_destroy(&milp);
}

/* Two rows that a multiple of themselves and each other contradicts. */
static void contradict(milp_t *milp, const struct numbers *numbers, rng_t *rng)
{
    const int above = milp_add_row(milp, 5, MILP_INFINITY);
    const int below = milp_add_row(milp, -MILP_INFINITY, 9);

    for (int i = 0; i < numbers->columns; i++) {
        const double coefficient = draw_whole(rng, -4, 4);

        milp_add_term(milp, above, i, coefficient);
        milp_add_term(milp, below, i, 2 * coefficient);
    }
}

TEST(contradictions_are_infeasible)
{
    rng_t rng = rng_new(test_seed(), "contradictions");
    const long times = test_times(100);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int columns = 1 + (int)rng_below(&rng, COLUMNS);
        const struct numbers numbers = draw(&rng, columns, -5, 9);
        struct milp_result result;

        build(milp, &numbers, i % 2 ? columns : 0);
        if (i % 3 == 0)
            milp_set_bounds(milp, 0, -MILP_INFINITY, MILP_INFINITY);
        contradict(milp, &numbers, &rng);
        result = solve_with_cbc(milp);
        check_answer(&result, MILP_INFEASIBLE);
    }
    milp_destroy(&milp);
}

/* From a point that there is, all columns may grow together for ever, and that is worth
 * something. */
TEST(rays_are_unbounded)
{
    rng_t rng = rng_new(test_seed(), "rays");
    const long times = test_times(100);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        const int columns = 2 + (int)rng_below(&rng, COLUMNS - 1);
        struct numbers numbers = draw(&rng, columns, 0, 1);
        struct milp_result result;

        numbers.objective[0] = 0;
        for (int column = 1; column < columns; column++)
            numbers.objective[0] -= numbers.objective[column];
        numbers.objective[0] += numbers.maximise ? 1 : -1;
        for (int column = 0; column < columns; column++)
            numbers.upper[column] = MILP_INFINITY;
        for (int row = 0; row < numbers.rows; row++) {
            double sum = 0;

            for (int column = 0; column < columns; column++)
                sum += numbers.coefficient[row][column];
            numbers.row_lower[row] = sum >= 0 ? fmin(numbers.row_lower[row], 0) : -MILP_INFINITY;
            numbers.row_upper[row] = sum <= 0 ? fmax(numbers.row_upper[row], 0) : MILP_INFINITY;
        }
        build(milp, &numbers, i % 2 ? columns : 0);
        result = solve_with_cbc(milp);
        check_answer(&result, MILP_UNBOUNDED);
    }
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
