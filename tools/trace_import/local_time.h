/* local_time.h - times of day as job logs write them, "2017-10-03 14:05:59" or with a T between,
 * in seconds since 1970. The zone is that of the process's TZ. */
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
    double otherwise; /* the other reading */
};

#define LOCAL_TIME_NONE                                                                            \
    {                                                                                              \
        NAN, NAN                                                                                   \
    }

/* At most so many times of one job are put in order together. */
#define LOCAL_TIME_CHAIN_MAX 3

/* Makes `zone`, as "UTC" or "America/Los_Angeles", that of all times from now on. -1 with `error`
 * if the system knows no such zone. */
int local_time_zone(const char *zone, struct error *error);

/* Parts of a second and a Z or offset at the end are taken too. The reading is the one by the
 * clocks before the change. False if `text` is no such time. */
bool local_time_parse(const char *text, struct local_time *time);

/* Whether `text` says that there is no time: nothing, None, Unknown, N/A, null, NaN. */
bool local_time_is_none(const char *text);

/* Chooses the readings with which none of `count` times comes before the one above it, and which
 * change as few times as possible. If there are none, the first time is left out of the order. */
void local_time_order(struct local_time times[], size_t count);

#endif
