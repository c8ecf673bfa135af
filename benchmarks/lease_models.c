/* lease_models.c - the integer programs of chronus's lease rounds, as a simulation meets them: how
 * long they take to build and to solve, in full and compacted, and what is left open at a limit.
 *
 * The simulation runs twice: once to see how large its rounds are, once to stop at those whose full
 * model comes nearest to each of some sizes. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"
#include "scheduler/reference/lease_choice.h"
#include "scheduler/reference/lease_model.h"
#include "scheduler/run/simulation.h"
#include "scheduler/solver/milp_solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BUILDS 5

static const int64_t sizes[] = {100, 300, 1000, 3000, 10000, 30000, 100000, 240000};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const double limits_s[] = {0.1, 1, 5};
#define LIMITS (sizeof(limits_s) / sizeof(limits_s[0]))

/* The share of building in the time of building and solving that models above 1,000 columns may
 * have. */
#define BUILD_SHARE 0.05

/* The rounds to stop at: for each size the round that comes nearest. */
struct picks {
    const char *setting;
    bool contested;   /* only rounds in which not all jobs could run at once */
    int64_t smallest; /* smallest of `sizes` in use: sizes below are left out */
    bool measuring;
    int64_t seen;
    int64_t round[SIZES];
    int64_t columns[SIZES]; /* columns of the nearest round for each size, 0 if there is none yet */
    const struct milp_solver *solver;
    milp_t *milp;
};

static bool is_contested(const struct lease_problem *problem)
{
    struct lease_choice *choices = xcalloc(problem->entries->count + 1, sizeof(*choices));
    const bool contested = !lease_choose_by_closed_form(problem, choices);

    for (size_t i = 0; i < problem->entries->count; i++)
        slot_runs_free(&choices[i].later);
    free(choices);
    return contested;
}

static void pick(struct picks *self, const struct lease_problem *problem)
{
    const int64_t columns = lease_model_columns(problem, LEASE_MODEL_FULL);

    if (self->contested && !is_contested(problem))
        return;
    for (size_t i = 0; i < SIZES; i++)
        if (sizes[i] >= self->smallest &&
            llabs(columns - sizes[i]) < llabs(self->columns[i] - sizes[i]) &&
            columns * 4 > sizes[i] * 3 && columns * 3 < sizes[i] * 4) {
            self->columns[i] = columns;
            self->round[i] = self->seen;
        }
}

/* Returns the milliseconds to build the model, and the model of the last build. */
static double build_ms(const struct picks *self, const struct lease_problem *problem,
                       enum lease_detail detail, struct lease_model *model)
{
    double times_s[BUILDS];

    for (int i = 0; i < BUILDS; i++) {
        const double started_s = clock_now_s();

        if (i > 0)
            lease_model_free(model);
        lease_model_build(model, problem, detail, self->milp);
        lease_model_aim_at_use(model);
        times_s[i] = clock_now_s() - started_s;
    }
    return 1000 * samples_median(times_s, BUILDS);
}

static void print_row(const struct picks *self, const struct lease_problem *problem,
                      const char *model, double limit_s, double built_ms,
                      const struct milp_result *result)
{
    const double building_ms = built_ms + 1000 * result->build_seconds;
    const double all_ms = built_ms + 1000 * result->seconds;

    printf("{\"model\": \"%s\", \"setting\": \"%s\", \"entries\": %zu, \"columns\": %d, \"rows\": "
           "%d, \"build_ms\": %.2f, \"solve_ms\": %.1f, \"build_percent\": %.1f, \"limit_s\": %g, "
           "\"answer\": \"%s\", \"gap_gpus\": ",
           model, self->setting, problem->entries->count, milp_columns(self->milp),
           milp_rows(self->milp), building_ms, all_ms - building_ms, 100 * building_ms / all_ms,
           limit_s, milp_answer_name(result->answer));
    if (isfinite(result->gap))
        printf("%.3g", result->gap);
    else
        printf("\"-\"");
    if (milp_columns(self->milp) > 1000 && limit_s >= limits_s[LIMITS - 1])
        printf(", \"met\": %s", building_ms <= BUILD_SHARE * all_ms ? "true" : "false");
    printf("}\n");
    (void)fflush(stdout);
}

