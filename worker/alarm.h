/* alarm.h - a timer of a loop: calls a function once at a set time. */
#ifndef WORKER_ALARM_H
#define WORKER_ALARM_H

#include <czmq.h>
#include <stdint.h>

typedef struct alarm alarm_t;

typedef void alarm_fn(void *owner);

/* A timer that is not set. The loop is lent, and outlives the timer's calls. */
alarm_t *alarm_new(zloop_t *loop, alarm_fn *ring, void *owner);
void alarm_destroy(alarm_t **self); /* only after the loop has ended */

/* Sets the timer to call once, not before `due_us`, replacing an earlier time; never for INT64_MAX.
 * Both times are CLOCK_BOOTTIME. */
void alarm_set(alarm_t *self, int64_t due_us, int64_t now_us);

#endif
