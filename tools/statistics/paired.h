/* paired.h - whether two policies differ on the same jobs, by the differences of their figures, one
 * of each seed.
 *
 * Student's paired t test assumes that the differences are a sample of a normal distribution. Its p
 * value goes with the interval of student.h: p < 0.05 where the interval of 95 % has no 0 in it.
 * Wilcoxon's signed-rank test assumes a sample of any symmetric distribution. Its p value is exact:
 * of all 2^n ways to choose the signs of the n differences that are not 0, the share whose sum of
 * ranks is as far from the middle as the sum that was found. Equal differences have the mean of
 * their ranks. So p is 2 / 2^n at least: 0.0625 of five seeds. */
#ifndef STATISTICS_PAIRED_H
#define STATISTICS_PAIRED_H

#include <stddef.h>

/* The tests of `count` differences. Both p values are two-sided. */
struct paired {
    double t_p;        /* NaN for fewer than two differences, or if all are the same and not 0 */
    double wilcoxon_p; /* NaN for no difference; 1 if all are 0 */
};

/* Up to this many differences the signed-rank test is exact; above, its p is NaN. */
#define PAIRED_EXACT_MAX 1000

struct paired paired_test(const double *differences, size_t count);

#endif
