/* student.h - Student's t distribution: how far the mean of a sample may be from the true mean. */
#ifndef STATISTICS_STUDENT_H
#define STATISTICS_STUDENT_H

#include <stddef.h>

/* The t >= 0 such that a variable of Student's t distribution with `freedom` >= 1 degrees of
 * freedom lies in -t .. t with probability `confidence`, 0 < confidence < 1. */
double student_quantile(double freedom, double confidence);

/* The probability that a variable of Student's t distribution is farther from 0 than `t` >= 0. */
double student_beyond(double t, double freedom);

struct estimate {
    double mean;
    double half; /* half of the confidence interval; NaN for fewer than two figures */
};

/* The estimate from `count` > 0 figures, drawn independently. */
struct estimate student_estimate(const double *figures, size_t count, double confidence);

#endif
