/* inputs.c - see inputs.h. */
#include "scheduler/run/inputs.h"

#include "common/data_file.h"
#include "common/input.h"
#include "scheduler/run/input_files.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The placement scheme of policies that name none. */
#define DEFAULT_SCHEME "best-fit"

const char *const simulation_past_deadlines[] = {"refuse", "clamp", NULL};

void simulation_find_inputs(struct simulation *simulation)
{
    simulation->trace = data_file(DATA_TRACES, simulation->trace);
    simulation->cluster = data_file(DATA_CLUSTERS, simulation->cluster);
}

static const char *gpu_type_of(const struct inputs *inputs, int pool)
{
    const char *own = inputs->setting.cluster.pools[pool].gpu_type;

    return own[0] ? own : inputs->setting.gpu_type;
}

/* Checks that a table is not another GPU type's: a folder without names of types has one table for
 * all. */
static int check_table(const struct inputs *inputs, const throughput_table_t *table,
                       const char *gpu_type, struct error *error)
{
    for (size_t i = 0; i < inputs->table_count; i++)
        if (!strcmp(throughput_source(inputs->tables[i]), throughput_source(table)))
            return error_set(error, "%s: no throughput table for GPU type %s, but one for all",
                             throughput_source(table), gpu_type);
    return 0;
}

static throughput_table_t *read_table(struct inputs *inputs, const char *folder,
                                      const char *gpu_type, struct error *error)
{
    throughput_table_t *table = throughput_read(folder, gpu_type, error);

    if (!table || check_table(inputs, table, gpu_type, error) < 0)
        throughput_destroy(&table);
    else
        inputs->tables[inputs->table_count++] = table;
    return table;
}

/* Reads the tables of all pools. Pools of one GPU type share a table. */
static int read_tables(struct inputs *inputs, const char *folder, struct error *error)
{
    for (int pool = 0; pool < inputs->setting.cluster.pool_count; pool++) {
        const char *gpu_type = gpu_type_of(inputs, pool);
        int same = 0;

        while (same < pool && strcmp(gpu_type_of(inputs, same), gpu_type) != 0)
            same++;
        inputs->throughputs[pool] =
            same < pool ? inputs->throughputs[same] : read_table(inputs, folder, gpu_type, error);
        if (!inputs->throughputs[pool])
            return -1;
    }
    return 0;
}

/* Reads a table that the policy does not need. The table may be missing. */
static void read_unasked(struct inputs *inputs, const struct simulation *simulation)
{
    char *found = simulation->throughputs ? NULL : throughput_default_folder();
    const char *folder = simulation->throughputs ? simulation->throughputs : found;
    struct error ignored;

    if (folder && inputs->setting.cluster.pool_count == 1)
        inputs->unasked = throughput_read(folder, gpu_type_of(inputs, 0), &ignored);
    free(found);
}

static int read_throughputs(struct inputs *inputs, const struct simulation *simulation,
                            struct error *error)
{
    char *found = simulation->throughputs ? NULL : throughput_default_folder();
    const char *folder = simulation->throughputs ? simulation->throughputs : found;
    const int status =
        folder
            ? read_tables(inputs, folder, error)
            : error_set(error,
                        "no folder \"throughputs\" near the program: name one with --throughputs");

    free(found);
    return status;
}

/* Finds the placement scheme. A policy that chooses nodes itself needs a scheme that follows it.
 * Any other policy needs a scheme that chooses nodes. */
static int find_placement(const struct policy *policy, const char *asked,
                          const struct placement **found, struct error *error)
{
    const char *own = policy->placement ? policy->placement : DEFAULT_SCHEME;
    const char *scheme = asked ? asked : own;

    *found = placement_find(scheme);
    if (!*found)
        return error_set(error, "there is no placement scheme \"%s\"", scheme);
    if ((*found)->by_policy == placement_find(own)->by_policy)
        return 0;
    return error_set(error, "policy %s works with the placement scheme \"%s\", not \"%s\"",
                     policy->name, own, scheme);
}

static int find_modules(struct inputs *inputs, const struct simulation *simulation,
                        struct error *error)
{
    struct engine_setting *setting = &inputs->setting;
    const struct policy *policy = policy_find(simulation->policy);

