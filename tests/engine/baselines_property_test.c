/* baselines_property_test.c - on random traces and clusters gandiva, dlas-gpu and themis do what
 * the oracle does, as the reference has them and without quirks that both can do without: the same
 * counts, the same jobs.csv and the same rounds.csv to the byte.
 *
 * What of it the specification leaves open is not compared, which are layouts of dlas-gpu and
 * themis on nodes with GPUs that are no power of two: they depend on how a job is shown that has
 * not all of its nodes to itself.
 *
 * RUBATO_SEED chooses the runs, RUBATO_TIMES how many there are of each kind. */
#include "tests/engine/random_world.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS     200
#define JOBS_MIN 3
#define JOBS_MAX 60

#define ROUNDS_OF_ENDLESS 3000
#define ROUNDS_MAX        1000000

/* What came up in the runs. */
struct tally {
    long same;
    long uncounted; /* best effort only: the reference divides by zero, after its last record */
    long aborted;   /* for a rate of 0, or because placement fails on odd nodes */
    long endless;
    long forgotten; /* runs that leave a job larger than the cluster where it is: TI-Q9 */
    long switched;  /* several switches */
    long stale;     /* runs that abort because a job that waits is to end: TI-Q11 */
    long lines;     /* of results compared */
    long ends;
};

static const char *const tags_of_gandiva[] = {"GA-Q1", "GA-Q2", "GA-Q3", "GA-Q4",  "GA-Q5",
                                              "GA-Q7", "GA-Q8", "GA-Q9", "GA-Q10", "GA-Q11"};
static const char *const tags_of_dlas_gpu[] = {"TI-Q1", "TI-Q3", "TI-Q11"};
static const char *const tags_of_themis[] = {"TH-Q1", "TH-Q3", "TH-Q5", "TH-Q6"};

/* A policy, and the quirks that both worlds can do without. */
struct subject {
    const char *policy;
    const char *const *tags;
    int tag_count;
    bool chooses_nodes;
};

static const struct subject gandiva = {"gandiva", tags_of_gandiva, COUNT(tags_of_gandiva), true};
static const struct subject dlas_gpu = {"dlas-gpu", tags_of_dlas_gpu, COUNT(tags_of_dlas_gpu),
                                        false};
static const struct subject themis = {"themis", tags_of_themis, COUNT(tags_of_themis), false};

static const struct oracle_cluster clusters[] = {
    {1, 1, 2},  {1, 2, 1}, {1, 2, 2},  {1, 1, 4},  {1, 1, 8},  {1, 4, 1},  {1, 3, 2},  {1, 4, 2},
    {1, 2, 4},  {1, 4, 4}, {1, 5, 4},  {1, 2, 8},  {1, 4, 8},  {1, 6, 8},  {1, 8, 4},  {1, 8, 8},
    {1, 9, 8},  {1, 4, 3}, {1, 3, 6},  {1, 16, 4}, {1, 16, 8}, {1, 32, 8}, {2, 1, 2},  {2, 2, 2},
    {2, 2, 4},  {2, 1, 8}, {2, 4, 4},  {2, 2, 8},  {2, 3, 6},  {2, 8, 8},  {2, 16, 8}, {1, 1, 12},
    {1, 4, 12}, {2, 2, 3}, {1, 1, 16}, {2, 2, 16}, {1, 1, 32}, {2, 2, 32},
};

static int pick_slot(rng_t *rng)
{
    static const int usual[] = {7, 30, 60, 240, 3600};

    return chance(rng, 0.9) ? usual[rng_below(rng, COUNT(usual))] : 1 + pick(rng, 240);
}

/* How a trace is drawn: one character for all its jobs. */
struct character {
    int slot_s;
    int cluster_gpus;
    int sizes;          /* jobs ask for one of the so many smallest powers of two */
    bool too_large;     /* one job may ask for more than there is */
    double best_effort; /* probability of a best-effort job; */
    double crowded;     /* of an arrival at the time of the last one; */
    double long_gap;    /* of one much later; */
    double in_step;     /* and of a duration that is a whole number of slots */
    double gap_s;       /* between arrivals, on average */
    double duration_max_s;
    double disagreement; /* factor between what duration and iterations say, at most */
    double slack_max;    /* deadline, in multiples of the duration */
    double grid_s; /* arrivals and durations are multiples of it: several events at one time */
};

