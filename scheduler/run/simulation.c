/* simulation.c - see simulation.h. */
#include "scheduler/run/simulation.h"

#include "common/clock.h"
#include "scheduler/engine/engine.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/report/progress.h"
#include "scheduler/solver/milp_solver.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SCHEME "elastic"

const char *const simulation_solvers[] = {"none", "cbc", NULL};

/* What is read before anything runs. */
struct inputs {
    struct engine_setting setting;
    struct policy policy; /* under the rules of this run */
    throughput_table_t *throughputs;
    submissions_t *jobs;
};

static throughput_table_t *read_throughputs(const struct simulation *simulation,
                                            struct error *error)
{
    char *found = simulation->throughputs ? NULL : throughput_default_folder();
    const char *folder = simulation->throughputs ? simulation->throughputs : found;
    throughput_table_t *table = NULL;

    if (!folder)
        error_set(error, "no folder \"throughputs\" near the program: name one");
    else
        table = throughput_read(folder, simulation->gpu_type, error);
    free(found);
    return table;
}

/* A policy of slice sets chooses the nodes itself, which its scheme must then follow; any other goes
 * with any scheme that chooses them. */
static int find_placement(const struct policy *policy, const char *asked,
                          const struct placement **found, struct error *error)
{
    const char *own = policy->placement ? policy->placement : DEFAULT_SCHEME;
    const char *scheme = asked ? asked : own;

    *found = placement_find(scheme);
    if (!*found)
        return error_set(error, "there is no placement scheme \"%s\"", scheme);
    if (((*found)->place_turns != NULL) == (placement_find(own)->place_turns != NULL))
        return 0;
    return error_set(error, "policy %s works with the placement scheme \"%s\", not \"%s\"",
                     policy->name, own, scheme);
}

static int find_modules(const struct simulation *simulation, struct inputs *inputs,
                        struct error *error)
{
    struct engine_setting *setting = &inputs->setting;
    const struct policy *policy = policy_find(simulation->policy);

    if (!policy)
        return error_set(error, "there is no policy \"%s\"", simulation->policy);
    if (policy_with_rules(policy, simulation->rules, &inputs->policy, error) < 0)
        return -1;
    setting->policy = &inputs->policy;
    return find_placement(&inputs->policy, simulation->placement, &setting->placement, error);
}

static int settle_leasing(const struct simulation *simulation, struct engine_setting *setting,
                          struct error *error)
{
    setting->leasing = simulation->leasing;
    setting->leasing.stop_asked = simulation->label ? progress_stop_asked : NULL;
    if (simulation->objective)
        setting->leasing.objective = lease_objective_find(simulation->objective);
    if (leasing_settle(&setting->leasing, setting->slot_s, error) < 0)
        return -1;
    if (!simulation->solver || !strcmp(simulation->solver, "none"))
        return 0;
    setting->leasing.solver = milp_find_solver(simulation->solver, error);
    return setting->leasing.solver ? 0 : -1;
}

static int read_inputs(const struct simulation *simulation, struct inputs *inputs,
                       struct error *error)
{
    struct trace_rules rules = {.unknown_model = simulation->unknown_model};

    if (find_modules(simulation, inputs, error) < 0)
        return -1;
    inputs->setting.gpu_type = simulation->gpu_type;
    inputs->setting.slot_s = simulation->slot_s;
    inputs->setting.restart_threshold = simulation->restart_threshold;
    inputs->setting.backend = simulation->backend;
    inputs->setting.cluster =
        simulation->described.gpus_per_node > 0 ? simulation->described : cluster_spec_default();
    if (simulation->cluster &&
        cluster_spec_read(simulation->cluster, &inputs->setting.cluster, error) < 0)
        return -1;
    if (inputs->policy.leases && settle_leasing(simulation, &inputs->setting, error) < 0)
        return -1;
    inputs->throughputs = inputs->policy.leases ? NULL : read_throughputs(simulation, error);
    if (!inputs->throughputs && !inputs->policy.leases)
        return -1;
    rules.throughputs = inputs->throughputs;
    inputs->jobs = trace_read(simulation->trace, &rules, error);
    return inputs->jobs ? 0 : -1;
}

static void watch(progress_line_t *line, const engine_t *engine)
{
    if (!line || !progress_is_due(line))
        return;

    const struct engine_status status = engine_status(engine);

    progress_show(line, &(struct progress_status){.now_s = status.now_s,
                                                  .rounds = status.rounds,
                                                  .settled = status.settled,
                                                  .jobs = status.jobs});
}

/* A simulation can be run again; what a real cluster did cannot. */
static bool keeps_what_was_done(const struct simulation *simulation)
{
    return simulation->backend && simulation->log_path;
}

