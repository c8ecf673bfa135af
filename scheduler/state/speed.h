/* speed.h - how fast a job really is, by what its profile says: a median of recent windows, so that
 * one that stalls, however long, is not taken for slowness that lasts. All zero: as profiled. */
#ifndef STATE_SPEED_H
#define STATE_SPEED_H

#include <stdint.h>

/* The median of five stands against two stalls in a row, and believes slowness after three. */
#define SPEED_WINDOWS 5

/* A window has worked for so long at least: less is within what news are late by. */
#define SPEED_WINDOW_S 60

/* Slower than this no plan says anything. */
#define SPEED_FACTOR_MIN 0.01

struct speed {
    double lags[SPEED_WINDOWS]; /* of each window, 1 - real by expected progress */
    int oldest;
    int heard;  /* of the windows, up to SPEED_WINDOWS */
    double lag; /* their median */

    /* The window that is not full yet. */
    double lag_s;
    int64_t worked_s;
};

/* The job worked for `worked_s` at `pace`, real by expected progress. A pace of 0 says nothing of
 * speed. */
void speed_hear(struct speed *self, double pace, int64_t worked_s);

/* From this number of windows on the median is the job's own speed: they are most of the windows of
 * the median. */
#define SPEED_WINDOWS_KNOWN (SPEED_WINDOWS / 2 + 1)

/* Real by profiled speed, above 0; 1 for NULL. At most 1: what is faster than its profile may stop
 * being so, and nothing is promised by it. */
static inline double speed_factor(const struct speed *self)
{
    const double factor = self ? 1 - self->lag : 1;

    if (!(factor < 1))
        return 1;
    return factor > SPEED_FACTOR_MIN ? factor : SPEED_FACTOR_MIN;
}

/* The lag of a job that is over and of which a window was heard at least. */
double speed_seen(const struct speed *self);

/* The least real by profiled speed of the windows that it remembers, above 0 and at most 1; 1 for
 * NULL. */
double speed_slowest(const struct speed *self);

#endif
