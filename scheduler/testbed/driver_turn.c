/* driver_turn.c - turns of the loop, in which the cluster is heard and waited for. */
#include "scheduler/testbed/driver.h"

#include <inttypes.h>

#define LOOK_MS 100 /* between looks at whether the run is to stop */

static int on_look(zloop_t *loop, int timer, void *argument)
{
    (void)loop;
    (void)timer;
    (void)argument;
    return -1; /* ends the loop, which the next turn resumes */
}

/* Ends the loop at the second call. Timers are called before sockets are read, so between two calls
 * all that has arrived is heard. */
static int on_wake(zloop_t *loop, int timer, void *argument)
{
    testbed_driver_t *self = argument;

    (void)loop;
    (void)timer;
    return --self->wakes_in > 0 ? 0 : -1;
}

void driver_wake(void *owner)
{
    testbed_driver_t *self = owner;

    if (self->wakes_in > 0)
        return;
    self->wakes_in = 2;
    (void)zloop_timer(self->loop, 0, 2, on_wake, self);
}

void driver_turn(testbed_driver_t *self, size_t ms)
{
    const int timer = zloop_timer(self->loop, ms, 1, on_look, self);

    (void)zloop_start(self->loop);
    zloop_timer_end(self->loop, timer);
    capacity_send_orders(self->capacity);
}

bool driver_stop_asked(const testbed_driver_t *self)
{
    return self->setting.stop_asked && self->setting.stop_asked();
}

static int stopped(const testbed_driver_t *self, struct error *error)
{
    const int up = capacity_nodes_up(self->capacity);

    if (capacity_is_attached(self->capacity) && up < capacity_expected(self->capacity))
        return error_set(error, "stopped while waiting for workers: %d of %" PRId64 " are there",
                         up, capacity_expected(self->capacity));
    return error_set(error, "stopped while waiting for the master at %s",
                     self->setting.master.address);
}

int driver_wait(testbed_driver_t *self, bool (*ready)(const capacity_t *capacity),
                struct error *error)
{
    while (!ready(self->capacity)) {
        if (driver_stop_asked(self))
            return stopped(self, error);
        if (capacity_check(self->capacity, error) < 0)
            return -1;
        driver_turn(self, LOOK_MS);
    }
    return 0;
}
