/* linear_programs.c - a thousand linear programs one after the other: max-min fair shares of 64
 * jobs on three GPU types, of which a round replaces a job and changes all weights.
 *
 * Each way of solving them has the same rounds: a process of its own for each, with the model built
 * anew; a server, with the model built anew; a server, with the model changed in place. */
#include "benchmarks/clock.h"
#include "benchmarks/samples.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/rng.h"
#include "scheduler/solver/milp_server.h"
#include "scheduler/solver/milp_solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS    64
#define TYPES   3
#define WORKERS 36.0

/* A thousand may take this long. */
#define TARGET_S 1.0

struct fleet {
    double gpus[JOBS];
    double weight[JOBS];
    double rate[JOBS][TYPES];
};

static void draw_job(rng_t *rng, struct fleet *fleet, int job)
{
    fleet->gpus[job] = (double)(1 << rng_below(rng, 4));
    fleet->weight[job] = rng_uniform(rng, 0.5, 2);
    for (int i = 0; i < TYPES; i++)
        fleet->rate[job][i] = rng_uniform(rng, 0.1, 10);
}

/* The gain in level of a job for a share of a type. */
static double worth(const struct fleet *fleet, int job, int type)
{
    double equal = 0;

    for (int i = 0; i < TYPES; i++)
        equal += fleet->rate[job][i] / TYPES;
    return fleet->gpus[job] * fleet->rate[job][type] / (fleet->weight[job] * equal);
}

/* Column 0 is the level, and rows 0 to TYPES - 1 are the workers of the types. A job has TYPES
 * columns and two rows, its level and its time, behind those of the jobs before it. */
static void add_job(milp_t *milp, const struct fleet *fleet, int job)
{
    const int level = milp_add_row(milp, -MILP_INFINITY, 0);
    const int time = milp_add_row(milp, -MILP_INFINITY, 1);

    milp_add_term(milp, level, 0, 1);
    for (int i = 0; i < TYPES; i++) {
        const int share = milp_add_column(milp, 0, MILP_INFINITY, 0, false);

        milp_add_term(milp, i, share, fleet->gpus[job]);
        milp_add_term(milp, level, share, -worth(fleet, job, i));
        milp_add_term(milp, time, share, 1);
    }
}

/* `order` has the jobs in the order of their columns. */
static void build(milp_t *milp, const struct fleet *fleet, const int order[])
{
    milp_clear(milp);
    milp_set_maximise(milp, true);
    (void)milp_add_column(milp, -MILP_INFINITY, MILP_INFINITY, 1, false);
    for (int i = 0; i < TYPES; i++)
        (void)milp_add_row(milp, -MILP_INFINITY, WORKERS);
    for (int i = 0; i < JOBS; i++)
        add_job(milp, fleet, order[i]);
}

/* The job at `place` goes, another one comes behind the others, and all weights are as they are
 * now. */
static void change(milp_t *milp, const struct fleet *fleet, const int order[], int place)
{
    milp_remove_columns(milp, 1 + place * TYPES, TYPES);
    milp_remove_rows(milp, TYPES + 2 * place, 2);
    add_job(milp, fleet, order[JOBS - 1]);
    for (int i = 0; i < JOBS; i++)
        for (int type = 0; type < TYPES; type++)
            milp_set_term(milp, TYPES + 2 * i, 1 + i * TYPES + type, -worth(fleet, order[i], type));
}

struct way {
    const char *name;
    bool serves;
    bool changes;
};

static const struct way ways[] = {
    {"a process each, built anew", false, false},
    {"a server, built anew", true, false},
    {"a server, changed in place", true, true},
};

/* Solves `rounds` of them; the sum of their optima goes to `sum`. */
static double measure(const struct milp_solver *solver, const struct way *way, int64_t rounds,
                      double *sum)
{
    const struct milp_limits limits = {.seconds = 0};
    milp_server_t *server = milp_server_new();
    milp_t *milp = milp_new();
    rng_t rng = rng_new(1, "fleet");
    struct fleet fleet;
    struct milp_result result;
    int order[JOBS];
    double started_s;

    *sum = 0;
    for (int job = 0; job < JOBS; job++) {
        order[job] = job;
        draw_job(&rng, &fleet, job);
    }
    if (way->serves)
        milp_use_server(milp, server);
    build(milp, &fleet, order);
    milp_solve(solver, milp, &limits, &result); /* starts the server */
    started_s = clock_now_s();
    for (int64_t i = 0; i < rounds; i++) {
        const int place = (int)rng_below(&rng, JOBS);
        const int job = order[place];

        memmove(&order[place], &order[place + 1], (size_t)(JOBS - 1 - place) * sizeof(order[0]));
        order[JOBS - 1] = job;
        draw_job(&rng, &fleet, job);
        for (int j = 0; j < JOBS; j++)
            fleet.weight[j] *= rng_uniform(&rng, 0.95, 1.05);
        if (way->changes)
            change(milp, &fleet, order, place);
        else
            build(milp, &fleet, order);
        milp_solve(solver, milp, &limits, &result);
        if (result.answer != MILP_OPTIMAL || !result.row_duals) {
            (void)fprintf(stderr, "linear_programs: %s: %s\n", milp_answer_name(result.answer),
                          result.error.text);
            exit(1);
        }
        *sum += result.objective;
    }
    started_s = clock_now_s() - started_s;
    milp_destroy(&milp);
    milp_server_destroy(&server);
    return started_s;
}

int main(int argc, char **argv)
{
    int64_t rounds = 1000;
    int64_t ballast_mib = 0;
    const struct option_spec options[] = {
        OPTION_WHOLE("rounds", "N", &rounds, 1, 1000000, "how many are solved"),
        OPTION_WHOLE("ballast", "MIB", &ballast_mib, 0, 65536, "memory that the process has"),
        OPTION_END,
    };
    const struct command command = {.name = "linear_programs",
                                    .summary = "Measure linear programs one after the other",
                                    .options = options};
    struct operands operands = {NULL, 0};
    const struct milp_solver *solver = NULL;
    struct error error;
    const int status = options_parse(&command, argc, argv, &operands, &error);
    char *ballast;

    free(operands.items);
    if (status > 0)
        return 0;
    if (status == 0)
        solver = milp_find_solver("cbc", &error);
    if (!solver)
        return options_fail(&command, &error);
    ballast = xmalloc((size_t)ballast_mib << 20);
    memset(ballast, 1, (size_t)ballast_mib << 20);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        double sum;
        const double took_s = measure(solver, &ways[i], rounds, &sum);

        printf("{\"way\": \"%s\", \"process_mib\": %d, \"solves\": %d, \"s\": %.3f, \"ms_each\": "
               "%.3f, \"optima\": %.9g",
               ways[i].name, (int)ballast_mib, (int)rounds, took_s, 1000 * took_s / (double)rounds,
               sum);
        if (ways[i].changes)
            printf(", \"met\": %s", took_s <= TARGET_S * (double)rounds / 1000 ? "true" : "false");
        printf("}\n");
        (void)fflush(stdout);
    }
    free(ballast);
    return 0;
}
