/* host.c - see host.h. */
#include "worker/host.h"

#include "common/descriptors.h"
#include "protocol/link.h"
#include "worker/address.h"
#include "worker/other_users.h"
#include "worker/rates.h"
#include "worker/trainer_command.h"

#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The descriptors that a worker has open at once: a trainer's process, its connection and that of
 * its successor for each GPU, and its own logs, sockets and what libzmq wakes its threads with. */
#define DESCRIPTORS_OF_A_GPU 3
#define DESCRIPTORS_OWN      (48 + LINK_DESCRIPTORS_KEPT)

static int find_address(const struct worker_settings *settings, struct host *host,
                        struct error *error)
{
    if (!settings->address)
        return address_towards(settings->master_address, host->address, sizeof(host->address),
                               error);
    (void)snprintf(host->address, sizeof(host->address), "%s", settings->address);
    return address_check(host->address, error) < 0 ? error_prefix(error, "--address") : 0;
}

/* Reads the keys of the session: the worker's and the master's. */
static int find_keys(const struct worker_settings *settings, struct host *host, struct error *error)
{
    if (!settings->keys)
        return 0;
    host->keys = keys_read(settings->keys, settings->name, error);
    return host->keys && keys_public_of(host->keys, "master", error) ? 0 : -1;
}

/* Checks only that the named GPU type and rates exist: the rates are read when the first command
 * asks for one. */
static int check_rates(const struct worker_settings *settings, struct error *error)
{
    const bool is_named =
        settings->throughputs || strcmp(settings->gpu_type, GPU_TYPE_DEFAULT) != 0;

    return is_named ? rates_check(settings->throughputs, settings->gpu_type, error) : 0;
}

static void name_master(const struct worker_settings *settings, struct host *host)
{
    const bool is_ipv6 = strchr(settings->master_address, ':');

    (void)snprintf(host->master, sizeof(host->master),
                   is_ipv6 ? "tcp://[%.200s]:%" PRId64 : "tcp://%.200s:%" PRId64,
                   settings->master_address, settings->master_port);
}

/* Sets the environment of programs. Ranks on other nodes meet the ranks here on the interface of
 * this node's address. */
static int find_environment(const struct worker_settings *settings, struct host *host,
                            struct error *error)
{
    char interface[IF_NAMESIZE];

    address_interface(host->address, interface, sizeof(interface));
    host->environment =
        environment_of_node(environ, settings->pass_env, interface, &host->network, error);
    return host->environment ? 0 : -1;
}

int host_find(const struct worker_settings *settings, struct host *host, struct error *error)
{
    *host = (struct host){.keys = NULL};
    if (trainer_program_find(settings->trainer, host->trainer, sizeof(host->trainer), error) < 0 ||
        find_address(settings, host, error) < 0 || find_keys(settings, host, error) < 0 ||
        check_rates(settings, error) < 0)
        return -1;
    name_master(settings, host);
    if (endpoint_check(host->master, host->keys, error) < 0)
        return -1;
    if (find_environment(settings, host, error) < 0)
        return -1;
    if (gpus_find((int32_t)settings->gpu_count, settings->emulate, settings->gpu_memory_mib,
                  &host->gpus, error) < 0 ||
        (settings->real_gpus && gpus_check_real(&host->gpus, error) < 0))
        return -1;
    host->visible = gpus_visible(&host->gpus);
    (void)other_users_can_run(settings->run_dir, host->only, sizeof(host->only));
    return descriptors_allow(DESCRIPTORS_OWN + DESCRIPTORS_OF_A_GPU * (size_t)host->gpus.room,
                             error);
}

void host_clear(struct host *host)
{
    keys_destroy(&host->keys);
    gpus_clear(&host->gpus);
    free(host->environment);
    free(host->visible);
}
