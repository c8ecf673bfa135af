/* closed_form_test.c [COLUMNS] - on the published settings no round is contested, and the closed
 * form then says of each job whether it runs now: just what a solver says of the full model. 300
 * rounds of each setting, spread over the whole run, are solved both ways; of rounds whose model
 * has at most so many columns, for the largest of all, 40001, take a second each. */
#include "common/memory.h"
#include "scheduler/reference/lease_choice.h"
#include "scheduler/reference/lease_model.h"
#include "scheduler/reference/lease_report.h"
#include "scheduler/run/simulation.h"
#include "scheduler/solver/milp_solver.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS_COMPARED 300

static int64_t columns_max = 3000;

struct setting {
    const char *trace;
    const char *cluster;
    const char *gpu_type;
    int64_t slot_s;
    int64_t rounds; /* with jobs to choose from, as published */
};

/* What looks on while the simulation goes. */
struct comparison {
    const struct setting *setting;
    const struct milp_solver *solver;
    milp_t *milp;
    int64_t seen;            /* rounds */
    int64_t eligible;        /* of them small enough, as far as they were seen */
    int64_t eligible_in_all; /* 0 while they are counted */
    int64_t compared;
    int64_t leases; /* granted by both in what was compared */
};

static void compare_choices(struct comparison *self, const struct lease_problem *problem)
{
    const size_t count = problem->entries->count;
    struct lease_choice *choices = xcalloc(count + 1, sizeof(*choices));
    struct milp_limits limits = {.gap_absolute = 0.5};
    struct milp_result result;
    struct lease_model model;

    assert_true(lease_choose_by_closed_form(problem, choices));
    lease_model_build(&model, problem, LEASE_MODEL_FULL, self->milp);
    lease_model_aim_at_use(&model);
    milp_solve(self->solver, self->milp, &limits, &result);
    assert_string_equal(result.error.text, "");
    assert_int_equal(result.answer, MILP_OPTIMAL);
    for (size_t i = 0; i < count; i++) {
        const bool now = result.values[model.now[i]] > 0.5;

        if (now != choices[i].now)
            fail_msg("%s, slot %lld: job %s %s by the full model, but not by the closed form",
                     self->setting->trace, (long long)problem->slot,
                     problem->entries->items[i].lease->job->submission->id, now ? "runs" : "waits");
        self->leases += now;
        slot_runs_free(&choices[i].later);
    }
    lease_model_free(&model);
    free(choices);
    self->compared++;
}

static void observe(void *observer, const struct lease_problem *problem)
{
    struct comparison *self = observer;
    const int64_t due = self->compared * self->eligible_in_all / ROUNDS_COMPARED;

    self->seen++;
    if (lease_model_columns(problem, LEASE_MODEL_FULL) > columns_max)
        return;
    if (self->eligible_in_all > 0 && self->eligible == due && self->compared < ROUNDS_COMPARED)
        compare_choices(self, problem);
    self->eligible++;
}

static void simulate(const struct setting *setting, const char *trace,
                     struct comparison *comparison)
{
    struct simulation simulation = SIMULATION_DEFAULT;
    struct leasing leasing = LEASING_DEFAULT;
    struct simulation_result result;
    const struct lease_figures *figures;
    struct error error;

    simulation.policy = "chronus";
    simulation.trace = trace;
    simulation.cluster = setting->cluster;
    simulation.gpu_type = setting->gpu_type;
    simulation.slot_s = setting->slot_s;
    leasing.observe = observe;
    leasing.observer = comparison;
    simulation.own = &leasing;
    comparison->seen = comparison->eligible = 0;
    assert_int_equal(simulation_run(&simulation, &result, &error), 0);
    assert_int_equal(comparison->seen, setting->rounds);
    figures = (const void *)result.figures.own.values;
    assert_int_equal(figures->by_method[LEASE_BY_CLOSED_FORM], setting->rounds);
}

static char *shared_trace(const char *name)
{
    const char *shared = getenv("RUBATO_SHARED");
    char *path = xmalloc(4096);

    (void)snprintf(path, 4096, "%s/traces/%s", shared ? shared : "../shared", name);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static void compare_on(const struct setting *setting)
{
    struct comparison comparison = {.setting = setting, .milp = milp_new()};
    struct error error;
    char *trace = shared_trace(setting->trace);

    if (!trace)
        exit(77);
    comparison.solver = milp_find_solver("cbc", &error);
    assert_non_null(comparison.solver);
    simulate(setting, trace, &comparison);
    comparison.eligible_in_all = comparison.eligible;
    simulate(setting, trace, &comparison);
    assert_int_equal(comparison.compared, ROUNDS_COMPARED);
    assert_true(comparison.leases > 0);
    milp_destroy(&comparison.milp);
    free(trace);
}

TEST(agrees_on_philly)
{
    compare_on(
        &(struct setting){"philly_103959.csv", "cluster_specs/n32g8.csv", "A100", 60, 24834});
}

TEST(agrees_on_cluster10)
{
    compare_on(&(struct setting){"cluster10.csv", "cluster_specs/n32g8.csv", "A100", 60, 4448});
}

TEST(agrees_on_195job)
{
    compare_on(&(struct setting){"195job.csv", "cluster_specs/n16g8.csv", "A100", 240, 1067});
}

TEST(agrees_on_pollux)
{
    compare_on(
        &(struct setting){"elasticVpollux_e.csv", "cluster_specs/n16g4.csv", "T4", 60, 4810});
}

int main(int argc, char **argv)
{
    if (argc > 1)
        columns_max = strtoll(argv[1], NULL, 10);
    return tests_run(NULL, NULL);
}
