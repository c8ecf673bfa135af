/* milp_limits_test.c - limits are kept, and what is answered at a limit is true.
 *
 * That the elapsed time is kept is a promise of milp.h, so that this test has to look at it. */
#include "common/clock.h"
#include "tests/solver/faulty_solver.h"
#include "tests/solver/hard_models.h"
#include "tests/solver/solving.h"
#include "tests/support/test.h"

#include <string.h>

/* What starting and ending a process may add to a tenth of the limit. */
#define PROCESS_S 0.15
/* A busy machine adds more than that, but not each time. */
#define TRIES 10

static struct milp_result solve_once(const struct milp_solver *solver, milp_t *milp, double seconds,
                                     double *took_s)
{
    const struct milp_limits limits = {.seconds = seconds};
    const double began_s = clock_s();
    struct milp_result result;

    milp_solve(solver, milp, &limits, &result);
    *took_s = clock_s() - began_s;
    if (result.seconds > *took_s || result.build_seconds > result.seconds)
        fail_msg("it says %g s and %g s, and took %g s", result.seconds, result.build_seconds,
                 *took_s);
    return result;
}

/* The answer of the first try that keeps its limit. */
static struct milp_result solve_for(const struct milp_solver *solver, milp_t *milp, double seconds)
{
    const double limit_s = 1.1 * seconds + PROCESS_S;
    double took_s;
    struct milp_result result = solve_once(solver, milp, seconds, &took_s);

    for (int i = 1; i < TRIES && took_s > limit_s; i++)
        result = solve_once(solver, milp, seconds, &took_s);
    if (took_s > limit_s)
        fail_msg("%g s of %g", took_s, seconds);
    return result;
}

TEST(an_elapsed_limit_is_kept)
{
    milp_t *milp = milp_new();
    struct milp_result result;

    build_market_split(milp, 5, 40, 1);
    result = solve_for(&solver_that_stalls, milp, 0.2);
    check_answer(&result, MILP_NO_SOLUTION);
    result = solve_for(cbc(), milp, 1);
    for (int i = 0; i < TRIES && result.answer == MILP_NO_SOLUTION; i++)
        result = solve_for(cbc(), milp, 1 << i); /* it got too little of the processor */
    check_answer(&result, MILP_FEASIBLE);
    assert_true(result.bound >= 0);
    assert_true(result.objective > result.bound);
    check_near(result.gap, result.objective - result.bound);
    assert_true(result.seconds >= 0.5);
    milp_destroy(&milp);
}

/* Cbc calls the model infeasible when its time ends within the first relaxation. */
TEST(a_limit_within_the_root_relaxation_is_not_infeasible)
{
    static const double limits_s[] = {0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2};
    milp_t *milp = milp_new();

    build_tight_slots(milp, 160, 1, true);
    for (size_t i = 0; i < COUNT(limits_s); i++) {
        const struct milp_result result = solve_for(cbc(), milp, limits_s[i]);

        if (result.answer != MILP_NO_SOLUTION && result.answer != MILP_FEASIBLE)
            fail_msg("%g s: %s: %s", limits_s[i], milp_answer_name(result.answer),
                     result.error.text);
        assert_int_equal(result.values == NULL, result.answer == MILP_NO_SOLUTION);
    }
    milp_destroy(&milp);
}

TEST(a_linear_program_may_run_out_of_time)
{
    static const double limits_s[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032};
    milp_t *milp = milp_new();

    build_tight_slots(milp, 160, 1, false);
    for (size_t i = 0; i < COUNT(limits_s); i++) {
        const struct milp_result result = solve_for(cbc(), milp, limits_s[i]);

        assert_int_not_equal(result.answer, MILP_INFEASIBLE);
        assert_int_not_equal(result.answer, MILP_UNBOUNDED);
    }
    milp_destroy(&milp);
}

TEST(a_limit_of_nodes_is_kept_and_gives_equal_answers)
{
    const struct milp_limits limits = {.nodes = 200};
    milp_t *milp = milp_new();
    struct milp_result result;
    double values[60];
    double objective;

    build_market_split(milp, 4, 30, 2);
    milp_solve(cbc(), milp, &limits, &result);
    check_answer(&result, MILP_FEASIBLE);
    assert_in_range(result.nodes, 1, 400);
    objective = result.objective;
    memcpy(values, result.values, (size_t)milp_columns(milp) * sizeof(double));
    for (int i = 0; i < 3; i++) {
        milp_solve(cbc(), milp, &limits, &result);
        check_near(result.objective, objective);
        assert_memory_equal(result.values, values, (size_t)milp_columns(milp) * sizeof(double));
    }
    milp_destroy(&milp);
}

TEST(what_a_limit_leaves_is_on_both_sides_of_the_optimum)
{
    milp_t *milp = milp_new();

    for (uint64_t seed = 1; seed <= 5; seed++) {
        double optimum;
        struct milp_result result;

        build_market_split(milp, 2, 14, seed);
        result = solve_with_cbc(milp);
        check_answer(&result, MILP_OPTIMAL);
        optimum = result.objective;
        for (int64_t nodes = 1; nodes <= 64; nodes *= 4) {
            const struct milp_limits limits = {.nodes = nodes};

            milp_solve(cbc(), milp, &limits, &result);
            if (result.answer == MILP_NO_SOLUTION)
                continue;
            assert_true(result.answer == MILP_FEASIBLE || result.answer == MILP_OPTIMAL);
            assert_true(result.objective >= optimum - 1e-6);
            assert_true(result.bound <= optimum + 1e-6);
        }
    }
    milp_destroy(&milp);
}

/* A solver that meets the end of its memory anywhere claims nothing. */
static void check_memory_limits(int jobs, bool whole)
{
    struct milp_result result = {.values = NULL};
    milp_t *milp = milp_new();
    int ended = 0;

    build_tight_slots(milp, jobs, 1, whole);
    for (int64_t mib = 1; !result.values && mib <= 4096; mib *= 2) {
        const struct milp_limits limits = {.memory_mib = mib, .nodes = 1};

        milp_solve(cbc(), milp, &limits, &result);
        ended += result.out_of_memory;
        if (!result.values && !result.out_of_memory)
            fail_msg("%d MiB: %s: %s", (int)mib, milp_answer_name(result.answer),
                     result.error.text);
    }
    assert_true(result.values && ended > 0);
    milp_destroy(&milp);
}

TEST(a_limit_of_memory_is_no_answer)
{
#ifdef RUBATO_SANITIZED
    skip(); /* their malloc ends a process in ways of its own */
#endif
    check_memory_limits(160, false);
    check_memory_limits(40, true);
}

TEST(a_gap_that_is_good_enough_ends_the_search)
{
    const struct milp_limits limits = {.gap_absolute = 20};
    milp_t *milp = milp_new();
    struct milp_result result;

    build_market_split(milp, 4, 30, 1);
    milp_solve(cbc(), milp, &limits, &result);
    check_answer(&result, MILP_OPTIMAL);
    assert_true(result.gap > 0 && result.gap <= 20);
    assert_true(result.bound <= result.objective);
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
