/* samples.c - see samples.h. */
#include "benchmarks/samples.h"

#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct sample {
    double size;
    double cost_s;
};

struct growth {
    struct sample *samples;
    size_t count;
    size_t capacity;
};

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double samples_median(double *values, size_t count)
{
    assert(count > 0);
    qsort(values, count, sizeof(*values), compare_numbers);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

growth_t *growth_new(void)
{
    return xcalloc(1, sizeof(growth_t));
}

void growth_destroy(growth_t **self)
{
    if (!*self)
        return;
    free((*self)->samples);
    free(*self);
    *self = NULL;
}

void growth_add(growth_t *self, double size, double cost_s)
{
    if (size < 1)
        return;
    self->samples = grow_array(self->samples, self->count, &self->capacity, sizeof(*self->samples));
    self->samples[self->count++] = (struct sample){size, cost_s};
}

static int bin_of(const struct sample *sample)
{
    return ilogb(sample->size);
}

/* `values` has room for all samples. */
static struct growth_point point_of(const growth_t *self, int bin, double *values)
{
    struct growth_point point = {.samples = 0};

    for (size_t i = 0; i < self->count; i++)
        if (bin_of(&self->samples[i]) == bin)
            values[point.samples++] = self->samples[i].size;
    if (point.samples == 0)
        return point;
    point.size = samples_median(values, point.samples);
    point.samples = 0;
    for (size_t i = 0; i < self->count; i++)
        if (bin_of(&self->samples[i]) == bin)
            values[point.samples++] = self->samples[i].cost_s;
    point.cost_s = samples_median(values, point.samples);
    return point;
}

size_t growth_points(growth_t *self, size_t samples_min,
                     struct growth_point points[GROWTH_POINTS_MAX])
{
    double *values = xcalloc(self->count + 1, sizeof(*values));
    size_t count = 0;

    for (int bin = 0; bin < GROWTH_POINTS_MAX; bin++) {
        const struct growth_point point = point_of(self, bin, values);

        if (point.samples >= samples_min && point.samples > 0)
            points[count++] = point;
    }
    free(values);
    return count;
}

double growth_exponent(const struct growth_point points[], size_t count)
{
    double x_mean = 0;
    double y_mean = 0;
    double xx = 0;
    double xy = 0;

    assert(count > 1);
    for (size_t i = 0; i < count; i++) {
        x_mean += log(points[i].size) / (double)count;
        y_mean += log(points[i].cost_s) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double x = log(points[i].size) - x_mean;

        xx += x * x;
        xy += x * (log(points[i].cost_s) - y_mean);
    }
    return xy / xx;
}