static int log2_below(int number)
{
    int exponent = 0;

    while (2 << exponent <= number)
        exponent++;
    return exponent;
}

/* Of slots, or of so many seconds that a job passes a limit of dlas-gpu between two points of
 * it. */
static double pick_grid(rng_t *rng, struct character *character)
{
    static const double steps_s[] = {10, 50, 100, 250, 500, 1000};

    if (chance(rng, 0.5))
        return character->slot_s * (1 + pick(rng, 3));
    character->gap_s = fmax(character->gap_s, 100);
    character->duration_max_s = fmax(character->duration_max_s, 5000);
    return steps_s[rng_below(rng, COUNT(steps_s))];
}

/* `demand` is how many times the cluster jobs want while they arrive. */
static struct character pick_character(rng_t *rng, int cluster_gpus)
{
    static const double best_effort[] = {0, 0, 0, 0, 0.1, 0.2, 0.2, 0.5, 0.8, 1};
    const int largest = cluster_gpus < 64 ? log2_below(cluster_gpus) : 6;
    const double demand = rng_log_uniform(rng, 0.3, 12);
    struct character character = {.slot_s = pick_slot(rng),
                                  .cluster_gpus = cluster_gpus,
                                  .sizes = 1 + pick(rng, largest + 1),
                                  .too_large = chance(rng, 0.06),
                                  .best_effort = best_effort[rng_below(rng, COUNT(best_effort))],
                                  .crowded = chance(rng, 0.5) ? rng_unit(rng) : 0,
                                  .long_gap = chance(rng, 0.3) ? 0.1 : 0,
                                  .in_step = chance(rng, 0.3) ? 0.5 : 0,
                                  .disagreement = chance(rng, 0.4) ? 5 : 1,
                                  .slack_max = chance(rng, 0.5) ? 3 : 20,
                                  .grid_s = 1};
    double gpus;

    character.duration_max_s = rng_log_uniform(rng, 2, 100) * character.slot_s;
    gpus = ((1 << character.sizes) - 1) / (double)character.sizes;
    character.gap_s = character.duration_max_s / 5 * gpus / cluster_gpus / demand;
    character.gap_s = fmin(character.gap_s, 15 * character.slot_s);
    if (chance(rng, 0.4))
        character.grid_s = pick_grid(rng, &character);
    return character;
}

/* A GPU count that the row has a rate for, even one of 0. */
static long pick_size(rng_t *rng, const struct character *character,
                      const struct throughput_row *row)
{
    for (;;) {
        const int level = pick(rng, character->sizes);

        if (!isnan(row->iters_per_s[level]))
            return row->gpus[level];
    }
}

static double pick_duration(rng_t *rng, const struct character *character)
{
    const double duration_s = floor(rng_log_uniform(rng, 1, character->duration_max_s));

    if (character->grid_s > 1)
        return (1 + floor(duration_s / character->grid_s)) * character->grid_s;
    if (chance(rng, character->in_step))
        return (1 + floor(duration_s / character->slot_s)) * character->slot_s;
    return chance(rng, 0.01) ? 0 : duration_s;
}

static double rate_on(const struct throughput_row *row, long gpus)
{
    for (int i = 0; i < row->level_count; i++)
        if (row->gpus[i] == gpus)
            return row->iters_per_s[i];
    return 0;
}

