/* alarm.c - see alarm.h. */
#include "worker/alarm.h"

#include "common/memory.h"

#include <stdlib.h>

struct alarm {
    zloop_t *loop;
    alarm_fn *ring;
    void *owner;
    int timer; /* timer of the loop, -1 for none */
};

alarm_t *alarm_new(zloop_t *loop, alarm_fn *ring, void *owner)
{
    alarm_t *self = xcalloc(1, sizeof(*self));

    *self = (struct alarm){loop, ring, owner, -1};
    return self;
}

void alarm_destroy(alarm_t **self)
{
    free(*self);
    *self = NULL;
}

static int on_timer(zloop_t *loop, int timer, void *owner)
{
    alarm_t *self = owner;

    (void)loop;
    if (timer != self->timer) /* czmq may still call a removed timer once */
        return 0;
    self->timer = -1; /* the loop drops a one-time timer once it has fired */
    self->ring(self->owner);
    return 0;
}

void alarm_set(alarm_t *self, int64_t due_us, int64_t now_us)
{
    const int64_t left_us = due_us - now_us;
    const size_t left_ms = left_us > 0 ? (size_t)(left_us / 1000 + 1) : 0;

    if (self->timer >= 0)
        (void)zloop_timer_end(self->loop, self->timer);
    self->timer = due_us < INT64_MAX ? zloop_timer(self->loop, left_ms, 1, on_timer, self) : -1;
}
