/* speed.h - the real speed of a job, against its profile. It is a median of recent windows, so that
 * a long stall does not count as lasting slowness. All zero: as profiled. */
#ifndef STATE_SPEED_H
#define STATE_SPEED_H

#include <stdint.h>

/* The median of five stands against two stalls in a row, and believes slowness after three. */
#define SPEED_WINDOWS 5

/* The least working time of a window. Less is within the delay of reports. */
#define SPEED_WINDOW_S 60

/* The lowest speed that plans count with. */
#define SPEED_FACTOR_MIN 0.01

struct speed {
    double lags[SPEED_WINDOWS]; /* 1 - real by expected progress, of each window */
    int oldest;
    int heard;  /* number of windows, up to SPEED_WINDOWS */
    double lag; /* median of the lags */

    /* The window that is not full yet. */
    double lag_s;
    int64_t worked_s;
};

/* Takes in that the job worked for `worked_s` at `pace`, real by expected progress. A pace of 0
 * tells nothing about speed. */
void speed_hear(struct speed *self, double pace, int64_t worked_s);

/* The number of windows from which the median is the job's own speed: most windows of the median
 * are then heard. */
#define SPEED_WINDOWS_KNOWN (SPEED_WINDOWS / 2 + 1)

/* Real by profiled speed, above 0 and at most 1; 1 for NULL. A job that is faster than its profile
 * may slow down again, so its promises do not count on that. */
static inline double speed_factor(const struct speed *self)
{
    const double factor = self ? 1 - self->lag : 1;

    if (!(factor < 1))
        return 1;
    return factor > SPEED_FACTOR_MIN ? factor : SPEED_FACTOR_MIN;
}

/* The lag of a job that is over and had at least one window. */
double speed_seen(const struct speed *self);

/* The lowest real by profiled speed of the remembered windows, above 0 and at most 1; 1 for
 * NULL. */
double speed_slowest(const struct speed *self);

#endif
