/* outline.c - see outline.h. */
#include "scheduler/planner/outline.h"

#include "common/wide.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Steps are told by the exponent of the distance and the first bits of its fraction. */
#define FRACTION_BITS 52
#define PART_BITS     3
#define EXPONENT_BIAS INT64_C(1023)

_Static_assert(1 << PART_BITS == OUTLINE_PARTS, "the bits tell the parts");

/* The step that the second from `at_s` on is in. */
static inline int step_of(const struct outline *self, double at_s)
{
    const double distance_s = at_s - self->from_s + 1;
    int64_t bits;
    int step;

    memcpy(&bits, &distance_s, sizeof(bits));
    step = (int)((bits >> (FRACTION_BITS - PART_BITS)) - EXPONENT_BIAS * OUTLINE_PARTS);
    return step < OUTLINE_STEPS ? step : OUTLINE_STEPS - 1;
}

void outline_clear(struct outline *self, double from_s, int gpus)
{
    self->from_s = from_s;
    self->always = gpus;
    self->change_s = INFINITY;
    for (int i = 0; i < OUTLINE_STEPS; i++)
        self->gpus[i] = gpus;
}

WIDE void outline_take(struct outline *self, double from_s, double to_s, int gpus)
{
    const double change_s = from_s > self->from_s ? from_s : to_s;
    const int end = step_of(self, to_s - 1) + 1;

    if (change_s < self->change_s)
        self->change_s = change_s;
    self->always -= gpus;
    for (int i = step_of(self, from_s); i < end; i++)
        self->gpus[i] -= gpus;
}

/* Whether all steps have `gpus` GPUs. A step with fewer has a difference below 0, and so has the
 * bitwise OR of all differences. */
WIDE static bool has(const struct outline *self, double from_s, double to_s, int gpus)
{
    const int end = step_of(self, to_s - 1) + 1;
    int all = 0;

    for (int i = step_of(self, from_s); i < end; i++)
        all |= self->gpus[i] - gpus;
    return all >= 0;
}

bool outline_has(const struct outline *self, double from_s, double to_s, int gpus)
{
    return self->always >= gpus || has(self, from_s, to_s, gpus);
}
