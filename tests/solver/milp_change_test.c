/* milp_change_test.c - a model that is changed and solved by a server, from the basis that it had,
 * is the model that is built anew, and has the same optimum. */
#include "common/rng.h"
#include "scheduler/solver/milp_server.h"
#include "tests/solver/certificate.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS 10
#define ROWS    8

/* The model as numbers. */
struct numbers {
    int columns;
    int rows;
    bool maximise;
    bool whole[COLUMNS];
    double lower[COLUMNS];
    double upper[COLUMNS];
    double objective[COLUMNS];
    double row_lower[ROWS];
    double row_upper[ROWS];
    double coefficient[COLUMNS][ROWS];
};

static double draw_whole(rng_t *rng, int low, int high)
{
    const int count = high - low + 1;

    return low + (double)rng_below(rng, (uint64_t)count);
}

static void draw_row_bounds(rng_t *rng, struct numbers *numbers, int row)
{
    const double bound = draw_whole(rng, 0, 12);

    numbers->row_lower[row] = rng_below(rng, 4) ? -MILP_INFINITY : bound - draw_whole(rng, 0, 9);
    numbers->row_upper[row] = rng_below(rng, 6) ? bound : MILP_INFINITY;
}

static void draw_bounds(rng_t *rng, struct numbers *numbers, int column)
{
    numbers->lower[column] = rng_below(rng, 8) ? draw_whole(rng, -3, 0) : -MILP_INFINITY;
    numbers->upper[column] = rng_below(rng, 8) ? draw_whole(rng, 1, 6) : MILP_INFINITY;
}

static double draw_coefficient(rng_t *rng)
{
    return rng_below(rng, 3) ? draw_whole(rng, -3, 6) : 0;
}

static void add_column(rng_t *rng, struct numbers *numbers, milp_t *milp, bool whole)
{
    const int column = numbers->columns++;

    draw_bounds(rng, numbers, column);
    numbers->whole[column] = whole;
    numbers->objective[column] = draw_whole(rng, -10, 10);
    (void)milp_add_column(milp, numbers->lower[column], numbers->upper[column],
                          numbers->objective[column], whole);
    for (int row = 0; row < numbers->rows; row++) {
        numbers->coefficient[column][row] = draw_coefficient(rng);
        milp_add_term(milp, row, column, numbers->coefficient[column][row] - 1);
        milp_add_term(milp, row, column, 1);
    }
}

static void add_row(rng_t *rng, struct numbers *numbers, milp_t *milp)
{
    const int row = numbers->rows++;

    draw_row_bounds(rng, numbers, row);
    (void)milp_add_row(milp, numbers->row_lower[row], numbers->row_upper[row]);
    for (int column = numbers->columns - 1; column >= 0; column--) {
        numbers->coefficient[column][row] = draw_coefficient(rng);
        milp_set_term(milp, row, column, numbers->coefficient[column][row]);
    }
}

/* Takes elements of `size` bytes out of an array of `total`. */
static void cut(void *array, size_t size, int first, int count, int total)
{
    char *bytes = array;

    memmove(bytes + (size_t)first * size, bytes + (size_t)(first + count) * size,
            (size_t)(total - first - count) * size);
}

static void remove_columns(rng_t *rng, struct numbers *numbers, milp_t *milp)
{
    const int first = (int)rng_below(rng, (uint64_t)numbers->columns);
    const int count = (int)rng_below(rng, (uint64_t)(numbers->columns - first)) / 2;

    cut(numbers->whole, sizeof(bool), first, count, numbers->columns);
    cut(numbers->lower, sizeof(double), first, count, numbers->columns);
    cut(numbers->upper, sizeof(double), first, count, numbers->columns);
    cut(numbers->objective, sizeof(double), first, count, numbers->columns);
    cut(numbers->coefficient, sizeof(numbers->coefficient[0]), first, count, numbers->columns);
    numbers->columns -= count;
    milp_remove_columns(milp, first, count);
}

static void remove_rows(rng_t *rng, struct numbers *numbers, milp_t *milp)
{
    const int first = (int)rng_below(rng, (uint64_t)numbers->rows);
    const int count = (int)rng_below(rng, (uint64_t)(numbers->rows - first) + 1) / 2;

    cut(numbers->row_lower, sizeof(double), first, count, numbers->rows);
    cut(numbers->row_upper, sizeof(double), first, count, numbers->rows);
    for (int i = 0; i < numbers->columns; i++)
        cut(numbers->coefficient[i], sizeof(double), first, count, numbers->rows);
    numbers->rows -= count;
    milp_remove_rows(milp, first, count);
}

