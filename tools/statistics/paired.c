/* paired.c - see paired.h.
 *
 * Source: Student, Biometrika 6(1), 1908; Wilcoxon, Biometrics Bulletin 1(6), 1945. Differences of
 * 0 are left out, as Wilcoxon does. */
#include "tools/statistics/paired.h"

#include "common/memory.h"
#include "common/sort.h"
#include "tools/statistics/student.h"

#include <math.h>
#include <stdlib.h>

static double t_p(const double *differences, size_t count)
{
    double mean = 0;
    double squares = 0;

    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; i++)
        mean += differences[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (differences[i] - mean) * (differences[i] - mean);
    if (squares <= 0)
        return mean == 0 ? 1 : NAN;
    return student_beyond(fabs(mean) / sqrt(squares / (double)(count - 1) / (double)count),
                          (double)(count - 1));
}

/* Ranks the differences other than 0 by size. `ranks` gets twice each rank, which is a whole
 * number; `positive` gets the sum of these for differences above 0. Returns the number of ranks. */
static size_t rank(const double *differences, size_t count, size_t ranks[], size_t *positive)
{
    struct keyed *order = xcalloc(count, sizeof(*order));
    struct keyed *scratch = xcalloc(count, sizeof(*scratch));
    size_t kept = 0;

    *positive = 0;
    for (size_t i = 0; i < count; i++)
        if (differences[i] != 0)
            order[kept++] = (struct keyed){fabs(differences[i]), i};
    sort_keyed(order, kept, scratch);
    for (size_t first = 0, end; first < kept; first = end) {
        for (end = first + 1; end < kept && order[end].key == order[first].key;)
            end++;
        for (size_t i = first; i < end; i++) {
            ranks[i] = first + 1 + end; /* twice the mean of the first and the last rank */
            *positive += differences[order[i].item] > 0 ? ranks[i] : 0;
        }
    }
    free(order);
    free(scratch);
    return kept;
}

/* The share of all choices of signs for which the sum of ranks is `distance` or more from the
 * middle. */
static double share_beyond(const size_t ranks[], size_t count, size_t sum, size_t distance)
{
    double *ways = xcalloc(sum + 1, sizeof(*ways)); /* the share of choices with each sum */
    size_t reached = 0;
    double share = 0;

    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        reached += ranks[i];
        for (size_t at = reached + 1; at-- > 0;)
            ways[at] = 0.5 * ways[at] + (at >= ranks[i] ? 0.5 * ways[at - ranks[i]] : 0);
    }
    for (size_t at = 0; at <= sum; at++)
        if (2 * at >= sum + distance || 2 * at + distance <= sum)
            share += ways[at];
    free(ways);
    return fmin(1, share);
}

static double wilcoxon_p(const double *differences, size_t count)
{
    size_t *ranks;
    size_t positive;
    size_t kept;
    size_t sum = 0;
    double p = 1;

    if (count == 0 || count > PAIRED_EXACT_MAX)
        return NAN;
    ranks = xcalloc(count, sizeof(*ranks));
    kept = rank(differences, count, ranks, &positive);
    for (size_t i = 0; i < kept; i++)
        sum += ranks[i];
    if (kept > 0)
        p = share_beyond(ranks, kept, sum,
                         2 * positive > sum ? 2 * positive - sum : sum - 2 * positive);
    free(ranks);
    return p;
}

struct paired paired_test(const double *differences, size_t count)
{
    return (struct paired){t_p(differences, count), wilcoxon_p(differences, count)};
}