static void measure_model(const struct picks *self, const struct lease_problem *problem,
                          enum lease_detail detail)
{
    static const char *const names[] = {"compacted", "tightened", "full"};
    const size_t first = detail == LEASE_MODEL_FULL ? 0 : LIMITS - 1;
    struct lease_model model;
    const double built_ms = build_ms(self, problem, detail, &model);

    for (size_t i = first; i < LIMITS; i++)
        for (int unproven = 0; unproven <= (detail == LEASE_MODEL_FULL); unproven++) {
            const struct milp_limits limits = {
                .seconds = limits_s[i], .gap_absolute = 0.5, .unproven = unproven};
            struct milp_result result;

            milp_solve(self->solver, self->milp, &limits, &result);
            print_row(self, problem, unproven ? "full, no proof" : names[detail], limits.seconds,
                      built_ms, &result);
        }
    lease_model_free(&model);
}

static void measure_closed_form(const struct picks *self, const struct lease_problem *problem)
{
    double times_s[BUILDS];

    for (int i = 0; i < BUILDS; i++) {
        const double started_s = clock_now_s();

        (void)is_contested(problem);
        times_s[i] = clock_now_s() - started_s;
    }
    printf("{\"model\": \"closed form\", \"setting\": \"%s\", \"entries\": %zu, \"solve_ms\": "
           "%.4f}\n",
           self->setting, problem->entries->count, 1000 * samples_median(times_s, BUILDS));
}

static void observe(void *observer, const struct lease_problem *problem)
{
    struct picks *self = observer;

    for (size_t i = 0; i < SIZES && self->measuring; i++)
        if (self->columns[i] > 0 && self->round[i] == self->seen) {
            if (!self->contested)
                measure_closed_form(self, problem);
            for (int detail = LEASE_MODEL_COMPACTED; detail <= LEASE_MODEL_FULL; detail++)
                measure_model(self, problem, (enum lease_detail)detail);
        }
    if (!self->measuring)
        pick(self, problem);
    self->seen++;
}

static int simulate(const struct simulation *asked, struct picks *picks, struct error *error)
{
    struct simulation simulation = *asked;
    struct leasing leasing = LEASING_DEFAULT;
    struct simulation_result result;

    picks->seen = 0;
    leasing.observe = observe;
    leasing.observer = picks;
    simulation.own = &leasing;
    return simulation_run(&simulation, &result, error);
}

int main(int argc, char **argv)
{
    struct simulation simulation = SIMULATION_DEFAULT;
    struct picks picks = {.setting = ""};
    const struct option_spec options[] = {
        OPTION_TEXT("trace", "FILE", &simulation.trace, "jobs"),
        OPTION_TEXT("cluster", "FILE", &simulation.cluster, "cluster"),
        OPTION_TEXT("setting", "TEXT", &picks.setting, "what to call it"),
        OPTION_WHOLE("smallest", "COLUMNS", &picks.smallest, 0, 1000000,
                     "leave out smaller models"),
        OPTION_SWITCH("contested", &picks.contested, "only rounds that need a solver"),
        OPTION_END,
    };
    const struct command command = {.name = "lease_models",
                                    .summary = "Measure the models of lease rounds",
                                    .options = options};
    struct operands operands = {NULL, 0};
    struct error error;
    int status = options_parse(&command, argc, argv, &operands, &error);

    free(operands.items);
    if (status > 0)
        return 0;
    simulation.policy = "chronus";
    picks.solver = status < 0 ? NULL : milp_find_solver("cbc", &error);
    if (!picks.solver)
        return options_fail(&command, &error);
    picks.milp = milp_new();
    status = simulate(&simulation, &picks, &error);
    picks.measuring = true;
    if (status == 0)
        status = simulate(&simulation, &picks, &error);
    milp_destroy(&picks.milp);
    return status == 0 ? 0 : options_fail(&command, &error);
}
