/* testbed.c - see testbed.h. */
#include "scheduler/testbed.h"

#include "common/log.h"
#include "protocol/timing.h"
#include "scheduler/backend/backend_master.h"
#include "scheduler/report/progress.h"

int testbed_run(const struct testbed *testbed, const struct simulation *simulation,
                struct simulation_result *result, struct error *error)
{
    const struct backend_master_setting setting = {
        .master = testbed->master,
        .keys = testbed->keys,
        .name = testbed->name,
        .fast_forward = testbed->fast_forward,
        .time_scale = testbed->time_scale > 0 || testbed->fast_forward ? testbed->time_scale : 1,
        .heartbeat_ms = HEARTBEAT_MS_DEFAULT,
        .stop_asked = progress_stop_asked,
    };
    struct simulation run = *simulation;
    backend_master_t *backend;
    int status;

    log_open("scheduler", testbed->name);
    backend = backend_master_new(&setting, error);
    if (!backend)
        return -1;
    if (!simulation->only_check)
        run.backend = backend_master_calls(backend);
    status = simulation_run(&run, result, error);
    backend_master_destroy(&backend);
    return status;
}
