/* main.c - the worker, with the command line of the published ElasticFlow artifact. */
#include "common/descriptors.h"
#include "common/log.h"
#include "protocol/timing.h"
#include "worker/gpus.h"
#include "worker/settings.h"
#include "worker/worker.h"

#include <stdio.h>
#include <stdlib.h>

static int list_gpus(void)
{
    struct gpus gpus;
    struct error error;
    char *text;

    if (gpus_look(&gpus, &error) < 0)
        return worker_settings_fail(&error);
    text = gpus_write_list(&gpus);
    (void)fputs(text, stdout);
    free(text);
    gpus_clear(&gpus);
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct worker_settings settings = {
        .master_address = "127.0.0.1",
        .master_port = 6888,
        .port = 9000,
        .group_address = "127.0.0.1",
        .group_port = 6889,
        .run_dir = "run",
        .python = "python3",
        .dynamic_requests = true,
        .scheduler_port = 6890,
        .scheduler_address = "127.0.0.1",
        .gpu_type = GPU_TYPE_DEFAULT,
        .workload = "auto",
        .grace_s = GRACE_MS_DEFAULT / 1000.0,
        .stable_after_s = 5,
        .checkpoint_every_s = 600,
        .log_mib = 64,
    };
    struct error error;
    int status;

    descriptors_open_standard();
    if (worker_settings_parse(&settings, argc, argv, &status) != 0)
        return status;
    if (settings.list_gpus)
        return list_gpus();
    log_open("worker", settings.name);
    if (settings.check)
        return worker_check(&settings, &error) < 0 ? worker_settings_fail(&error) : 0;
    return worker_run(&settings, &error) < 0 ? worker_settings_fail(&error) : 0;
}