/* Changes numbers of a column and of a row. */
static void change_numbers(rng_t *rng, struct numbers *numbers, milp_t *milp)
{
    const int column = (int)rng_below(rng, (uint64_t)numbers->columns);

    draw_bounds(rng, numbers, column);
    milp_set_bounds(milp, column, numbers->lower[column], numbers->upper[column]);
    numbers->objective[column] = draw_whole(rng, -10, 10);
    milp_set_objective(milp, column, numbers->objective[column]);
    if (rng_below(rng, 8) == 0)
        numbers->maximise = !numbers->maximise;
    milp_set_maximise(milp, numbers->maximise);
    if (numbers->rows > 0) {
        const int row = (int)rng_below(rng, (uint64_t)numbers->rows);

        draw_row_bounds(rng, numbers, row);
        milp_set_row(milp, row, numbers->row_lower[row], numbers->row_upper[row]);
        numbers->coefficient[column][row] = draw_coefficient(rng);
        milp_set_term(milp, row, column, numbers->coefficient[column][row]);
    }
}

static void change(rng_t *rng, struct numbers *numbers, milp_t *milp, bool mixed)
{
    for (int left = 1 + (int)rng_below(rng, 4); left > 0; left--)
        switch (rng_below(rng, 6)) {
        case 0:
            if (numbers->columns < COLUMNS)
                add_column(rng, numbers, milp, mixed && rng_below(rng, 2));
            break;
        case 1:
            if (numbers->rows < ROWS)
                add_row(rng, numbers, milp);
            break;
        case 2:
            remove_columns(rng, numbers, milp);
            break;
        case 3:
            if (numbers->rows > 0)
                remove_rows(rng, numbers, milp);
            break;
        default:
            change_numbers(rng, numbers, milp);
        }
}

static void build(milp_t *milp, const struct numbers *numbers)
{
    milp_clear(milp);
    milp_set_maximise(milp, numbers->maximise);
    for (int i = 0; i < numbers->columns; i++)
        (void)milp_add_column(milp, numbers->lower[i], numbers->upper[i], numbers->objective[i],
                              numbers->whole[i]);
    for (int row = 0; row < numbers->rows; row++)
        (void)milp_add_row(milp, numbers->row_lower[row], numbers->row_upper[row]);
    for (int i = 0; i < numbers->columns; i++)
        for (int row = 0; row < numbers->rows; row++)
            milp_add_term(milp, row, i, numbers->coefficient[i][row]);
}

static void check_equal(const void *left, const void *right, size_t count, size_t size)
{
    if (count > 0)
        assert_memory_equal(left, right, count * size);
}

static void check_same_problem(milp_t *changed, milp_t *fresh)
{
    const struct milp_problem *a = milp_problem(changed);
    const struct milp_problem *b = milp_problem(fresh);
    const size_t columns = (size_t)b->columns;
    const size_t rows = (size_t)b->rows;

    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->maximise, b->maximise);
    check_equal(a->start, b->start, columns + 1, sizeof(int));
    check_equal(a->row, b->row, (size_t)b->start[columns], sizeof(int));
    check_equal(a->coefficient, b->coefficient, (size_t)b->start[columns], sizeof(double));
    check_equal(a->column_lower, b->column_lower, columns, sizeof(double));
    check_equal(a->column_upper, b->column_upper, columns, sizeof(double));
    check_equal(a->objective, b->objective, columns, sizeof(double));
    check_equal(a->integer, b->integer, columns, sizeof(bool));
    check_equal(a->row_lower, b->row_lower, rows, sizeof(double));
    check_equal(a->row_upper, b->row_upper, rows, sizeof(double));
}

static void check_same_answer(milp_t *changed, milp_t *fresh, long which)
{
    const struct milp_result result = solve_with_cbc(changed);
    const struct milp_result expected = solve_with_cbc(fresh);

    if (result.answer != expected.answer ||
        (expected.answer == MILP_OPTIMAL && fabs(result.objective - expected.objective) > 1e-6))
        fail_msg("model %ld: %s, %g, and anew %s, %g: %s%s", which, milp_answer_name(result.answer),
                 result.objective, milp_answer_name(expected.answer), expected.objective,
                 result.error.text, expected.error.text);
    assert_true(result.answer != MILP_FAILED && result.answer != MILP_NO_SOLUTION);
    if (result.row_duals)
        check_certificate(changed, &result);
}

