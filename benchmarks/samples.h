/* samples.h - measured numbers: their median, and how a cost grows with a size.
 *
 * Costs are binned by the power of two of their size, each bin gives the median of its sizes and of
 * its costs, and a straight line through the logarithms of these points has the exponent of growth
 * as its slope. Medians keep a round that was interrupted from bending the line. */
#ifndef BENCHMARKS_SAMPLES_H
#define BENCHMARKS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* The middle of `values`, which are put in order; `count` > 0. */
double samples_median(double *values, size_t count);

typedef struct growth growth_t;

growth_t *growth_new(void);
void growth_destroy(growth_t **self);

/* `size` things cost so many seconds; sizes below 1 are left out. */
void growth_add(growth_t *self, double size, double cost_s);

struct growth_point {
    size_t samples;
    double size;
    double cost_s;
};

#define GROWTH_POINTS_MAX 64

/* The points of all bins with at least `samples_min` samples, by rising size; returns how many. */
size_t growth_points(growth_t *self, size_t samples_min,
                     struct growth_point points[GROWTH_POINTS_MAX]);

/* The slope through the logarithms of `points`, of which there are two or more. */
double growth_exponent(const struct growth_point points[], size_t count);

#endif
