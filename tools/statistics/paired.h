/* paired.h - whether two policies differ on the same jobs, by the differences of their figures, one
 * difference for each seed.
 *
 * Student's paired t test assumes that the differences are a sample of a normal distribution. Its p
 * value agrees with the interval of student.h: p < 0.05 where the interval of 95 % does not contain
 * 0. Wilcoxon's signed-rank test assumes a sample of any symmetric distribution. Its p value is
 * exact. Among all 2^n ways to choose the signs of the n differences other than 0, p is the share
 * whose sum of ranks is at least as far from the middle as the actual sum. Equal differences get
 * the mean of their ranks. The smallest possible p is 2 / 2^n: 0.0625 for five seeds. */
#ifndef STATISTICS_PAIRED_H
#define STATISTICS_PAIRED_H

#include <stddef.h>

/* The tests of `count` differences. Both p values are two-sided. */
struct paired {
    double t_p;        /* NaN for fewer than two differences, or if all are equal and not 0 */
    double wilcoxon_p; /* NaN for no difference; 1 if all are 0 */
};

/* The largest number of differences for which the signed-rank test is computed; with more, its p is
 * NaN. */
#define PAIRED_EXACT_MAX 1000

struct paired paired_test(const double *differences, size_t count);

#endif
