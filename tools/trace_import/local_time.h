/* local_time.h - dates with times as job logs write them, "2017-10-03 14:05:59" or with a T
 * between, in seconds since 1970. The zone is that of the process's TZ. */
#ifndef TRACE_IMPORT_LOCAL_TIME_H
#define TRACE_IMPORT_LOCAL_TIME_H

#include "common/error.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define LOCAL_TIME_EXPECTED "a time like 2017-10-03 14:05:59"

/* A time of day. Where clocks change, an hour comes twice or never, and has two readings: by the
 * clocks before the change, and by those after it. Elsewhere both are the same. */
struct local_time {
    double seconds;   /* NaN for no time */
    double otherwise; /* the reading by the clocks after the change */
};

#define LOCAL_TIME_NONE                                                                            \
    {                                                                                              \
        NAN, NAN                                                                                   \
    }

/* The most times of one job that are ordered together. */
#define LOCAL_TIME_CHAIN_MAX 3

/* Sets the zone of all times from now on, as "UTC" or "America/Los_Angeles". -1 with `error` if the
 * system knows no such zone. */
int local_time_zone(const char *zone, struct error *error);

/* Parses a time; fractions of a second and a Z or offset at the end are accepted. `seconds` is the
 * reading by the clocks before the change. False if `text` is no such time. */
bool local_time_parse(const char *text, struct local_time *time);

/* Whether `text` stands for a missing time: "", None, Unknown, N/A, null, NaN. */
bool local_time_is_none(const char *text);

/* Chooses readings with which no time comes before its predecessor, changing as few times as
 * possible. If that is impossible, the first time is left out of the order. */
void local_time_order(struct local_time times[], size_t count);

#endif
