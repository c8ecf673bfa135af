/* published_options.c - see published_options.h. */
#include "scheduler/reference/published_options.h"

#include <inttypes.h>
#include <string.h>

/* The numbers of the original program for a number that is not given while another number is. */
static const struct pool_spec usual = {.switches = 1, .nodes_per_switch = 75, .gpus_per_node = 8};

/* Joins both names of an option into `*value`. They have to agree if both are given. */
static int join(const char *name, const char **value, const char *other_name, const char *other,
                struct error *error)
{
    if (!other)
        return 0;
    if (*value && strcmp(*value, other) != 0)
        return error_set(error, "--%s and --%s are one option, found \"%s\" and \"%s\"", name,
                         other_name, *value, other);
    *value = other;
    return 0;
}

static int join_schemes(const char **value, const char *other, struct error *error)
{
    if (*value && other && placement_find(*value) == placement_find(other))
        return 0;
    return join("scheme", value, "placement", other, error);
}

static int number(int64_t given, int otherwise)
{
    return given > 0 ? (int)given : otherwise;
}

static int describe_cluster(const struct published_options *self, struct simulation *simulation,
                            struct error *error)
{
    const struct pool_spec described = {.switches = number(self->switches, usual.switches),
                                        .nodes_per_switch =
                                            number(self->nodes, usual.nodes_per_switch),
                                        .gpus_per_node = number(self->gpus, usual.gpus_per_node)};
    const int64_t nodes = (int64_t)described.switches * described.nodes_per_switch;
    const int64_t gpus = nodes * described.gpus_per_node;

    if (self->switches == 0 && self->nodes == 0 && self->gpus == 0)
        return 0;
    if (simulation->cluster)
        return error_set(error, "--cluster_spec describes the cluster, so --num_switch, "
                                "--num_node_p_switch and --num_gpu_p_node cannot");
    if (nodes > CLUSTER_NODES_MAX)
        return error_set(error,
                         "--num_node_p_switch: expected at most %d nodes below all switches, "
                         "found %" PRId64,
                         CLUSTER_NODES_MAX, nodes);
    if (gpus > CLUSTER_GPUS_MAX)
        return error_set(error,
                         "--num_gpu_p_node: expected at most %d GPUs on all nodes, found %" PRId64,
                         CLUSTER_GPUS_MAX, gpus);
    simulation->described = (struct cluster_spec){.pools = {described}, .pool_count = 1};
    return 0;
}

int published_options_settle(const struct published_options *self, struct simulation *simulation,
                             struct error *error)
{
    if (join("trace_file", &simulation->trace, "trace", self->trace, error) < 0 ||
        join("log_path", &simulation->log_path, "save_log_dir", self->log_path, error) < 0 ||
        join_schemes(&simulation->placement, self->placement, error) < 0)
        return -1;
    return describe_cluster(self, simulation, error);
}
