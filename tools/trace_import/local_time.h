/* local_time.h - times of day as job logs write them, "2017-10-03 14:05:59" or with a T between,
 * in seconds since 1970. The zone is that of the process's TZ. */
#ifndef TRACE_IMPORT_LOCAL_TIME_H
#define TRACE_IMPORT_LOCAL_TIME_H

#include "common/error.h"

#include <stdbool.h>

#define LOCAL_TIME_EXPECTED "a time like 2017-10-03 14:05:59"

/* Makes `zone`, as "UTC" or "America/Los_Angeles", that of all times from now on. -1 with `error`
 * if the system knows no such zone. */
int local_time_zone(const char *zone, struct error *error);

/* Seconds since 1970; parts of a second and a Z or offset at the end are taken too. False if `text`
 * is no such time. */
bool local_time_parse(const char *text, double *seconds);

/* Whether `text` says that there is no time: nothing, None, Unknown, N/A, null, NaN. */
bool local_time_is_none(const char *text);

#endif
