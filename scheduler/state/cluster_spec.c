/* cluster_spec.c - see cluster_spec.h. */
#include "scheduler/state/cluster_spec.h"

#include "common/csv.h"
#include "common/data_file.h"
#include "scheduler/state/submission.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMN_SWITCHES,
    COLUMN_NODES,
    COLUMN_GPUS,
    COLUMN_CPUS,
    COLUMN_MEMORY,
    COLUMN_TYPE,
    COLUMN_UNTIL,
    COLUMN_COUNT,
    NUMBER_COUNT = COLUMN_TYPE
};

static const struct csv_column columns[COLUMN_COUNT] = {
    [COLUMN_SWITCHES] = {{"num_switch"}, false},  [COLUMN_NODES] = {{"num_node_p_switch"}, false},
    [COLUMN_GPUS] = {{"num_gpu_p_node"}, false},  [COLUMN_CPUS] = {{"num_cpu_p_node"}, false},
    [COLUMN_MEMORY] = {{"mem_p_node"}, false},    [COLUMN_TYPE] = {{"gpu_type"}, true},
    [COLUMN_UNTIL] = {{"available_until"}, true},
};

struct cluster_spec cluster_spec_default(void)
{
    return (struct cluster_spec)CLUSTER_OF(1, 32, 8);
}

int pool_spec_nodes(const struct pool_spec *pool)
{
    return pool->switches * pool->nodes_per_switch;
}

int pool_spec_gpus(const struct pool_spec *pool)
{
    return pool_spec_nodes(pool) * pool->gpus_per_node;
}

static int sum_pools(const struct cluster_spec *spec, int (*number)(const struct pool_spec *pool))
{
    int sum = 0;

    for (int i = 0; i < spec->pool_count; i++)
        sum += number(&spec->pools[i]);
    return sum;
}

static int pool_switches(const struct pool_spec *pool)
{
    return pool->switches;
}

int cluster_spec_switches(const struct cluster_spec *spec)
{
    return sum_pools(spec, pool_switches);
}

int cluster_spec_nodes(const struct cluster_spec *spec)
{
    return sum_pools(spec, pool_spec_nodes);
}

int cluster_spec_gpus(const struct cluster_spec *spec)
{
    return sum_pools(spec, pool_spec_gpus);
}

int cluster_spec_node_gpus(const struct cluster_spec *spec, int position)
{
    const struct pool_spec *pool = spec->pools;

    for (; position >= pool_spec_nodes(pool); pool++)
        position -= pool_spec_nodes(pool);
    return pool->gpus_per_node;
}

/* How many of the first `count` pools have the type `gpu_type`. */
static int count_type(const struct cluster_spec *spec, int count, const char *gpu_type)
{
    int found = 0;

    for (int i = 0; i < count; i++)
        found += !strcmp(spec->pools[i].gpu_type, gpu_type);
    return found;
}

bool cluster_spec_describe(const struct cluster_spec *spec, char *text, size_t size)
{
    const char *last = spec->pools[0].gpu_type;
    const char *first = last;
    size_t used = 0;

    text[0] = '\0';
    for (int i = 1; i < spec->pool_count; i++) {
        if (count_type(spec, i, spec->pools[i].gpu_type) > 0)
            continue;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", last);
        last = spec->pools[i].gpu_type;
    }
    if (last == first)
        (void)snprintf(text, size, "%d pools of %s", spec->pool_count, first);
    else if (used < size)
        (void)snprintf(text + used, size - used, " and %s", last);
    return last != first;
}

static bool is_name(const struct cluster_spec *spec, const char *name)
{
    for (int i = 0; i < spec->pool_count; i++)
        if (!strcmp(spec->pools[i].name, name))
            return true;
    return false;
}

/* Adds a pool under the name of its GPU type, followed by the first free number if the name is
 * taken. */
void cluster_spec_add(struct cluster_spec *spec, const struct pool_spec *pool)
{
    struct pool_spec *own = &spec->pools[spec->pool_count];

    *own = *pool;
    (void)snprintf(own->name, sizeof(own->name), "%s", pool->gpu_type);
    for (int number = 2; is_name(spec, own->name); number++)
        (void)snprintf(own->name, sizeof(own->name), "%s-%d", pool->gpu_type, number);
    spec->pool_count++;
}

bool gpu_type_is_good(const char *text)
{
    static const char characters[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.+";
    const size_t length = strlen(text);

    return length > 0 && length <= GPU_TYPE_BYTES_MAX && strspn(text, characters) == length &&
           text[0] != '.';
}

/* ---- the file ---- */

static int read_type(csv_t *csv, struct pool_spec *pool, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, COLUMN_TYPE);

    if (!gpu_type_is_good(cell.text))
        return csv_complain(csv, COLUMN_TYPE, GPU_TYPE_EXPECTED, error);
    memcpy(pool->gpu_type, cell.text, cell.length + 1);
    return 0;
}

static int read_numbers(csv_t *csv, int64_t values[NUMBER_COUNT], struct error *error)
{
    static const int64_t limits[NUMBER_COUNT][2] = {
        [COLUMN_SWITCHES] = {1, CLUSTER_NODES_MAX},
        [COLUMN_NODES] = {1, CLUSTER_NODES_MAX},
        [COLUMN_GPUS] = {1, CLUSTER_GPUS_PER_NODE_MAX},
        [COLUMN_CPUS] = {0, INT32_MAX},
        [COLUMN_MEMORY] = {0, INT32_MAX},
    };

    for (size_t i = 0; i < NUMBER_COUNT; i++)
        if (csv_whole(csv, i, limits[i][0], limits[i][1], &values[i], error) < 0)
            return -1;
    return 0;
}

