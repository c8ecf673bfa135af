/* lease_property_test.c - what must hold of chronus after every round holds in random runs, by plan
 * and by Cbc, whatever solvers do wrong, and on clusters that lose nodes and work.
 *
 * RUBATO_SEED chooses the runs, RUBATO_TIMES how many there are of each kind. */
#include "common/log.h"
#include "tests/engine/lease_watch.h"
#include "tests/engine/scripted_cluster.h"
#include "tests/solver/faulty_solver.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <string.h>

#define PLAN_RUNS   200
#define SOLVER_RUNS 75
#define HURRY_RUNS  20
#define FAULTY_RUNS 8
#define NODES_RUNS  150

static void run_with(rng_t *rng, const struct milp_solver *solver, double time_limit_s,
                     lease_watcher *watcher, const void *context, struct lease_tally *tally)
{
    static struct random_leases random;

    random_leases_pick(&random, rng);
    random.setting.leasing.solver = solver;
    random.setting.leasing.time_limit_s = time_limit_s;
    lease_watch_run(&random, watcher, context, tally);
}

static void run_all(const char *what, const struct milp_solver *solver, double time_limit_s,
                    long runs, struct lease_tally *tally)
{
    rng_t rng = rng_new(test_seed(), what);

    for (long i = 0; i < runs; i++)
        run_with(&rng, solver, time_limit_s, NULL, NULL, tally);
    lease_tally_print(tally, what);
    assert_true(tally->kept > 0 && tally->late > 0 && tally->soft_plans > 0);
}

TEST(plans_are_kept)
{
    struct lease_tally tally = {0};

    run_all("plan", NULL, 0, test_times(PLAN_RUNS), &tally);
    assert_true(tally.by_method[LEASE_BY_PLAN] > 0);
    assert_int_equal(tally.fallbacks, 0);
}

TEST(choices_of_a_solver_are_kept_too)
{
    struct lease_tally tally = {0};

    run_all("solver", cbc(), 0, test_solver_times(SOLVER_RUNS), &tally);
    assert_true(tally.by_method[LEASE_BY_CLOSED_FORM] > 0);
    assert_true(tally.by_method[LEASE_BY_COMPACTED] > 0);
}

/* In so little time it may answer or not. */
TEST(promises_are_kept_also_in_a_hurry)
{
    struct lease_tally tally = {0};

    run_all("hurry", cbc(), 0.002, test_solver_times(HURRY_RUNS), &tally);
}

/* What is on record of a round that asked its solver; that it chose nothing, and why. */
static void check_fallback(const struct lease_round *round, const void *context)
{
    const struct faulty_solver *faulty = context;

    if (round->answer == LEASE_UNASKED)
        return;
    assert_int_equal(round->method, LEASE_BY_PLAN);
    assert_int_equal(round->answer, faulty->answer);
    assert_true(round->columns > 0 && round->rows > 0);
    assert_true(strlen(round->trouble.text) > 0);
}

/* A solver that calls every model infeasible: an answer that exists, but is never true. */
static void call_infeasible(const struct milp_problem *problem, const struct milp_limits *limits,
                            struct milp_reply *reply)
{
    (void)problem;
    (void)limits;
    reply->answer = MILP_INFEASIBLE;
}

static const struct milp_solver solver_that_lies = {.name = "lying", .solve = call_infeasible};

/* The time limit is for those that would need it. */
static void check_faulty(rng_t *rng, const struct faulty_solver *faulty)
{
    const double time_limit_s = faulty->answer == MILP_NO_SOLUTION ? 0.01 : 600;
    struct lease_tally tally = {0};

    for (long i = 0; i < test_solver_times(FAULTY_RUNS) || tally.fallbacks == 0; i++)
        run_with(rng, faulty->solver, time_limit_s, check_fallback, faulty, &tally);
    lease_tally_print(&tally, faulty->solver->name);
}

TEST(promises_are_kept_whatever_a_solver_does)
{
    static const struct faulty_solver lying = {&solver_that_lies, MILP_INFEASIBLE};
    rng_t rng = rng_new(test_seed(), "faulty");

    for (size_t i = 0; i < faulty_solver_count; i++)
        check_faulty(&rng, &faulty_solvers[i]);
    check_faulty(&rng, &lying);
}

/* Nodes come and go, jobs lose work, stand still and fail. */
static struct mischief pick_mischief(rng_t *rng)
{
    return (struct mischief){.node_leaves = 0.2 * rng_unit(rng),
                             .node_joins = 0.2,
                             .node_blinks = rng_below(rng, 2) == 0 ? 0.1 : 0,
                             .job_slows = rng_below(rng, 2) == 0 ? 0.05 : 0,
                             .job_loses = rng_below(rng, 2) == 0 ? 0.05 : 0,
                             .job_fails = rng_below(rng, 4) == 0 ? 0.02 : 0,
                             .nodes_left = 1,
                             .steps = 300};
}

static void run_disturbed(rng_t *rng, const struct milp_solver *solver, struct lease_tally *tally)
{
    static struct random_leases random;
    const struct mischief mischief = pick_mischief(rng);
    scripted_cluster_t *cluster = scripted_cluster_new(&mischief, rng);
    struct lease_setting *setting = &random.setting;

    random_leases_pick(&random, rng);
    setting->leasing.solver = solver;
    setting->nodes = 1;
    while (setting->gpu_count % (2 * setting->nodes) == 0 && rng_below(rng, 3) > 0)
        setting->nodes *= 2;
    setting->cluster = cluster;
    lease_watch_run(&random, NULL, NULL, tally);
    scripted_cluster_destroy(&cluster);
}

TEST(promises_that_stand_are_kept_when_nodes_come_and_go)
{
    const long times = test_solver_times(NODES_RUNS);
    rng_t rng = rng_new(test_seed(), "nodes");
    struct lease_tally tally = {0};

    (void)log_to_file("/dev/null");
    for (long i = 0; i < times; i++)
        run_disturbed(&rng, i % 2 == 0 ? cbc() : NULL, &tally);
    lease_tally_print(&tally, "nodes");
    assert_true(tally.kept > 0 && (tally.withdrawn > 0 || times < NODES_RUNS));
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
