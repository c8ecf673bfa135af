/* use_curve.c - see use_curve.h. */
#include "scheduler/report/use_curve.h"

#include <assert.h>

/* Doubles the length of the parts. */
static void fold(struct use_curve *self)
{
    for (int i = 0; i < USE_CURVE_PARTS; i++) {
        const int from = 2 * i;

        self->gpu_s[i] = from < USE_CURVE_PARTS ? self->gpu_s[from] + self->gpu_s[from + 1] : 0;
    }
    self->part_s *= 2;
}

void use_curve_step(struct use_curve *self, int64_t now_s, int gpus_used, int gpus_up)
{
    if (self->part_s == 0) {
        self->begin_s = self->until_s = now_s;
        self->part_s = 1;
    }
    assert(now_s >= self->until_s);
    while ((now_s - self->begin_s) / USE_CURVE_PARTS >= self->part_s)
        fold(self);
    while (self->until_s < now_s) {
        const int64_t part = (self->until_s - self->begin_s) / self->part_s;
        const int64_t part_end_s = self->begin_s + (part + 1) * self->part_s;
        const int64_t end_s = part_end_s < now_s ? part_end_s : now_s;

        self->gpu_s[part] += (double)(end_s - self->until_s) * self->gpus_used;
        self->until_s = end_s;
    }
    self->gpus_used = gpus_used;
    if (gpus_up > self->gpus_most)
        self->gpus_most = gpus_up;
}

static double within(double from, double until, double low, double high)
{
    const double left = from > low ? from : low;
    const double right = until < high ? until : high;

    return right > left ? right - left : 0;
}

/* The means of `count` equal intervals. Use counts as constant within a part, and within the known
 * part of the last one. */
void use_curve_means(const struct use_curve *self, size_t count, double means[])
{
    const double known_s = (double)(self->until_s - self->begin_s);
    const double mean_s = known_s / (double)count;

    for (size_t i = 0; i < count; i++) {
        double gpu_s = 0;

        for (int part = 0; part < USE_CURVE_PARTS && mean_s > 0; part++) {
            const double from_s = (double)(part * self->part_s);
            const double until_s =
                from_s + (double)self->part_s < known_s ? from_s + (double)self->part_s : known_s;

            if (until_s > from_s)
                gpu_s += self->gpu_s[part] / (until_s - from_s) *
                         within(from_s, until_s, (double)i * mean_s, (double)(i + 1) * mean_s);
        }
        means[i] = mean_s > 0 ? gpu_s / mean_s : 0;
    }
}
