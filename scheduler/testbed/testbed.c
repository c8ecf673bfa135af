/* testbed.c - see testbed.h. */
#include "scheduler/testbed/testbed.h"

#include "common/log.h"
#include "protocol/timing.h"
#include "scheduler/report/progress.h"
#include "scheduler/testbed/driver.h"

int testbed_run(const struct testbed *testbed, const struct simulation *simulation,
                struct simulation_result *result, struct error *error)
{
    const struct testbed_setting setting = {
        .master = testbed->master,
        .keys = testbed->keys,
        .name = testbed->name,
        .fast_forward = testbed->fast_forward,
        .time_scale = testbed->time_scale > 0 || testbed->fast_forward ? testbed->time_scale : 1,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .stop_asked = progress_stop_asked,
    };
    testbed_driver_t *self;
    struct driver driver = {.is_real = !simulation->only_check,
                            .open = testbed_open,
                            .drive = testbed_drive,
                            .close = testbed_close};
    int status;

    log_open("scheduler", testbed->name);
    self = testbed_driver_new(&setting, error);
    if (!self)
        return -1;
    driver.self = self;
    status = run_execute(simulation, &driver, result, error);
    testbed_driver_destroy(&self);
    return status;
}
