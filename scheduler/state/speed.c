/* speed.c - see speed.h. */
#include "scheduler/state/speed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const double lags[], int count)
{
    double sorted[SPEED_WINDOWS];

    memcpy(sorted, lags, (size_t)count * sizeof(sorted[0]));
    qsort(sorted, (size_t)count, sizeof(sorted[0]), compare);
    return sorted[count / 2];
}

void speed_hear(struct speed *self, double pace, int64_t worked_s)
{
    if (!(pace > 0) || worked_s <= 0)
        return;
    self->lag_s += (1 - pace) * (double)worked_s;
    self->worked_s += worked_s;
    if (self->worked_s < SPEED_WINDOW_S)
        return;
    self->lags[self->oldest] = self->lag_s / (double)self->worked_s;
    self->oldest = (self->oldest + 1) % SPEED_WINDOWS;
    self->heard += self->heard < SPEED_WINDOWS;
    self->lag = median(self->lags, SPEED_WINDOWS);
    self->lag_s = 0;
    self->worked_s = 0;
}

double speed_seen(const struct speed *self)
{
    return self->heard < SPEED_WINDOWS_KNOWN ? median(self->lags, self->heard) : self->lag;
}

double speed_slowest(const struct speed *self)
{
    double lag = 0;

    for (int i = 0; self && i < self->heard; i++)
        lag = fmax(lag, self->lags[i]);
    return fmax(1 - lag, SPEED_FACTOR_MIN);
}
