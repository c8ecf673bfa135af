/* cluster_spec.c - see cluster_spec.h. */
#include "scheduler/state/cluster_spec.h"

#include "common/csv.h"

#include <inttypes.h>
#include <stdint.h>

enum { COLUMN_SWITCHES, COLUMN_NODES, COLUMN_GPUS, COLUMN_CPUS, COLUMN_MEMORY, COLUMN_COUNT };

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_SWITCHES] = {{"num_switch"}, false}, [COLUMN_NODES] = {{"num_node_p_switch"}, false},
    [COLUMN_GPUS] = {{"num_gpu_p_node"}, false}, [COLUMN_CPUS] = {{"num_cpu_p_node"}, false},
    [COLUMN_MEMORY] = {{"mem_p_node"}, false},
};

struct cluster_spec cluster_spec_default(void)
{
    return (struct cluster_spec){.switches = 1, .nodes_per_switch = 32, .gpus_per_node = 8};
}

int cluster_spec_nodes(const struct cluster_spec *spec)
{
    return spec->switches * spec->nodes_per_switch;
}

int cluster_spec_gpus(const struct cluster_spec *spec)
{
    return cluster_spec_nodes(spec) * spec->gpus_per_node;
}

static int read_row(csv_t *csv, struct cluster_spec *spec, struct error *error)
{
    int64_t values[COLUMN_COUNT];
    int64_t nodes;
    static const int64_t limits[COLUMN_COUNT][2] = {
        [COLUMN_SWITCHES] = {1, CLUSTER_NODES_MAX},
        [COLUMN_NODES] = {1, CLUSTER_NODES_MAX},
        [COLUMN_GPUS] = {1, CLUSTER_GPUS_PER_NODE_MAX},
        [COLUMN_CPUS] = {0, INT32_MAX},
        [COLUMN_MEMORY] = {0, INT32_MAX},
    };

    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (csv_whole(csv, i, limits[i][0], limits[i][1], &values[i], error) < 0)
            return -1;
    nodes = values[COLUMN_SWITCHES] * values[COLUMN_NODES];
    if (nodes > CLUSTER_NODES_MAX)
        return csv_complain(csv, COLUMN_NODES, "at most 100000 nodes below all switches", error);
    if (nodes * values[COLUMN_GPUS] > CLUSTER_GPUS_MAX)
        return csv_complain(csv, COLUMN_GPUS, "at most 1048576 GPUs on all nodes", error);
    spec->switches = (int)values[COLUMN_SWITCHES];
    spec->nodes_per_switch = (int)values[COLUMN_NODES];
    spec->gpus_per_node = (int)values[COLUMN_GPUS];
    return 0;
}

static int read_only_row(csv_t *csv, struct cluster_spec *spec, struct error *error)
{
    int got;

    if (csv_expect(csv, columns, COLUMN_COUNT, error) < 0)
        return -1;
    got = csv_next(csv, error);
    if (got == 0)
        return error_set(error, "%s:%" PRId64 ": expected a row behind the header, found the end",
                         csv_path(csv), csv_line(csv));
    if (got < 0 || read_row(csv, spec, error) < 0)
        return -1;
    got = csv_next(csv, error);
    if (got > 0)
        return error_set(error, "%s:%" PRId64 ": expected the end of the file, found a second row",
                         csv_path(csv), csv_line(csv));
    return got;
}

int cluster_spec_read(const char *path, struct cluster_spec *spec, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int result;

    if (!csv)
        return -1;
    result = read_only_row(csv, spec, error);
    csv_destroy(&csv);
    return result;
}
