/* alarm.h - one time of the clock at which a loop calls. */
#ifndef WORKER_ALARM_H
#define WORKER_ALARM_H

#include <czmq.h>
#include <stdint.h>

typedef struct alarm alarm_t;

typedef void alarm_fn(void *owner);

/* Not set. The loop is lent, and outlives what it calls. */
alarm_t *alarm_new(zloop_t *loop, alarm_fn *ring, void *owner);
void alarm_destroy(alarm_t **self); /* to be called when the loop has ended */

/* Calls once, not before `due_us`, instead of when it was set to before; never for INT64_MAX. Both
 * times are CLOCK_BOOTTIME. */
void alarm_set(alarm_t *self, int64_t due_us, int64_t now_us);

#endif