/* Whether a row goes on with the pool before it. In a file with the column available_until it does
 * if its nodes are like those of the pool. Rows of one switch each share that switch. Others need
 * as many nodes below a switch. */
static bool joins(const csv_t *csv, const struct cluster_spec *spec, const struct pool_spec *pool)
{
    const struct pool_spec *last = spec->pool_count > 0 ? &spec->pools[spec->pool_count - 1] : NULL;

    return last && csv_has(csv, COLUMN_UNTIL) && last->gpus_per_node == pool->gpus_per_node &&
           !strcmp(last->gpu_type, pool->gpu_type) &&
           ((last->switches == 1 && pool->switches == 1) ||
            last->nodes_per_switch == pool->nodes_per_switch);
}

static void join(struct pool_spec *pool, const struct pool_spec *more)
{
    if (pool->switches == 1 && more->switches == 1)
        pool->nodes_per_switch += more->nodes_per_switch;
    else
        pool->switches += more->switches;
}

static int check_more(const csv_t *csv, const struct cluster_spec *spec, struct error *error)
{
    if (spec->pool_count > 0 && !csv_has(csv, COLUMN_TYPE))
        return error_set(error,
                         "%s:%" PRId64 ": expected the end of the file, found a second row: "
                         "%s",
                         csv_path(csv), csv_line(csv),
                         csv_has(csv, COLUMN_UNTIL)
                             ? "nodes with other numbers of GPUs, or below other numbers of "
                               "switches, need the column gpu_type"
                             : "several pools need the column gpu_type");
    if (spec->pool_count == CLUSTER_POOLS_MAX)
        return error_set(error, "%s:%" PRId64 ": expected at most %d rows, each a pool",
                         csv_path(csv), csv_line(csv), CLUSTER_POOLS_MAX);
    return 0;
}

/* Reads the end of the nodes of a row, which are `node_count` from `first_node` on. */
static int read_end(csv_t *csv, struct cluster_spec *spec, int first_node, int node_count,
                    struct error *error)
{
    struct end_spec end = {first_node, node_count, 0};

    if (csv_get(csv, COLUMN_UNTIL).length == 0)
        return 0;
    if (csv_whole(csv, COLUMN_UNTIL, 1, TIME_MAX_S, &end.until_s, error) < 0)
        return -1;
    if (spec->end_count == CLUSTER_ENDS_MAX)
        return csv_complain(csv, COLUMN_UNTIL, "at most 256 rows with an end", error);
    spec->ends[spec->end_count++] = end;
    return 0;
}

static int read_pool(csv_t *csv, struct cluster_spec *spec, struct error *error)
{
    struct pool_spec pool = {.gpu_type = ""};
    int64_t values[NUMBER_COUNT];
    int64_t nodes;

    if (read_numbers(csv, values, error) < 0)
        return -1;
    nodes = values[COLUMN_SWITCHES] * values[COLUMN_NODES];
    if (cluster_spec_nodes(spec) + nodes > CLUSTER_NODES_MAX)
        return csv_complain(csv, COLUMN_NODES, "at most 100000 nodes below all switches", error);
    if (cluster_spec_gpus(spec) + nodes * values[COLUMN_GPUS] > CLUSTER_GPUS_MAX)
        return csv_complain(csv, COLUMN_GPUS, "at most 1048576 GPUs on all nodes", error);
    pool.switches = (int)values[COLUMN_SWITCHES];
    pool.nodes_per_switch = (int)values[COLUMN_NODES];
    pool.gpus_per_node = (int)values[COLUMN_GPUS];
    if (csv_has(csv, COLUMN_TYPE) && read_type(csv, &pool, error) < 0)
        return -1;
    if (csv_has(csv, COLUMN_UNTIL) &&
        read_end(csv, spec, cluster_spec_nodes(spec), (int)nodes, error) < 0)
        return -1;
    if (joins(csv, spec, &pool)) {
        join(&spec->pools[spec->pool_count - 1], &pool);
        return 0;
    }
    if (check_more(csv, spec, error) < 0)
        return -1;
    cluster_spec_add(spec, &pool);
    return 0;
}

static int read_pools(csv_t *csv, struct cluster_spec *spec, struct error *error)
{
    int got;

    if (csv_expect(csv, columns, COLUMN_COUNT, error) < 0)
        return -1;
    spec->pool_count = spec->end_count = 0;
    while ((got = csv_next(csv, error)) > 0)
        if ((!csv_has(csv, COLUMN_UNTIL) && check_more(csv, spec, error) < 0) ||
            read_pool(csv, spec, error) < 0)
            return -1;
    if (got == 0 && spec->pool_count == 0)
        return error_set(error, "%s:%" PRId64 ": expected a row after the header, found the end",
                         csv_path(csv), csv_line(csv));
    return got;
}

int cluster_spec_read(const char *path, struct cluster_spec *spec, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int result;

    if (!csv) {
        data_file_suggest(DATA_CLUSTERS, path, error);
        return -1;
    }
    result = read_pools(csv, spec, error);
    csv_destroy(&csv);
    return result;
}
