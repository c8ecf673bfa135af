/* max_min_model_test.c - max-min fair shares of workers of several types as a linear program with
 * duals.
 *
 * Source: Gavel (Narayanan et al., OSDI 2020): job i spends the share x[i][j] of its time on type j
 * and progresses, relative to an equal share of all types, at sum of c[i][j] * x[i][j]. The least
 * of these is maximised; no job has more than all of its time, no type more than its workers. */
#include "common/rng.h"
#include "tests/solver/certificate.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define JOBS  6
#define TYPES 3

struct fleet {
    int jobs;
    int types;
    double workers[TYPES];
    double gpus[JOBS]; /* workers that a job takes at once */
    double weight[JOBS];
    double rate[JOBS][TYPES];
};

/* Where the rows of a kind begin. */
struct rows {
    int levels;
    int types;
    int jobs;
};

/* The rate of a job that has the same share of every worker. */
static double equal_rate(const struct fleet *fleet, int job)
{
    double all = 0;
    double sum = 0;

    for (int i = 0; i < fleet->types; i++) {
        all += fleet->workers[i];
        sum += fleet->rate[job][i] * fleet->workers[i];
    }
    return sum / all;
}

/* Column 0 is the level; those of job i begin at 1 + i * types. */
static struct rows build(milp_t *milp, const struct fleet *fleet)
{
    struct rows rows;
    int level;

    milp_clear(milp);
    milp_set_maximise(milp, true);
    level = milp_add_column(milp, -MILP_INFINITY, MILP_INFINITY, 1, false);
    rows.types = milp_rows(milp);
    for (int i = 0; i < fleet->types; i++)
        (void)milp_add_row(milp, -MILP_INFINITY, fleet->workers[i]);
    rows.levels = milp_rows(milp);
    for (int job = 0; job < fleet->jobs; job++)
        milp_add_term(milp, milp_add_row(milp, -MILP_INFINITY, 0), level, 1);
    rows.jobs = milp_rows(milp);
    for (int job = 0; job < fleet->jobs; job++) {
        const double scale = fleet->gpus[job] / (fleet->weight[job] * equal_rate(fleet, job));
        const int time = milp_add_row(milp, -MILP_INFINITY, 1);

        for (int i = 0; i < fleet->types; i++) {
            const int share = milp_add_column(milp, 0, MILP_INFINITY, 0, false);

            milp_add_term(milp, rows.types + i, share, fleet->gpus[job]);
            milp_add_term(milp, rows.levels + job, share, -scale * fleet->rate[job][i]);
            milp_add_term(milp, time, share, 1);
        }
    }
    return rows;
}

/* One worker of a fast and one of a slow type. Two jobs are twice as fast on the one, the third is
 * not and keeps to the other: with y of the slow worker for each of the two, 2/3 + 2/3 y = 1 - 2
 * y. */
TEST(three_jobs_share_two_workers)
{
    const struct fleet fleet = {
        .jobs = 3,
        .types = 2,
        .workers = {1, 1},
        .gpus = {1, 1, 1},
        .weight = {1, 1, 1},
        .rate = {{2, 1}, {2, 1}, {1, 1}},
    };
    milp_t *milp = milp_new();
    const struct rows rows = build(milp, &fleet);
    const struct milp_result result = solve_with_cbc(milp);
    const double *duals = result.row_duals;

    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, 0.75);
    check_near(duals[rows.types], 0.5); /* what one more worker is worth */
    check_near(duals[rows.types + 1], 0.25);
    check_near(duals[rows.levels], 3.0 / 8);
    check_near(duals[rows.levels + 1], 3.0 / 8);
    check_near(duals[rows.levels + 2], 0.25);
    for (int i = 0; i < 3; i++)
        check_near(duals[rows.jobs + i], 0);
    check_certificate(milp, &result);
    milp_destroy(&milp);
}

/* A job that has all of its time is what holds the level back, and no worker is worth anything. */
TEST(a_job_has_no_more_than_its_time)
{
    const struct fleet fleet = {
        .jobs = 2,
        .types = 2,
        .workers = {1, 1},
        .gpus = {1, 1},
        .weight = {1, 1},
        .rate = {{4, 1}, {1, 1}},
    };
    milp_t *milp = milp_new();
    const struct rows rows = build(milp, &fleet);
    const struct milp_result result = solve_with_cbc(milp);

    check_answer(&result, MILP_OPTIMAL);
    check_near(result.objective, 1);
    check_near(result.row_duals[rows.types], 0);
    check_near(result.row_duals[rows.types + 1], 0);
    check_near(result.row_duals[rows.levels + 1], 1);
    check_near(result.row_duals[rows.jobs + 1], 1);
    check_certificate(milp, &result);
    milp_destroy(&milp);
}

TEST(random_fleets_are_proven_by_their_duals)
{
    rng_t rng = rng_new(test_seed(), "fleets");
    const long times = test_times(100);
    milp_t *milp = milp_new();

    for (long i = 0; i < times; i++) {
        struct fleet fleet = {.jobs = 1 + (int)rng_below(&rng, JOBS),
                              .types = 1 + (int)rng_below(&rng, TYPES)};
        struct milp_result result;
        struct rows rows;
        double levels = 0;

        for (int j = 0; j < fleet.types; j++)
            fleet.workers[j] = 1 + (double)rng_below(&rng, 8);
        for (int job = 0; job < fleet.jobs; job++) {
            fleet.gpus[job] = (double)(1 << rng_below(&rng, 3));
            fleet.weight[job] = 1 + (double)rng_below(&rng, 3);
            for (int j = 0; j < fleet.types; j++)
                fleet.rate[job][j] = rng_uniform(&rng, 0.1, 10);
        }
        rows = build(milp, &fleet);
        result = solve_with_cbc(milp);
        check_answer(&result, MILP_OPTIMAL);
        assert_true(result.objective > 0);
        check_certificate(milp, &result);
        for (int job = 0; job < fleet.jobs; job++)
            levels += result.row_duals[rows.levels + job];
        check_near(levels, 1); /* the weights with which the jobs' levels make up the least one */
    }
    milp_destroy(&milp);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
