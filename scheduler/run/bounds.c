/* bounds.c - see bounds.h. */
#include "scheduler/run/bounds.h"

#include "scheduler/run/inputs.h"

/* Seconds for the bounds: enough for a month of jobs on a thousand GPUs. */
#define USUAL_SECONDS 60

/* The same inputs under the default policy. The default policy reads throughput tables, as not
 * every policy does. */
static struct simulation without_policy(const struct simulation *simulation)
{
    struct simulation self = SIMULATION_DEFAULT;

    self.trace = simulation->trace;
    self.cluster = simulation->cluster;
    self.described = simulation->described;
    self.throughputs = simulation->throughputs;
    self.gpu_type = simulation->gpu_type;
    self.unknown_model = simulation->unknown_model;
    return self;
}

static int find(struct inputs *inputs, const struct simulation *simulation, enum starts starts,
                int64_t slot_s, double seconds, struct trace_bounds *bounds, struct error *error)
{
    const struct cluster_spec *cluster = &inputs->setting.cluster;

    if (inputs_settle(inputs, simulation, error) < 0 ||
        inputs_refuse_ends(inputs, "a bound", error) < 0)
        return -1;
    if (cluster->pool_count > 1)
        return error_set(error, "%s: a bound needs one pool of GPUs, found %d", simulation->cluster,
                         cluster->pool_count);
    if (inputs_read(inputs, simulation, error) < 0)
        return -1;
    *bounds =
        trace_bounds_find(inputs->submissions, cluster_spec_gpus(cluster), starts, slot_s, seconds);
    return 0;
}

int bounds_find(const struct simulation *simulation, enum starts starts, int64_t slot_s,
                double seconds, struct trace_bounds *bounds, struct error *error)
{
    const struct simulation own = without_policy(simulation);
    struct inputs inputs = {.submissions = NULL};
    const int status = find(&inputs, &own, starts, slot_s, seconds, bounds, error);

    inputs_free(&inputs);
    return status;
}

int bounds_find_usual(const struct simulation *simulation, struct trace_bounds *bounds,
                      struct error *error)
{
    return bounds_find(simulation, STARTS_KNOWN, 0, USUAL_SECONDS, bounds, error);
}
