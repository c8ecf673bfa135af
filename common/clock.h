/* clock.h - how long something takes. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

/* Seconds since some moment in the past, always the same one; nobody sets this clock. */
double clock_s(void);

#endif
