/* moment.h - times and durations as users write and read them: local time, "2 h 5 min". */
#ifndef SERVICE_MOMENT_H
#define SERVICE_MOMENT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOMENT_BYTES   32
#define DURATION_BYTES 32

/* A deadline as a user states it. */
struct deadline {
    enum { DEADLINE_NONE, DEADLINE_AT, DEADLINE_IN } kind;
    int64_t s; /* seconds since 1970, or from now on; 0 for no deadline */
};

/* Reads "none", "+3h", "+1h30m", "2026-11-24", "2026-11-24T18:00" or "2026-11-24 18:00:30". A date
 * is local time, or UTC with "Z" at its end. -1 with `error`. */
int deadline_parse(const char *text, struct deadline *deadline, struct error *error);

/* Prints the time as "2026-11-24 18:00:00" in local time. Returns `text`. */
const char *moment_print(int64_t moment_s, char text[MOMENT_BYTES]);

/* Prints the duration as "2 h 5 min": its two largest units, rounded down, after a "-" if it is
 * negative. Returns `text`. */
const char *duration_print(int64_t duration_s, char text[DURATION_BYTES]);

#endif
