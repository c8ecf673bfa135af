/* host.c - see host.h. */
#include "worker/host.h"

#include "worker/address.h"
#include "worker/environment.h"
#include "worker/trainer_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int find_address(const struct settings *settings, struct host *host, struct error *error)
{
    if (!settings->address)
        return address_towards(settings->master_address, host->address, sizeof(host->address),
                               error);
    (void)snprintf(host->address, sizeof(host->address), "%s", settings->address);
    return 0;
}

static void name_master(const struct settings *settings, struct host *host)
{
    const bool is_ipv6 = strchr(settings->master_address, ':');

    (void)snprintf(host->master, sizeof(host->master),
                   is_ipv6 ? "tcp://[%.200s]:%" PRId64 : "tcp://%.200s:%" PRId64,
                   settings->master_address, settings->master_port);
}

int host_find(const struct settings *settings, struct host *host, struct error *error)
{
    *host = (struct host){.keys = NULL};
    if (trainer_program_find(settings->trainer, host->trainer, sizeof(host->trainer), error) < 0 ||
        find_address(settings, host, error) < 0)
        return -1;
    if (settings->keys && !(host->keys = keys_read(settings->keys, settings->name, error)))
        return -1;
    name_master(settings, host);
    if (endpoint_check(host->master, host->keys, error) < 0)
        return -1;
    host->environment = environment_select(environ, settings->pass_env, error);
    if (!host->environment)
        return -1;
    if (gpus_find((int32_t)settings->gpu_count, settings->emulate, settings->gpu_memory_mib,
                  &host->gpus, error) < 0 ||
        (settings->real_gpus && gpus_check_real(&host->gpus, error) < 0))
        return -1;
    host->visible = gpus_visible(&host->gpus);
    return 0;
}

void host_clear(struct host *host)
{
    keys_destroy(&host->keys);
    gpus_clear(&host->gpus);
    free(host->environment);
    free(host->visible);
}