static void pick_job(rng_t *rng, const struct character *character,
                     const struct throughput_row *row, double submit_s, struct oracle_job *job)
{
    double factor;

    job->submit_s = submit_s;
    job->model = row->model;
    job->batch_size = row->batch_size;
    job->best_effort = chance(rng, character->best_effort);
    job->num_gpu = pick_size(rng, character, row);
    job->duration_s = pick_duration(rng, character);
    factor = rng_log_uniform(rng, 1 / character->disagreement, character->disagreement);
    job->iterations = fmax(1, round(job->duration_s * rate_on(row, job->num_gpu) * factor));
    job->deadline_s =
        submit_s + ceil(job->duration_s * rng_log_uniform(rng, 0.5, character->slack_max));
}

static double pick_gap(rng_t *rng, const struct character *character)
{
    if (chance(rng, character->crowded))
        return 0;
    if (chance(rng, character->long_gap))
        return floor(rng_uniform(rng, 5, 60) * character->slot_s);
    return floor(rng_exponential(rng, character->gap_s));
}

/* Full minutes are the only ones that gandiva knows. */
static double pick_first_arrival(rng_t *rng)
{
    const double minute = pick(rng, 60000);

    if (chance(rng, 0.3))
        return 0;
    return 60 * minute + (chance(rng, 0.5) ? pick(rng, 60) : 0);
}

static void pick_jobs(rng_t *rng, const struct character *character, struct random_world *random)
{
    const struct throughput_row *rows[4];
    const size_t row_count = pick_rows(rng, random->world.tables, rows);
    const size_t count = random->world.job_count;
    double at_s = pick_first_arrival(rng);

    for (size_t i = 0; i < count; i++) {
        pick_job(rng, character, rows[rng_below(rng, row_count)], at_s, &random->jobs[i]);
        at_s += character->grid_s * round(pick_gap(rng, character) / character->grid_s);
    }
    if (character->too_large && character->cluster_gpus < 64)
        random->jobs[rng_below(rng, count)].num_gpu = 2 << log2_below(character->cluster_gpus);
}

static void pick_world(rng_t *rng, const struct subject *subject, tables_t *const tables[2],
                       struct random_world *random)
{
    const struct oracle_cluster cluster = clusters[rng_below(rng, COUNT(clusters))];
    const struct character character =
        pick_character(rng, cluster.switches * cluster.nodes_per_switch * cluster.gpus_per_node);

    *random = (struct random_world){
        .world = {.policy = subject->policy,
                  .tables = tables[pick(rng, 2)],
                  .cluster = cluster,
                  .slot_s = character.slot_s,
                  .jobs = random->jobs,
                  .job_count = (size_t)rng_log_uniform(rng, JOBS_MIN, JOBS_MAX + 0.99),
                  .other_dialect = chance(rng, 0.5)}};
    pick_jobs(rng, &character, random);
    random_world_settle(random, rng);
}

/* One tag, or a few. */
static void pick_rules(rng_t *rng, const struct subject *subject, struct random_world *random)
{
    const int sure = pick(rng, subject->tag_count);
    const double others = chance(rng, 0.5) ? 0 : rng_unit(rng);

    for (int i = 0; i < subject->tag_count; i++) {
        const size_t used = strlen(random->rules);

        if (i == sure || chance(rng, others))
            (void)snprintf(random->rules + used, sizeof(random->rules) - used, "%s%s",
                           used > 0 ? "," : "", subject->tags[i]);
    }
    random->world.rules = random->rules;
}

static bool gave_up(const struct engine_run *run)
{
    return run->status < 0 && strstr(run->error.text, "for ever");
}

