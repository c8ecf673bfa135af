/* lease_world.c - see lease_world.h. */
#include "tests/engine/lease_world.h"

#include "common/memory.h"
#include "scheduler/reference/lease_report.h"
#include "scheduler/run/simulation.h"
#include "tests/engine/both_worlds.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lease_world_gpus(const struct lease_world *self)
{
    return self->cluster.switches * self->cluster.nodes_per_switch * self->cluster.gpus_per_node;
}

/* Whether free GPUs are handed out at odd times, at no cost (CH-Q6). */
static bool fills_at_odd_times(const struct lease_world *self)
{
    return !(self->rules && strstr(self->rules, "CH-Q6"));
}

/* A period of a job that is alone, tick by tick, without leases of its own: how long it runs for
 * each start that it pays, or a lease if that is less. */
static double run_per_start_s(const struct lease_world *self)
{
    const struct oracle_chronus_setting *setting = &self->setting;
    const long end_s = 2 * setting->lease_s * setting->admission_s;
    bool runs = false;
    long run_s = 0;
    long starts = 0;

    for (long t = 0; t < end_s; t += setting->check_s) {
        runs = runs && t % setting->lease_s != 0;
        if (!runs && t % setting->admission_s == 0) {
            runs = true;
            starts++;
        }
        runs = runs || (t % 2 == 1 && fills_at_odd_times(self));
        run_s += runs ? setting->check_s : 0;
    }
    return fmin((double)run_s / (double)starts, (double)setting->lease_s);
}

bool lease_world_is_refused(const struct lease_world *self)
{
    const double brings_s = run_per_start_s(self);

    for (size_t i = 0; i < self->job_count; i++)
        if (self->jobs[i].gpus > lease_world_gpus(self) ||
            0.5 * (1 + log2(self->jobs[i].gpus)) >= brings_s)
            return true;
    return false;
}

/* A best-effort job that has no deadline states one all the same, which is none. */
static void print_row(const struct oracle_chronus_job *job, FILE *out)
{
    (void)fprintf(out, "%s,%ld,1,vgg16,", job->id, job->submit_s);
    if (job->level_count > 0)
        (void)fprintf(out, "%ld", job->levels[0].deadline_s);
    else
        (void)fprintf(out, "%ld", job->submit_s - 1);
    (void)fprintf(out, ",128,%d,%ld,%d\n", job->gpus, job->duration_s, job->best_effort);
}

static void print_row_of_chronus(const struct oracle_chronus_job *job, FILE *out)
{
    const char *type = job->level_count == 0 ? "best" : job->level_count == 1 ? "strict" : "soft";

    (void)fprintf(out, "%s,%ld,1,vgg16,", job->id, job->submit_s);
    for (size_t i = 0; i < job->level_count; i++)
        (void)fprintf(out, "%s%ld", i > 0 ? "-" : "", job->levels[i].deadline_s - job->submit_s);
    (void)fputc(',', out);
    for (size_t i = 0; i < job->level_count; i++)
        (void)fprintf(out, "%s%ld", i > 0 ? "-" : "", job->levels[i].value);
    (void)fprintf(out, ",128,%d,%ld,%d,%s\n", job->gpus, job->duration_s, job->best_effort, type);
}

static void print_trace(const struct lease_world *self, FILE *out)
{
    (void)fputs(self->of_chronus
                    ? "job_id,submit_time,iterations,model_name,expect_time_list,"
                      "expect_value_list,batch_size,num_gpu,duration,best_effort,job_type\n"
                    : "job_id,submission_time,num_iteration,model_name,deadline,batch_size,"
                      "num_gpu,duration,best_effort\n",
                out);
    for (size_t i = 0; i < self->job_count; i++)
        (self->of_chronus ? print_row_of_chronus : print_row)(&self->jobs[i], out);
}

static const char *write_trace(const struct lease_world *self, folder_t *folder)
{
    const char *path = folder_file(folder, "trace.csv");
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    print_trace(self, out);
    assert_int_equal(fclose(out), 0);
    return path;
}

static struct leasing leasing_of(const struct lease_world *self)
{
    static const enum lease_objective objectives[] = {
        [ORACLE_CHRONUS_ADAPTIVE] = OBJECTIVE_ADAPTIVE,
        [ORACLE_CHRONUS_MAXIMIZE] = OBJECTIVE_MAXIMIZE,
        [ORACLE_CHRONUS_MINIMIZE] = OBJECTIVE_MINIMIZE};
    struct leasing leasing = LEASING_DEFAULT;

    leasing.lease_s = self->setting.lease_s;
    leasing.check_s = self->setting.check_s;
    leasing.admission_s = self->setting.admission_s;
    leasing.objective = objectives[self->setting.objective];
    leasing.solver_name = self->setting.mode == ORACLE_CHRONUS_PLAN ? "none" : "cbc";
    return leasing;
}

static struct simulation simulation_of(const struct lease_world *self,
                                       const struct leasing *leasing, folder_t *folder)
{
    struct simulation simulation = SIMULATION_DEFAULT;

    simulation.policy = "chronus";
    simulation.rules = self->is_clean ? RULES_CLEAN : self->rules;
    simulation.trace = write_trace(self, folder);
    simulation.cluster = write_cluster(&self->cluster, folder);
    simulation.own = leasing;
    simulation.log_path = folder_file(folder, "results");
    return simulation;
}

struct lease_run lease_world_run_engine(const struct lease_world *self)
{
    folder_t *folder = folder_new();
    const struct leasing leasing = leasing_of(self);
    const struct simulation simulation = simulation_of(self, &leasing, folder);
    struct simulation_result result;
    struct lease_run run = {.until_s = INT64_MAX};

