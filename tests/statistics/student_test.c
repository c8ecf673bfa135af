/* student_test.c - Student's t: quantiles as published tables have them, and the interval of a
 * sample worked out by hand. */
#include "tests/support/test.h"
#include "tools/statistics/student.h"

#include <math.h>

static void check_near(double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error))
        fail_msg("%.17g is not within %g of %.17g", found, error, expected);
}

/* NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, which has three digits. */
TEST(quantiles_are_those_of_the_tables)
{
    static const struct {
        double freedom;
        double confidence;
        double quantile;
    } rows[] = {{1, 0.95, 12.706}, {2, 0.95, 4.303},  {3, 0.95, 3.182},   {4, 0.95, 2.776},
                {9, 0.95, 2.262},  {30, 0.95, 2.042}, {100, 0.95, 1.984}, {1, 0.9, 6.314},
                {5, 0.9, 2.015},   {1, 0.99, 63.657}, {7, 0.99, 3.499},   {19, 0.99, 2.861}};

    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(student_quantile(rows[i].freedom, rows[i].confidence), rows[i].quantile, 6e-4);
}

/* With one degree of freedom the distribution is that of Cauchy, with many nearly the normal. */
TEST(the_ends_have_closed_forms)
{
    check_near(student_quantile(1, 0.5), 1, 1e-12);
    check_near(student_quantile(1, 0.95), tan(M_PI * 0.475), 1e-9);
    check_near(student_quantile(2, 0.5), sqrt(2.0 / 3), 1e-12);
    check_near(student_quantile(1e7, 0.95), 1.959964, 1e-5);
}

TEST(an_interval_is_as_worked_out_by_hand)
{
    const double figures[] = {2, 4, 9};
    const struct estimate some = student_estimate(figures, 3, 0.95);
    const struct estimate one = student_estimate(figures, 1, 0.95);
    const double same[] = {7, 7};

    check_near(some.mean, 5, 1e-15);
    check_near(some.half, 4.302653 * sqrt(13.0 / 3), 1e-5); /* (9 + 1 + 16) / 2 = 13 */
    check_near(one.mean, 2, 0);
    assert_true(isnan(one.half));
    check_near(student_estimate(same, 2, 0.95).half, 0, 0);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
