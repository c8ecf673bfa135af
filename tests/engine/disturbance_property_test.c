/* disturbance_property_test.c - on random traces: a cluster that does as modelled gives the results
 * of the simulation to the byte; one from which nodes and jobs disappear is never told to use what
 * is gone or taken, and every job ends done, declined or failed.
 *
 * RUBATO_SEED chooses the runs, RUBATO_TIMES how many there are of each kind. */
#include "common/log.h"
#include "common/rng.h"
#include "tests/engine/random_world.h"
#include "tests/engine/scripted_cluster.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 150

#define STEPS 300 /* with mischief: then there is peace, or a long job never ends */

static const char *const policies[] = {"ef-accessctrl",  "ef",       "edf",    "edf-accessctrl",
                                       "gandiva",        "dlas-gpu", "themis", "fifo",
                                       "fifo-first-fit", "srtf",     "chronus"};

static const struct oracle_cluster clusters[] = {
    {1, 2, 4}, {1, 4, 2}, {1, 4, 4}, {1, 8, 4}, {1, 4, 8}, {2, 2, 4}, {1, 8, 8}, {2, 4, 8},
};

static const struct mischief none;

static tables_t *tables;

FIXTURE(set_up)
{
    (void)log_to_file("/dev/null");
    tables = tables_new("A100");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&tables);
    return 0;
}

/* Jobs that every policy can run on the whole cluster. */
static void pick_jobs(rng_t *rng, struct random_world *random)
{
    const struct oracle_cluster *cluster = &random->world.cluster;
    const int gpus = cluster->switches * cluster->nodes_per_switch * cluster->gpus_per_node;
    const struct throughput_row *rows[4];
    const size_t row_count = pick_rows(rng, tables, rows);
    double at_s = pick(rng, 100000);

    for (size_t i = 0; i < random->world.job_count; i++) {
        const struct throughput_row *row = rows[rng_below(rng, row_count)];
        struct oracle_job *job = &random->jobs[i];
        int size = 1 << pick(rng, 5);

        while (size > gpus)
            size /= 2;
        at_s += floor(rng_exponential(rng, 4.0 * random->world.slot_s));
        job->submit_s = at_s;
        job->duration_s = ceil(rng_log_uniform(rng, 10, 40.0 * random->world.slot_s));
        job->num_gpu = size;
        job->model = row->model;
        job->batch_size = row->batch_size;
        job->iterations =
            ceil(job->duration_s * row->iters_per_s[0] * rng_log_uniform(rng, 0.5, 4));
        job->deadline_s = at_s + ceil(job->duration_s * rng_log_uniform(rng, 0.6, 8));
        job->best_effort = chance(rng, 0.1);
    }
    random_world_settle(random, rng);
}

/* One model has no rates beyond 8 GPUs, on which runs end as in a simulation. */
static bool has_rates(const struct random_world *random)
{
    for (size_t i = 0; i < random->world.job_count; i++)
        if (!strcmp(random->jobs[i].model, "resnet50_cifar10"))
            return false;
    return true;
}

static void pick_world(rng_t *rng, struct random_world *random)
{
    static const int slots[] = {30, 60, 240};

    *random = (struct random_world){
        .world = {.policy = policies[pick(rng, COUNT(policies))],
                  .tables = tables,
                  .slot_s = slots[pick(rng, COUNT(slots))],
                  .jobs = random->jobs,
                  .job_count = 2 + (size_t)pick(rng, 30),
                  .rules = chance(rng, 0.3) ? "clean" : NULL,
                  .restart_threshold = chance(rng, 0.5) ? 10 + pick(rng, 20) : 0,
                  .solver = chance(rng, 0.5) ? "cbc" : NULL}};
    random->world.cluster = clusters[pick(rng, COUNT(clusters))];
    do
        pick_jobs(rng, random);
    while (!has_rates(random));
}

static struct engine_run run_on(struct world world, scripted_cluster_t *cluster, folder_t **folder)
{
    *folder = folder_new();
    world.driver = cluster ? scripted_cluster_driver(cluster) : NULL;
    return world_run_engine(&world, *folder);
}

static void compare(const struct world *world, rng_t *rng, long *compared)
{
    scripted_cluster_t *cluster = scripted_cluster_new(&none, rng);
    folder_t *folders[2];
    struct engine_run simulated = run_on(*world, NULL, &folders[0]);
    struct engine_run real = run_on(*world, cluster, &folders[1]);

    assert_int_equal(real.status, simulated.status);
    if (real.status == 0) {
        assert_int_equal(real.accepted, simulated.accepted);
        assert_int_equal(real.declined, simulated.declined);
        assert_string_equal(real.jobs_csv, simulated.jobs_csv);
        assert_string_equal(real.rounds_csv, simulated.rounds_csv);
        ++*compared;
    } else if (strncmp(real.error.text, simulated.error.text, strlen(simulated.error.text)) != 0 &&
               !strstr(real.error.text, "EF-Q23")) {
        fail_msg("%s; simulated: %s", real.error.text, simulated.error.text);
    }
    engine_run_clear(&real);
    engine_run_clear(&simulated);
    folder_destroy(&folders[0]);
    folder_destroy(&folders[1]);
    scripted_cluster_destroy(&cluster);
}

