/* both_worlds.c - see both_worlds.h. */
#include "tests/engine/both_worlds.h"

#include "scheduler/reference/leasing.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

void world_print_trace(const struct world *world, FILE *out)
{
    (void)fputs(world->other_dialect ? "job_id,submit_time,iteration,model_name,ddl,batch_size,"
                                       "num_gpu,duration,best_effort\n"
                                     : "job_id,submission_time,num_iteration,model_name,deadline,"
                                       "batch_size,num_gpu,duration,best_effort\n",
                out);
    for (size_t i = 0; i < world->job_count; i++) {
        const struct oracle_job *job = &world->jobs[i];

        (void)fprintf(out, "%s,%.0f,%.0f,%s,%.0f,%ld,%ld,%.0f,%d\n", job->id, job->submit_s,
                      job->iterations, job->model, job->deadline_s, job->batch_size, job->num_gpu,
                      job->duration_s, job->best_effort ? 1 : 0);
    }
}

static const char *write_trace(const struct world *world, folder_t *folder)
{
    const char *path = folder_file(folder, "trace.csv");
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    world_print_trace(world, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

const char *write_cluster(const struct oracle_cluster *cluster, folder_t *folder)
{
    char text[200];

    (void)snprintf(text, sizeof(text),
                   "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n"
                   "%d,%d,%d,64,256\n",
                   cluster->switches, cluster->nodes_per_switch, cluster->gpus_per_node);
    return folder_write(folder, "cluster.csv", text);
}

struct engine_run world_run_engine(const struct world *world, folder_t *folder)
{
    struct simulation simulation = {.policy = world->policy,
                                    .rules = world->rules,
                                    .trace = write_trace(world, folder),
                                    .cluster = write_cluster(&world->cluster, folder),
                                    .throughputs = tables_folder(),
                                    .gpu_type = tables_gpu_type(world->tables),
                                    .slot_s = world->slot_s,
                                    .restart_threshold = world->restart_threshold,
                                    .run_id = 1,
                                    .log_path = folder_file(folder, "results")};
    struct leasing leasing = LEASING_DEFAULT;
    struct simulation_result result;
    struct engine_run run = {.status = 0};

    leasing.solver_name = world->solver ? world->solver : "none";
    if (policy_find(world->policy)->reads_no_tables)
        simulation.own = &leasing;
    run.status = world->driver ? run_execute(&simulation, world->driver, &result, &run.error)
                               : simulation_run(&simulation, &result, &run.error);
    if (run.status != 0) {
        assert_false(folder_has(folder, "results/summary.json"));
        assert_true(world->driver || !folder_has(folder, "results"));
        return run;
    }
    run.accepted = result.figures.accepted;
    run.declined = result.figures.declined;
    json_decref(result.summary);
    run.jobs_csv = folder_read(folder, "results/jobs.csv");
    run.rounds_csv = folder_read(folder, "results/rounds.csv");
    return run;
}

void engine_run_clear(struct engine_run *run)
{
    free(run->jobs_csv);
    free(run->rounds_csv);
    *run = (struct engine_run){0};
}

void world_check_engine(const struct world *world, int64_t accepted, int64_t declined,
                        const char *jobs_csv, const char *rounds_csv)
{
    folder_t *folder = folder_new();
    struct engine_run run = world_run_engine(world, folder);

    if (run.status != 0)
        fail_msg("%s", run.error.text);
    assert_string_equal(run.jobs_csv, jobs_csv);
    if (rounds_csv)
        assert_string_equal(run.rounds_csv, rounds_csv);
    assert_int_equal(run.accepted, accepted);
    assert_int_equal(run.declined, declined);
    engine_run_clear(&run);
    folder_destroy(&folder);
}

static enum oracle_policy oracle_policy_of(const char *name)
{
    static const char *const names[] = {
        [ORACLE_EF_ACCESSCTRL] = "ef-accessctrl",
        [ORACLE_EF] = "ef",
        [ORACLE_EDF] = "edf",
        [ORACLE_EDF_ACCESSCTRL] = "edf-accessctrl",
        [ORACLE_GANDIVA] = "gandiva",
        [ORACLE_DLAS_GPU] = "dlas-gpu",
        [ORACLE_THEMIS] = "themis",
    };

    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(name, names[i]))
            return (enum oracle_policy)i;
    fail_msg("the oracle knows no policy %s", name);
    return ORACLE_EF;
}

unsigned oracle_repairs_of(const char *rules)
{
    char tags[200] = "";
    char *rest = NULL;
    unsigned repairs = 0;

    (void)snprintf(tags, sizeof(tags), "%s", rules ? rules : "");
    for (char *tag = strtok_r(tags, ",", &rest); tag; tag = strtok_r(NULL, ",", &rest)) {
        if (oracle_repair_of(tag) == 0)
            fail_msg("the oracle cannot do without %s", tag);
        repairs |= oracle_repair_of(tag);
    }
    return repairs;
}

void world_run_oracle(const struct world *world, long round_max, struct oracle_run_result *result)
{
    const struct oracle_setting setting = {.policy = oracle_policy_of(world->policy),
                                           .slot_s = world->slot_s,
                                           .gpu_type = tables_gpu_type(world->tables),
                                           .cleaned = oracle_repairs_of(world->rules)};

    oracle_run(&setting, &world->cluster, tables_for_oracle(world->tables), world->jobs,
               world->job_count, round_max, result);
}

void world_check(const struct world *world, int64_t accepted, int64_t declined,
                 const char *jobs_csv, const char *rounds_csv)
{
    struct oracle_run_result result;

    world_check_engine(world, accepted, declined, jobs_csv, rounds_csv);
    world_run_oracle(world, WORLD_ROUNDS_MAX, &result);
    assert_string_equal(result.status.text, "");
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    assert_string_equal(result.jobs_csv.text, jobs_csv);
    assert_int_equal(result.jobs_csv.length, strlen(jobs_csv));
    if (rounds_csv)
        assert_string_equal(result.rounds_csv.text, rounds_csv);
    assert_int_equal(result.accepted, accepted);
    assert_int_equal(result.declined, declined);
    oracle_run_result_clear(&result);
}

bool same_jobs(const struct engine_run *run, const struct oracle_run_result *result)
{
    return run->status == 0 && run->accepted == result->accepted &&
           run->declined == result->declined && !strcmp(run->jobs_csv, result->jobs_csv.text);
}

bool same_layouts(const struct engine_run *run, const struct oracle_run_result *result)
{
    return run->status == 0 && !strcmp(run->rounds_csv, result->rounds_csv.text);
}

void world_explain(const struct world *world, const struct engine_run *run,
                   const struct oracle_run_result *result)
{
    printf("%s under %s on %d x %d x %d %s, slot %d s\n"
           "engine: %s, %lld accepted, %lld declined\n"
           "oracle: outcome %d, %s, %ld accepted, %ld declined\n",
           world->policy, world->rules ? world->rules : "reference", world->cluster.switches,
           world->cluster.nodes_per_switch, world->cluster.gpus_per_node,
           tables_gpu_type(world->tables), world->slot_s,
           run->status == 0 ? "done" : run->error.text, (long long)run->accepted,
           (long long)run->declined, (int)result->status.outcome, result->status.text,
           result->accepted, result->declined);
    world_print_trace(world, stdout);
    printf("engine's jobs.csv:\n%s\noracle's jobs.csv:\n%s\nengine's rounds.csv:\n%s\noracle's "
           "rounds.csv:\n%s\n",
           run->jobs_csv ? run->jobs_csv : "none", result->jobs_csv.text,
           run->rounds_csv ? run->rounds_csv : "none", result->rounds_csv.text);
}