static long lines_of(const char *text)
{
    long lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void count(const struct world *world, const struct oracle_run_result *result,
                  struct tally *tally)
{
    const long ends = lines_of(result->jobs_csv.text) - 1;

    tally->ends += ends;
    tally->lines += lines_of(result->rounds_csv.text);
    tally->forgotten += ends < (long)world->job_count;
    tally->switched += world->cluster.switches > 1;
}

static bool has_layouts(const struct subject *subject, const struct oracle_cluster *cluster)
{
    const int per_node = cluster->gpus_per_node;

    return subject->chooses_nodes || (per_node & (per_node - 1)) == 0;
}

static bool agree(const struct subject *subject, const struct world *world,
                  const struct engine_run *run, const struct oracle_run_result *result,
                  struct tally *tally)
{
    const bool uncounted = result->status.reason == ORACLE_NOTHING_COUNTED;

    if (result->status.outcome == ORACLE_ENDLESS) {
        tally->endless++;
        return gave_up(run);
    }
    if (result->status.outcome == ORACLE_ABORT && !uncounted) {
        tally->aborted++;
        tally->stale += result->status.reason == ORACLE_NOT_RUNNING;
        return run->status < 0 && (result->status.reason == ORACLE_NOT_RUNNING) ==
                                      (strstr(run->error.text, "TI-Q11") != NULL);
    }
    tally->same += !uncounted;
    tally->uncounted += uncounted;
    count(world, result, tally);
    return same_jobs(run, result) &&
           (!has_layouts(subject, &world->cluster) || same_layouts(run, result));
}

static void compare(long number, const struct subject *subject, const struct world *world,
                    struct tally *tally)
{
    folder_t *folder = folder_new();
    struct engine_run run = world_run_engine(world, folder);
    struct oracle_run_result result;

    world_run_oracle(world, gave_up(&run) ? ROUNDS_OF_ENDLESS : ROUNDS_MAX, &result);
    if (!agree(subject, world, &run, &result, tally)) {
        world_explain(world, &run, &result);
        fail_msg("run %ld differs", number);
    }
    oracle_run_result_clear(&result);
    engine_run_clear(&run);
    folder_destroy(&folder);
}

static tables_t *tables[2];

FIXTURE(read_tables)
{
    tables[0] = tables_new("A100");
    tables[1] = tables_new("T4");
    return 0;
}

FIXTURE(drop_tables)
{
    tables_destroy(&tables[0]);
    tables_destroy(&tables[1]);
    return 0;
}

static struct tally compare_runs(const struct subject *subject, bool cleaned, long runs)
{
    rng_t rng = rng_new(test_seed(), cleaned ? "baselines without quirks" : "baselines");
    struct tally tally = {0};

    for (long i = 0; i < runs; i++) {
        static struct random_world random;

        pick_world(&rng, subject, tables, &random);
        if (cleaned)
            pick_rules(&rng, subject, &random);
        compare(i, subject, &random.world, &tally);
    }
    printf("%s%s: %ld runs the same in %ld rounds with %ld ends, %ld without a job to count, %ld "
           "with jobs forgotten, %ld aborted (%ld for a stale end), %ld endless; %ld with several "
           "switches\n",
           subject->policy, cleaned ? " without quirks" : "", tally.same, tally.lines, tally.ends,
           tally.uncounted, tally.forgotten, tally.aborted, tally.stale, tally.endless,
           tally.switched);
    return tally;
}

static void compare_all(const struct subject *subject, bool cleaned, long runs)
{
    const struct tally tally = compare_runs(subject, cleaned, runs);

    assert_true(tally.same > 0 && tally.uncounted > 0 && tally.switched > 0);
    if (subject == &dlas_gpu)
        assert_true(tally.forgotten > 0 && tally.endless == 0);
    else
        assert_true(tally.forgotten == 0 && tally.endless > 0);
}

TEST(gandiva_does_what_the_oracle_does)
{
    compare_all(&gandiva, false, test_times(RUNS));
}

TEST(gandiva_without_quirks_does_too)
{
    compare_all(&gandiva, true, test_times(RUNS));
}

TEST(dlas_gpu_does_what_the_oracle_does)
{
    compare_all(&dlas_gpu, false, test_times(RUNS));
}

TEST(dlas_gpu_without_quirks_does_too)
{
    compare_all(&dlas_gpu, true, test_times(RUNS));
}

TEST(themis_does_what_the_oracle_does)
{
    compare_all(&themis, false, test_times(RUNS));
}

TEST(themis_without_quirks_does_too)
{
    compare_all(&themis, true, test_times(RUNS));
}

int main(void)
{
    (void)test_seed();
    return tests_run(read_tables, drop_tables);
}