/* Returns how many were optimal. */
static int check_changes(const char *stream, bool mixed, long times)
{
    rng_t rng = rng_new(test_seed(), stream);
    milp_server_t *server = milp_server_new();
    milp_t *milp = milp_new();
    milp_t *fresh = milp_new();
    struct numbers numbers = {.columns = 0};
    int optimal = 0;

    milp_use_server(milp, server);
    milp_use_server(fresh, server);
    for (int i = 0; i < COLUMNS / 2; i++)
        add_column(&rng, &numbers, milp, mixed && i % 2);
    for (long i = 0; i < times; i++) {
        change(&rng, &numbers, milp, mixed);
        build(fresh, &numbers);
        milp_use_server(fresh, i % 16 ? server : NULL);
        check_same_problem(milp, fresh);
        check_same_answer(milp, fresh, i);
        optimal += milp_problem(milp)->basis[0] != MILP_NO_BASIS;
    }
    milp_destroy(&fresh);
    milp_destroy(&milp);
    milp_server_destroy(&server);
    return optimal;
}

TEST(changed_linear_programs_are_as_good_as_fresh_ones)
{
    const long times = test_times(500);

    assert_true(check_changes("changed linear programs", false, times) > times / 4);
}

TEST(changed_mixed_models_are_as_good_as_fresh_ones)
{
    (void)check_changes("changed mixed models", true, test_times(250));
}

/* Random choices, solved by a copy of a server and by a process of their own. */
TEST(a_copy_of_a_server_gives_the_very_point)
{
    rng_t rng = rng_new(test_seed(), "copies");
    const long times = test_times(60);
    milp_server_t *server = milp_server_new();
    milp_t *milp = milp_new();
    milp_t *served = milp_new();

    milp_use_server(served, server);
    for (long i = 0; i < times; i++) {
        struct numbers numbers = {.columns = 0};
        struct milp_result alone;
        struct milp_result result;

        milp_clear(milp);
        for (int j = 0; j < COLUMNS; j++)
            add_column(&rng, &numbers, milp, true);
        for (int j = 0; j < ROWS; j++)
            add_row(&rng, &numbers, milp);
        build(milp, &numbers);
        build(served, &numbers);
        alone = solve_with_cbc(milp);
        result = solve_with_cbc(served);
        assert_int_equal(result.answer, alone.answer);
        if (alone.values)
            assert_memory_equal(result.values, alone.values, COLUMNS * sizeof(double));
    }
    milp_destroy(&milp);
    milp_destroy(&served);
    milp_server_destroy(&server);
}

/* As many shares of one, each worth the same: every corner is optimal. */
static void build_degenerate(milp_t *milp, milp_server_t *server)
{
    const int row = milp_add_row(milp, -MILP_INFINITY, 1);

    milp_set_maximise(milp, true);
    for (int i = 0; i < COLUMNS; i++)
        milp_add_term(milp, row, milp_add_column(milp, 0, MILP_INFINITY, 1, false), 1);
    milp_use_server(milp, server);
}

TEST(a_basis_that_is_kept_keeps_the_point)
{
    milp_server_t *server = milp_server_new();
    milp_t *milp = milp_new();
    milp_t *later = milp_new();
    unsigned char basis[COLUMNS + 1];
    struct milp_result result;
    struct milp_result again;

    build_degenerate(milp, server);
    milp_set_objective(milp, 6, 2);
    result = solve_with_cbc(milp);
    check_near(result.values[6], 1);
    milp_set_objective(milp, 6, 1);
    result = solve_with_cbc(milp);
    check_near(result.values[6], 1); /* still the best, though no better than others */
    milp_get_basis(milp, basis);

    build_degenerate(later, server);
    again = solve_with_cbc(later);
    check_near(again.values[6], 0);
    milp_set_basis(later, basis);
    again = solve_with_cbc(later);
    assert_memory_equal(again.values, result.values, COLUMNS * sizeof(double));
    milp_destroy(&milp);
    milp_destroy(&later);
    milp_server_destroy(&server);
}

static long pages_of(pid_t pid)
{
    char path[64];
    FILE *statm;
    long pages = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    statm = fopen(path, "re");
    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%ld", &pages), 1);
    (void)fclose(statm);
    return pages;
}

TEST(a_server_does_not_grow)
{
    milp_server_t *server;
    milp_t *milp;
    long before = 0;

#ifdef RUBATO_SANITIZED
    skip(); /* they keep what is freed */
#endif
    server = milp_server_new();
    milp = milp_new();
    build_degenerate(milp, server);
    for (int i = 0; i < 3000; i++) {
        milp_set_objective(milp, i % COLUMNS, i % 7);
        milp_set_row(milp, 0, i % 11 ? -MILP_INFINITY : 2, 1 + i % 3);
        (void)solve_with_cbc(milp);
        if (i == 500)
            before = pages_of(milp_server_pid(server));
    }
    assert_true(pages_of(milp_server_pid(server)) <= before + 16);
    milp_destroy(&milp);
    milp_server_destroy(&server);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
