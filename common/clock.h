/* clock.h - clocks to measure durations by. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>

/* Seconds since some moment in the past, always the same one; this clock is never set. */
double clock_s(void);

/* Microseconds since the machine was started, time in suspend included: the same in all processes
 * of the machine. */
int64_t clock_boot_us(void);

/* The name of the machine's present start: every start of every machine has another, "" if
 * unknown. */
#define CLOCK_BOOT_BYTES 64
void clock_boot_name(char name[CLOCK_BOOT_BYTES]);

/* The time of day, which may be set: microseconds since 1970. */
int64_t clock_day_us(void);

#endif