    lease_record_init(&run.record, self->job_count);
    run.status = simulation_run(&simulation, &result, &run.error);
    if (run.status == 0) {
        run.accepted = result.figures.accepted;
        run.declined = result.figures.declined;
        run.admitted =
            ((const struct lease_figures *)(const void *)result.figures.own.values)->admitted;
        lease_record_read(&run.record, simulation.log_path);
    }
    folder_destroy(&folder);
    return run;
}

/* What the oracle reports to. */
struct journal {
    const struct lease_world *world;
    struct lease_record *record;
};

static void note_holders(void *context, long time_s, const size_t *jobs, size_t job_count)
{
    const struct journal *journal = context;
    int *gpus = lease_record_add_layout(journal->record, time_s);

    for (size_t i = 0; i < job_count; i++)
        gpus[jobs[i]] = journal->world->jobs[jobs[i]].gpus;
}

static void note_round(void *context, const struct oracle_chronus_round *round)
{
    const struct journal *journal = context;
    const bool maximizes = round->objective == ORACLE_CHRONUS_MAXIMIZE;

    lease_record_add_line(
        journal->record,
        &(struct lease_line){.at_s = round->time_s,
                             .objective = maximizes ? OBJECTIVE_MAXIMIZE : OBJECTIVE_MINIMIZE,
                             .method = -1,
                             .entries = (int64_t)round->entry_count,
                             .granted_gpus = round->granted_gpus});
}

static double deadline_or_none(const struct oracle_chronus_job_result *result, long deadline_s)
{
    return result->has_deadline ? (double)deadline_s : (double)DEADLINE_NONE_S;
}

static void note_facts(const struct oracle_chronus_job *job,
                       const struct oracle_chronus_job_result *result, struct lease_facts *facts)
{
    const double values[FACT_COUNT] = {
        [FACT_RETIRED_AT] = (double)result->retired_s,
        [FACT_START_TIME] = (double)result->started_s,
        [FACT_END_TIME] = result->end_s,
        [FACT_DEADLINE] =
            deadline_or_none(result, result->has_deadline ? job->levels[0].deadline_s : 0),
        [FACT_BEST_EFFORT] = !result->has_deadline,
        [FACT_CLASS] = result->class,
        [FACT_ESTIMATED] = (double)result->estimated_s,
        [FACT_PROMISED] = deadline_or_none(result, job->submit_s + result->in_force_s),
        [FACT_STARTS] = (double)result->starts,
        [FACT_LEASES] = (double)result->leases,
        [FACT_WAITED] = (double)result->waited_s,
        [FACT_MISSED] = result->missed,
        [FACT_HELD] = (double)result->held_s,
    };

    facts->known = result->retired_s >= 0;
    memcpy(facts->values, values, sizeof(values));
}

/* A contested round says when it was: what had happened before is known. */
static int64_t known_until_s(const struct oracle_status *status)
{
    long at_s;

    if (status->outcome != ORACLE_CONTESTED)
        return INT64_MAX;
    assert_int_equal(sscanf(status->text, "at %ld:", &at_s), 1);
    return at_s;
}

struct lease_run lease_world_run_oracle(const struct lease_world *self, long tick_max)
{
    struct oracle_chronus_setting setting = self->setting;
    struct lease_run run = {.status = 0};
    struct journal journal = {self, &run.record};
    const struct oracle_chronus_watch watch = {note_round, note_holders, &journal};
    struct oracle_chronus_result result;

    setting.gpu_count = lease_world_gpus(self);
    setting.cleaned = oracle_repairs_of(self->rules);
    setting.tick_max = tick_max;
    lease_record_init(&run.record, self->job_count);
    oracle_chronus_run(&setting, self->jobs, self->job_count, &watch, &result);
    run.oracle = result.status;
    run.repaired = result.repairs > 0;
    run.until_s = known_until_s(&result.status);
    run.accepted = (int64_t)result.satisfied;
    run.admitted = (int64_t)result.admitted;
    for (size_t i = 0; i < self->job_count; i++) {
        run.declined += result.jobs[i].has_deadline && result.jobs[i].missed;
        note_facts(&self->jobs[i], &result.jobs[i], &run.record.jobs[i]);
    }
    oracle_chronus_result_clear(&result);
    return run;
}

void lease_run_clear(struct lease_run *run)
{
    lease_record_clear(&run->record);
}

void lease_world_print(const struct lease_world *self)
{
    const struct leasing leasing = leasing_of(self);

    printf("%s mode, %s, rules %s%s, %d x %d x %d GPUs, leases of %ld s, checks every %ld s, "
           "admissions every %ld s\n",
           self->setting.mode == ORACLE_CHRONUS_PLAN ? "plan" : "milp",
           lease_objective_name(leasing.objective), self->rules ? self->rules : "of the reference",
           self->is_clean ? " (clean)" : "", self->cluster.switches, self->cluster.nodes_per_switch,
           self->cluster.gpus_per_node, self->setting.lease_s, self->setting.check_s,
           self->setting.admission_s);
    print_trace(self, stdout);
}

void lease_run_print(const struct lease_run *run)
{
    printf("%s%s: %lld accepted, %lld declined, %lld admitted\n",
           run->status == 0 ? "done" : run->error.text, run->oracle.text, (long long)run->accepted,
           (long long)run->declined, (long long)run->admitted);
    lease_record_print(&run->record);
}