    if (!policy)
        return error_set(error, "there is no policy \"%s\"", simulation->policy);
    if (policy_with_rules(policy, simulation->rules, &inputs->variant, error) < 0)
        return -1;
    inputs->variant.policy.admission =
        policy_admission(&inputs->variant.policy, simulation->admission, error);
    if (!inputs->variant.policy.admission)
        return -1;
    setting->policy = &inputs->variant.policy;
    if (simulation->slot_s == 0 && policy_counts_slots(policy))
        return error_set(error, "policy %s needs a slot of 1 s at least", policy->name);
    return find_placement(setting->policy, simulation->placement, &setting->placement, error);
}

struct promise_terms inputs_terms(const struct inputs *inputs)
{
    const struct policy *policy = inputs->setting.policy;

    return policy->terms ? policy->terms(inputs->options) : (struct promise_terms){.losses = 0};
}

promise_shares_t *inputs_shares(const struct promise_terms *terms, struct error *error)
{
    return promise_shares_new(terms->shares, terms->horizon_s, error);
}

static int settle_shares(struct inputs *inputs, struct error *error)
{
    const struct promise_terms terms = inputs_terms(inputs);

    if (terms.shares)
        inputs->shares = inputs_shares(&terms, error);
    return terms.shares && !inputs->shares ? -1 : 0;
}

/* Refuses options that the policy of the run does not have: they would change nothing. */
static int check_options(const struct inputs *inputs, const struct simulation *simulation,
                         struct error *error)
{
    if (!simulation->values || simulation->shares_values)
        return 0;
    return policy_values_check(simulation->values, &inputs->setting.policy, 1, error);
}

static int settle_options(struct inputs *inputs, const struct simulation *simulation,
                          struct error *error)
{
    const struct policy *policy = inputs->setting.policy;
    const struct policy_setting setting = {
        .node_count = cluster_spec_nodes(&inputs->setting.cluster),
        .gpus_per_node = inputs->setting.cluster.pools[0].gpus_per_node,
        .slot_s = inputs->setting.slot_s,
        .rules = policy->rules,
        .stop = &inputs->stop,
        .command = policy->command};

    inputs->setting.stop = &inputs->stop;
    if (check_options(inputs, simulation, error) < 0)
        return -1;
    if (!policy->options)
        return 0;
    inputs->options = simulation->own ? policy_options_copy(policy->options, simulation->own)
                                      : policy_values_copy(simulation->values, policy);
    inputs->unusual = policy_values_json(policy->options, inputs->options);
    if (policy->options->settle && policy->options->settle(inputs->options, &setting, error) < 0)
        return -1;
    inputs->setting.options = inputs->options;
    return settle_shares(inputs, error);
}

static int find_cluster(struct inputs *inputs, const struct simulation *simulation,
                        struct error *error)
{
    inputs->setting.cluster_name = simulation->cluster;
    inputs->setting.cluster =
        simulation->described.pool_count > 0 ? simulation->described : cluster_spec_default();
    if (!simulation->cluster)
        return 0;
    return cluster_spec_read(simulation->cluster, &inputs->setting.cluster, error);
}

int inputs_refuse_ends(const struct inputs *inputs, const char *what, struct error *error)
{
    if (inputs->setting.cluster.end_count == 0)
        return 0;
    return error_set(error, "%s: column available_until: %s does not know when nodes leave",
                     inputs->setting.cluster_name, what);
}

int inputs_settle(struct inputs *inputs, const struct simulation *simulation, struct error *error)
{
    if (find_modules(inputs, simulation, error) < 0)
        return -1;
    inputs->setting.gpu_type = simulation->gpu_type;
    inputs->setting.slot_s = simulation->slot_s;
    inputs->setting.restart_threshold = simulation->restart_threshold;
    return find_cluster(inputs, simulation, error) < 0 ? -1
                                                       : settle_options(inputs, simulation, error);
}

int inputs_read_tables(struct inputs *inputs, const struct simulation *simulation,
                       struct error *error)
{
    if (inputs_settle(inputs, simulation, error) < 0)
        return -1;
    return inputs->setting.policy->reads_no_tables ? 0
                                                   : read_throughputs(inputs, simulation, error);
}

int inputs_read_all_tables(struct inputs *inputs, const struct simulation *simulation,
                           struct error *error)
{
    return inputs_settle(inputs, simulation, error) < 0
               ? -1
               : read_throughputs(inputs, simulation, error);
}

/* Checks that names of inputs are UTF-8: summary.json names them, and results are read again by
 * these names. */
