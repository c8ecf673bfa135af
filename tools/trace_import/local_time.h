/* local_time.h - dates with times as job logs write them, "2017-10-03 14:05:59", or with a T for
 * the blank, in seconds since 1970. Their zone is given by TZ of the process. */
#ifndef TRACE_IMPORT_LOCAL_TIME_H
#define TRACE_IMPORT_LOCAL_TIME_H

#include "common/error.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define LOCAL_TIME_EXPECTED "a time like 2017-10-03 14:05:59"

/* A time of day. Where clocks change, an hour comes twice or never, and a time in it has two
 * readings: by the clocks before the change and by the clocks after the change. Other times have
 * two equal readings. */
struct local_time {
    double seconds;   /* the reading by the clocks before the change; NaN for no time */
    double otherwise; /* the reading by the clocks after the change */
};

#define LOCAL_TIME_NONE                                                                            \
    {                                                                                              \
        NAN, NAN                                                                                   \
    }

/* The largest number of times of a job that are ordered together. */
#define LOCAL_TIME_CHAIN_MAX 3

/* Sets the zone of all times from now on, such as "UTC" or "America/Los_Angeles". Returns -1 with
 * `error` if the system has no such zone. */
int local_time_zone(const char *zone, struct error *error);

/* Parses a time, with or without a fraction of a second, and a Z or offset at its end. Returns
 * false if `text` is no such time. */
bool local_time_parse(const char *text, struct local_time *time);

/* Whether `text` stands for a missing time: "", None, Unknown, N/A, null, NaN. */
bool local_time_is_none(const char *text);

/* Chooses readings in which no time comes before the time that precedes it in the list, with as few
 * readings after a change as possible. If no choice is in order, the first time is left out of the
 * order. */
void local_time_order(struct local_time times[], size_t count);

#endif
