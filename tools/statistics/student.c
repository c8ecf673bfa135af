/* student.c - see student.h.
 *
 * Source: the regularised incomplete beta function as a continued fraction, NIST Digital Library of
 * Mathematical Functions 8.17.22, evaluated by Lentz's algorithm. */
#include "tools/statistics/student.h"

#include <assert.h>
#include <math.h>

#define TERMS_MAX  10000
#define BISECTIONS 200
#define TINY       1e-300

static double not_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of the incomplete beta function, for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
    double result = d;

    for (int m = 1; m < TERMS_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step;

        d = 1 / not_zero(1 + even * d);
        c = not_zero(1 + even / c);
        result *= d * c;
        d = 1 / not_zero(1 + odd * d);
        c = not_zero(1 + odd / c);
        step = d * c;
        result *= step;
        if (fabs(step - 1) < 1e-16)
            break;
    }
    return result;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_beyond(double t, double freedom)
{
    return beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double freedom, double confidence)
{
    double low = 0;
    double high = 1;

    assert(freedom >= 1);
    assert(confidence > 0 && confidence < 1);
    while (student_beyond(high, freedom) > 1 - confidence)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);

        if (!(low < middle && middle < high))
            break;
        if (student_beyond(middle, freedom) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

struct estimate student_estimate(const double *figures, size_t count, double confidence)
{
    struct estimate estimate = {.half = NAN};
    double squares = 0;

    assert(count > 0);
    for (size_t i = 0; i < count; i++)
        estimate.mean += figures[i];
    estimate.mean /= (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (figures[i] - estimate.mean) * (figures[i] - estimate.mean);
    if (count > 1)
        estimate.half = student_quantile((double)(count - 1), confidence) *
                        sqrt(squares / (double)(count - 1) / (double)count);
    return estimate;
}