static int check_names(const struct simulation *simulation, struct error *error)
{
    const char *const names[] = {simulation->trace, simulation->cluster, simulation->throughputs};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i] && input_valid_utf8(names[i], strlen(names[i])) < strlen(names[i]))
            return error_set(error, "%s: expected a path in UTF-8, as summary.json has to name it",
                             names[i]);
    return 0;
}

static enum trace_past_deadline past_deadline(const struct inputs *inputs,
                                              const struct simulation *simulation)
{
    if (!simulation->past_deadlines || strcmp(simulation->past_deadlines, "clamp") != 0)
        return PAST_DEADLINE_REFUSED;
    return inputs->setting.policy->plans_past_deadlines ? PAST_DEADLINE_STANDS
                                                        : PAST_DEADLINE_CLAMPED;
}

int inputs_read(struct inputs *inputs, const struct simulation *simulation, struct error *error)
{
    struct trace_rules rules = {.unknown_model = simulation->unknown_model};

    if (simulation->log_path && check_names(simulation, error) < 0)
        return -1;
    if (inputs_read_tables(inputs, simulation, error) < 0)
        return -1;
    if (inputs->setting.policy->reads_no_tables)
        read_unasked(inputs, simulation);
    rules.throughputs = inputs->throughputs[0];
    rules.shares = inputs->shares;
    rules.past_deadline = past_deadline(inputs, simulation);
    rules.zero_iterations = inputs->setting.policy->stages.measure == MEASURE_SECONDS;
    if (inputs->setting.cluster.pool_count > 1) {
        rules.pools = inputs->throughputs;
        rules.pool_count = inputs->setting.cluster.pool_count;
    }
    input_files_of_policy(inputs);
    inputs->submissions = trace_read(simulation->trace, &rules, error);
    return inputs->submissions ? 0 : -1;
}

void inputs_free(struct inputs *inputs)
{
    submissions_destroy(&inputs->submissions);
    promise_shares_destroy(&inputs->shares);
    throughput_destroy(&inputs->unasked);
    for (size_t i = 0; i < inputs->table_count; i++)
        throughput_destroy(&inputs->tables[i]);
    free(inputs->command);
    json_decref(inputs->unusual);
    free(inputs->options);
}

struct record_setting inputs_recorded(const struct inputs *inputs,
                                      const struct simulation *simulation)
{
    const struct engine_setting *setting = &inputs->setting;

    return (struct record_setting){.policy = setting->policy->name,
                                   .rules = simulation->rules ? simulation->rules : RULES_REFERENCE,
                                   .placement = setting->placement->name,
                                   .admission = simulation->admission,
                                   .gpu_type = setting->gpu_type,
                                   .cluster = setting->cluster,
                                   .slot_s = setting->slot_s,
                                   .restart_threshold = setting->restart_threshold,
                                   .options = setting->policy->options,
                                   .values = inputs->options};
}

struct setting_names inputs_names(const struct inputs *inputs, const struct simulation *simulation)
{
    const struct cluster_spec *cluster = &inputs->setting.cluster;

    assert(inputs->setting.placement);
    return (struct setting_names){
        .policy = inputs->setting.policy->name,
        .rules = simulation->rules ? simulation->rules : RULES_REFERENCE,
        .trace = simulation->trace,
        .cluster = simulation->cluster,
        .gpu_type = cluster->pool_count == 1 ? gpu_type_of(inputs, 0) : NULL,
        .throughputs = inputs->table_count == 1 ? throughput_source(inputs->tables[0]) : NULL,
        .placement = inputs->setting.placement->name,
        .admission = simulation->admission,
        .spec = cluster,
        .switches = cluster_spec_switches(cluster),
        .nodes = cluster_spec_nodes(cluster),
        .gpus = cluster_spec_gpus(cluster),
        .slot_s = simulation->slot_s,
        .restart_threshold = simulation->restart_threshold,
        .world = simulation->world,
        .files = input_files_list(inputs, simulation),
        .options = simulation->options,
        .policy_options = inputs->unusual};
}

struct occurrence *inputs_announce(const struct inputs *inputs, size_t more)
{
    submissions_t *submissions = inputs->submissions;
    const size_t count = submissions_count(submissions);
    struct occurrence *announced = xcalloc(count + more, sizeof(*announced));

    for (size_t i = 0; i < count; i++)
        announced[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                           .submission = submissions_at(submissions, i)};
    return announced;
}
