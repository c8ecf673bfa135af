/* clock.h - how long something takes. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>

/* Seconds since some moment in the past, always the same one; this clock is never set. */
double clock_s(void);

/* Microseconds since the machine was started, those included in which it slept: the same in all its
 * processes. */
int64_t clock_boot_us(void);

/* Which start of which machine that was: another text for each, "" where it is not known. */
#define CLOCK_BOOT_BYTES 64
void clock_boot_name(char name[CLOCK_BOOT_BYTES]);

/* The time of day, which may be set: microseconds since 1970. */
int64_t clock_day_us(void);

#endif