static int stopped(const struct simulation *simulation, const engine_t *engine, struct error *error)
{
    const struct engine_status status = engine_status(engine);

    error_set(error,
              "stopped at %" PRId64 " s of %s with %" PRId64 " of %" PRId64 " jobs settled; %s%s",
              status.now_s, simulation->backend ? "the run" : "simulated time", status.settled,
              status.jobs,
              keeps_what_was_done(simulation) ? "what was done until then is in "
                                              : "no result is written",
              keeps_what_was_done(simulation) ? simulation->log_path : "");
    return 1;
}

static int run_rounds(const struct simulation *simulation, engine_t *engine, struct error *error)
{
    progress_line_t *line = simulation->label ? progress_new(simulation->label) : NULL;
    int more = 1;

    while (more == 1 && !(line && progress_stop_asked())) {
        more = engine_round(engine, error);
        watch(line, engine);
    }
    progress_destroy(&line);
    if (more == 1 || (more < 0 && simulation->backend && progress_stop_asked()))
        return stopped(simulation, engine, error);
    return more;
}

static struct setting_names name_setting(const struct simulation *simulation,
                                         const struct inputs *inputs)
{
    const struct cluster_spec *cluster = &inputs->setting.cluster;

    assert(inputs->setting.placement);
    return (struct setting_names){
        .policy = inputs->policy.name,
        .rules = simulation->rules ? simulation->rules : RULES_REFERENCE,
        .trace = simulation->trace,
        .cluster = simulation->cluster,
        .gpu_type = simulation->gpu_type,
        .throughputs = inputs->throughputs ? throughput_source(inputs->throughputs) : NULL,
        .placement = inputs->setting.placement->name,
        .switches = cluster->switches,
        .nodes = cluster_spec_nodes(cluster),
        .gpus = cluster_spec_gpus(cluster),
        .slot_s = simulation->slot_s,
        .restart_threshold = simulation->restart_threshold};
}

static int run_reported(const struct simulation *simulation, const struct inputs *inputs,
                        report_t *report, struct simulation_result *result, struct error *error)
{
    const double started_s = clock_s();
    engine_t *engine = engine_new(&inputs->setting, inputs->jobs, report, error);
    int status = -1;

    if (engine && simulation->only_check) {
        engine_destroy(&engine);
        return 0;
    }
    if (engine)
        status = run_rounds(simulation, engine, error);
    if (status == 0 || (status == 1 && keeps_what_was_done(simulation))) {
        const struct setting_names names = name_setting(simulation, inputs);

        result->figures = engine_figures(engine);
        result->figures.wall_s = clock_s() - started_s;
        result->figures.interrupted = status == 1;
        result->nodes = names.nodes;
        result->gpus = names.gpus;
        if (report_commit(report, &names, &result->figures, error) < 0)
            status = -1;
        if (status == 0)
            result->summary =
                simulation->wants_summary ? report_summary(&names, &result->figures) : NULL;
    } else if (engine && keeps_what_was_done(simulation) && engine_status(engine).rounds > 0) {
        report_keep(report, error);
    }
    engine_destroy(&engine);
    return status;
}

/* The same on a real cluster, if there is one. */
static int run_on(const struct simulation *simulation, const struct inputs *inputs,
                  report_t *report, struct simulation_result *result, struct error *error)
{
    const struct backend *backend = simulation->backend;
    int status;

    if (backend && backend->open(backend->self, &inputs->setting.cluster, error) < 0)
        status = progress_stop_asked() ? 1 : -1;
    else
        status = run_reported(simulation, inputs, report, result, error);
    if (backend)
        backend->close(backend->self, status == 0 ? "the run is over" : error->text);
    return status;
}

int simulation_run(const struct simulation *simulation, struct simulation_result *result,
                   struct error *error)
{
    struct inputs inputs = {.throughputs = NULL};
    int status;

    if (simulation->label)
        progress_catch_signals();
    status = read_inputs(simulation, &inputs, error);
    if (status == 0 && simulation->label && progress_stop_asked()) {
        error_set(error, "stopped while reading the inputs; no result is written");
        status = 1;
    }
    if (status == 0) {
        report_t *report = report_new(simulation->log_path, simulation->forced, error);

        if (report && inputs.policy.leases && report_keep_leases(report, error) < 0)
            report_destroy(&report);
        if (report && simulation->backend && report_keep_disturbances(report, error) < 0)
            report_destroy(&report);
        status = report ? run_on(simulation, &inputs, report, result, error) : -1;
        report_destroy(&report);
    }
    submissions_destroy(&inputs.jobs);
    throughput_destroy(&inputs.throughputs);
    return status;
}