TEST(what_is_as_modelled_is_as_simulated)
{
    const uint64_t seed = test_seed();
    const long times = test_times(RUNS);
    long compared = 0;

    for (long i = 0; i < times; i++) {
        rng_t rng = rng_new(seed + (uint64_t)i, "as modelled");
        struct random_world random;

        pick_world(&rng, &random);
        compare(&random.world, &rng, &compared);
    }
    printf("%ld of %ld runs had results to compare\n", compared, times);
    assert_true(compared * 2 > times);
}

static long count_lines(const char *text)
{
    long lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static long count_events(const char *disturbances, const char *event)
{
    char field[32];
    long count = 0;

    (void)snprintf(field, sizeof(field), ",%s,", event);
    while ((disturbances = strstr(disturbances, field))) {
        disturbances++;
        count++;
    }
    return count;
}

/* A job that is held after it was started does not count as accepted any more; one that is late
 * does not either, so that declined is at least what never ended. */
static void check_ends(const struct world *world, const struct engine_run *run, long failed)
{
    const long retired = count_lines(run->jobs_csv) - 1;
    long best_effort = 0;

    for (size_t i = 0; i < world->job_count; i++)
        best_effort += world->jobs[i].best_effort;
    assert_true(retired + failed <= (long)world->job_count);
    assert_true(run->accepted >= 0 && run->accepted <= retired);
    assert_true(run->accepted + run->declined <= (long)world->job_count + failed);
    assert_true(run->accepted + run->declined + best_effort >= (long)world->job_count);
}

static void run_disturbed(const struct world *world, const struct mischief *mischief, rng_t *rng,
                          struct mischief_tally *sum)
{
    scripted_cluster_t *cluster = scripted_cluster_new(mischief, rng);
    folder_t *folder;
    struct engine_run run = run_on(*world, cluster, &folder);
    const struct mischief_tally tally = scripted_cluster_tally(cluster);

    if (run.status == 0) {
        char *disturbances = folder_read(folder, "results/disturbances.csv");

        check_ends(world, &run, count_events(disturbances, "held"));
        assert_int_equal(count_events(disturbances, "node-down") +
                             count_events(disturbances, "node-draining"),
                         tally.left);
        assert_int_equal(count_events(disturbances, "node-up"), tally.joined);
        free(disturbances);
        sum->steps++;
    } else {
        printf("%s, %s: %s\n", world->policy, world->rules ? world->rules : "reference",
               run.error.text);
    }
    sum->left += tally.left;
    sum->joined += tally.joined;
    sum->slowed += tally.slowed;
    sum->lagged += tally.lagged;
    sum->lost += tally.lost;
    sum->failed += tally.failed;
    engine_run_clear(&run);
    folder_destroy(&folder);
    scripted_cluster_destroy(&cluster);
}

static struct mischief pick_mischief(rng_t *rng)
{
    return (struct mischief){.node_leaves = chance(rng, 0.7) ? 0.1 : 0,
                             .node_drains = chance(rng, 0.5) ? 0.05 : 0,
                             .node_joins = 0.15,
                             .node_blinks = chance(rng, 0.5) ? 0.1 : 0,
                             .node_shrinks = chance(rng, 0.5) ? 0.1 : 0,
                             .job_slows = chance(rng, 0.5) ? 0.05 : 0,
                             .job_lags = chance(rng, 0.5) ? 0.02 : 0,
                             .job_loses = chance(rng, 0.5) ? 0.05 : 0,
                             .job_fails = chance(rng, 0.3) ? 0.02 : 0,
                             .nodes_left = 1,
                             .steps = STEPS};
}

TEST(what_is_gone_is_planned_around)
{
    const uint64_t seed = test_seed();
    const long times = test_times(RUNS);
    struct mischief_tally sum = {0};

    for (long i = 0; i < times; i++) {
        rng_t rng = rng_new(seed + (uint64_t)i, "disturbed");
        struct mischief mischief = pick_mischief(&rng);
        struct random_world random;

        pick_world(&rng, &random);
        run_disturbed(&random.world, &mischief, &rng, &sum);
    }
    printf("%ld of %ld runs ended; %ld nodes left, %ld joined, %ld jobs slowed, %ld for good, %ld "
           "lost work, %ld failed\n",
           sum.steps, times, sum.left, sum.joined, sum.slowed, sum.lagged, sum.lost, sum.failed);
    assert_int_equal(sum.steps, times);
    assert_true(times < RUNS || (sum.left > 100 && sum.joined > 100 && sum.slowed > 100 &&
                                 sum.lagged > 50 && sum.lost > 100 && sum.failed > 10));
}

/* The disturbances of one job that wants both nodes of a cluster. */
static char *run_wide(const char *policy, const struct mischief *mischief)
{
    const struct oracle_job job = {.id = "wide",
                                   .model = "resnet50",
                                   .batch_size = 256,
                                   .iterations = 1000,
                                   .num_gpu = 8,
                                   .duration_s = 600,
                                   .deadline_s = 2400};
    const struct world world = {.policy = policy,
                                .tables = tables,
                                .cluster = {1, 2, 4},
                                .slot_s = 240,
                                .jobs = &job,
                                .job_count = 1};
    rng_t rng = rng_new(test_seed(), "promise");
    scripted_cluster_t *cluster = scripted_cluster_new(mischief, &rng);
    folder_t *folder;
    struct engine_run run = run_on(world, cluster, &folder);
    char *disturbances;

    assert_int_equal(run.status, 0);
    assert_int_equal(run.accepted + run.declined, 1);
    disturbances = folder_read(folder, "results/disturbances.csv");
    engine_run_clear(&run);
    folder_destroy(&folder);
    scripted_cluster_destroy(&cluster);
    return disturbances;
}

/* Of two nodes one leaves after the first round; the job needs both. */
TEST(a_promise_that_cannot_be_kept_is_reported)
{
    static const struct mischief leaving = {.node_leaves = 1, .nodes_left = 1, .steps = STEPS};
    char *disturbances = run_wide("chronus", &leaving);

    assert_non_null(strstr(disturbances, "1,withdrawn,wide,,\"planned anew, for node "));
    free(disturbances);
}

/* The node is back before the next round, which sees the same nodes as the round before. */
TEST(a_node_that_is_back_at_once_is_reported)
{
    static const struct mischief blinking = {.node_blinks = 1, .steps = STEPS};

    for (size_t i = 0; i < COUNT(policies); i++) {
        char *disturbances = run_wide(policies[i], &blinking);
        const char *down = strstr(disturbances, "\n1,node-down,,");
        const char *up = strstr(disturbances, "\n1,node-up,,");

        if (!down || !up || up < down)
            fail_msg("%s: %s", policies[i], disturbances);
        assert_memory_equal(down + strlen("\n1,node-down,,"), up + strlen("\n1,node-up,,"), 1);
        free(disturbances);
    }
}

/* No job is interrupted by this policy, and the second job needs the whole node: only when the
 * third has lost its GPUs is it the second's turn before the third has ended. */
TEST(jobs_of_a_node_that_is_back_at_once_queue_again)
{
    static const struct mischief blinking = {.node_blinks = 0.5, .steps = STEPS};
    static const struct {
        const char *id;
        long gpus;
        double duration_s;
    } rows[] = {{"first", 4, 600}, {"second", 8, 600}, {"third", 4, 60000}};
    const struct throughput_row *row = tables_row(tables, "resnet50", 256);
    struct oracle_job jobs[COUNT(rows)];
    const struct world world = {.policy = "fifo-first-fit",
                                .tables = tables,
                                .cluster = {1, 1, 8},
                                .slot_s = 240,
                                .jobs = jobs,
                                .job_count = COUNT(jobs)};
    rng_t rng = rng_new(1, "queue"); /* the node goes as the first job ends */
    scripted_cluster_t *cluster = scripted_cluster_new(&blinking, &rng);
    folder_t *folder;
    struct engine_run run;
    const char *second;

    for (size_t i = 0; i < COUNT(rows); i++)
        jobs[i] = (struct oracle_job){
            .id = rows[i].id,
            .model = row->model,
            .batch_size = row->batch_size,
            .num_gpu = rows[i].gpus,
            .duration_s = rows[i].duration_s,
            .iterations =
                ceil(rows[i].duration_s * row->iters_per_s[scaling_class((int)rows[i].gpus)]),
            .deadline_s = 1e6};
    run = run_on(world, cluster, &folder);
    assert_int_equal(run.status, 0);
    second = strstr(run.jobs_csv, ",second,");
    assert_non_null(second);
    assert_non_null(strstr(second, ",third,"));
    engine_run_clear(&run);
    folder_destroy(&folder);
    scripted_cluster_destroy(&cluster);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
