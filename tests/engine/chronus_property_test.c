/* chronus_property_test.c - on random traces and clusters chronus does what the oracle does, by
 * plan and with a solver, as the reference has it and without its quirks: every job ends at the
 * same time and in the same class, after as many starts and leases, and the same jobs hold GPUs
 * whenever leases are given out or jobs admitted.
 *
 * A lease round that only a solver can settle is beyond the oracle; up to it, all is compared. What
 * is asserted of every run is that GPUs are enough, that time on them adds up, and that promises
 * are kept.
 *
 * RUBATO_SEED chooses the runs, RUBATO_TIMES how many there are of each kind. */
#include "tests/engine/lease_world.h"
#include "tests/engine/random_world.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include "scheduler/reference/lease_book.h"
#include "scheduler/reference/leasing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS        300
#define JOBS_MAX    40
#define LEVELS_MOST 4

#define TICKS_MAX 2000000

/* A run that the oracle knows only the beginning of takes the solver's time: one in so many is
 * made. */
#define CONTESTED_SHARE 2

/* What came up in the runs. */
struct tally {
    long same;
    long repaired;
    long contested; /* of which so many were compared up to there: */
    long compared_in_part;
    long refused;
    long jobs; /* with a compared end */
    long layouts;
    long rounds;
    long admitted;
    long missed;
    long outlived; /* jobs that took longer than estimated */
    long waited;   /* jobs that were credited with what they waited */
    long lowest;
    long solved; /* lease rounds chosen by the solver */
};

static const char *const tags[] = {"CH-Q1", "CH-Q2",  "CH-Q6",  "CH-Q7", "CH-Q8",
                                   "CH-Q9", "CH-Q10", "CH-Q17", "CH-Q18"};

static const struct oracle_cluster clusters[] = {
    {1, 1, 1}, {1, 1, 2}, {1, 2, 1}, {1, 1, 3}, {1, 1, 4}, {1, 2, 2}, {1, 1, 5},
    {1, 3, 2}, {1, 1, 7}, {1, 1, 8}, {1, 2, 4}, {1, 3, 3}, {2, 1, 4}, {1, 2, 5},
    {1, 4, 4}, {2, 2, 4}, {1, 2, 8}, {1, 3, 8}, {1, 4, 8}, {2, 2, 8}, {1, 16, 4},
};

/* Jobs of a kind of runs. */
struct kind {
    enum oracle_chronus_mode mode;
    bool cleaned;
};

/* A world that holds all it speaks of. */
struct random_lease_world {
    struct lease_world world;
    struct oracle_chronus_job jobs[JOBS_MAX];
    struct oracle_chronus_level levels[JOBS_MAX][LEVELS_MOST];
    char ids[JOBS_MAX][32];
    char rules[100];
};

/* How a trace is drawn: one character for all its jobs. */
struct character {
    int gpus_max;
    bool powers_of_two; /* sizes */
    bool mostly_small;
    double best_effort; /* probability of a best-effort job; */
    double soft;        /* of a soft one; */
    double in_step;     /* of times that are whole leases; */
    double crowded;     /* of an arrival with the last one, or all at once */
    double idle;        /* of one much later */
    double gap_s;       /* between arrivals, on average */
    double duration_max_s;
    double slack_min; /* deadline, in multiples of the duration */
    double slack_max;
};

/* `longest` multiples of `unit_s`, small ones being likelier. */
static long pick_multiple(rng_t *rng, long unit_s, double longest)
{
    return unit_s * (long)rng_log_uniform(rng, 1, longest + 0.99);
}

static void pick_times(rng_t *rng, struct oracle_chronus_setting *setting)
{
    static const int usual[] = {1, 1, 2, 3, 4, 5, 5, 6, 7, 10, 12, 15, 20, 25, 30, 60, 60, 240};
    const long unit_s = usual[rng_below(rng, COUNT(usual))];

    setting->check_s = unit_s;
    setting->lease_s = pick_multiple(rng, unit_s, unit_s < 10 ? 60 / (double)unit_s : 8);
    setting->admission_s =
        chance(rng, 0.4) ? setting->lease_s : pick_multiple(rng, unit_s, unit_s < 10 ? 24 : 8);
}

static void pick_setting(rng_t *rng, const struct kind *kind,
                         struct oracle_chronus_setting *setting)
{
    *setting = (struct oracle_chronus_setting){
        .mode = kind->mode, .objective = (enum oracle_chronus_objective)pick(rng, 3)};
    pick_times(rng, setting);
}

static struct character pick_character(rng_t *rng, const struct lease_world *world)
{
    static const double best_effort[] = {0, 0, 0, 0.1, 0.3, 0.6, 1};
    const double lease_s = (double)world->setting.lease_s;
    const int gpus = lease_world_gpus(world);
    const bool solved = world->setting.mode == ORACLE_CHRONUS_MILP;
    const bool one_level = solved && !(world->rules && strstr(world->rules, "CH-Q18"));
    const double demand = rng_log_uniform(rng, 0.1, solved ? 3 : 8);
    struct character character = {.gpus_max =
                                      chance(rng, solved ? 0.7 : 0.3) ? (gpus + 3) / 4 : gpus,
                                  .powers_of_two = chance(rng, 0.4),
                                  .mostly_small = chance(rng, 0.5),
                                  .best_effort = best_effort[rng_below(rng, COUNT(best_effort))],
                                  .soft = one_level ? (chance(rng, 0.9) ? 0 : 0.2) : rng_unit(rng),
                                  .in_step = chance(rng, 0.3) ? 0.5 : 0.05,
                                  .crowded = chance(rng, 0.3)   ? 1
                                             : chance(rng, 0.5) ? rng_unit(rng)
                                                                : 0,
                                  .idle = chance(rng, 0.3) ? 0.1 : 0,
                                  .duration_max_s = rng_log_uniform(rng, 1.5, 30) * lease_s,
                                  .slack_min = chance(rng, 0.5) ? 0.3 : 1.5,
                                  .slack_max = chance(rng, 0.5) ? 3 : 20};

    character.gap_s = character.duration_max_s / 4 * (1 + character.gpus_max / 3.0) / gpus / demand;
    return character;
}

static int pick_gpus(rng_t *rng, const struct character *character)
{
    const int most = character->gpus_max;
    int gpus =
        character->mostly_small ? (int)rng_log_uniform(rng, 1, most + 0.99) : 1 + pick(rng, most);

    while (character->powers_of_two && (gpus & (gpus - 1)) != 0)
        gpus &= gpus - 1;
    return gpus;
}

static long pick_duration(rng_t *rng, const struct character *character, long lease_s)
{
    const long duration_s = (long)rng_log_uniform(rng, 1, character->duration_max_s);

    if (chance(rng, character->in_step))
        return (1 + duration_s / lease_s) * lease_s;
    return chance(rng, 0.04) ? 0 : duration_s;
}

/* From the submission. */
static long pick_deadline(rng_t *rng, const struct character *character,
                          const struct oracle_chronus_job *job, long lease_s)
{
    const double slack = rng_log_uniform(rng, character->slack_min, character->slack_max);
    const long rounded_s = (1 + pick(rng, 6)) * lease_s;
    const long deadline_s = (long)((double)job->duration_s * slack) + pick(rng, 2) * lease_s;

    if (chance(rng, 0.03))
        return 0;
    if (chance(rng, 0.03))
        return 100 * deadline_s;
    if (chance(rng, character->in_step)) /* on a lease boundary, or right beside it */
        return rounded_s + (deadline_s + job->submit_s) / lease_s * lease_s - job->submit_s +
               pick(rng, 3) - 1;
    return deadline_s;
}

static void pick_levels(rng_t *rng, const struct character *character, long lease_s,
                        struct oracle_chronus_job *job, struct oracle_chronus_level levels[])
{
    const size_t count = chance(rng, character->soft) ? 2 + (size_t)pick(rng, LEVELS_MOST - 1) : 1;
    long deadline_s = job->submit_s + pick_deadline(rng, character, job, lease_s);
    long value = chance(rng, 0.5) ? 10 : pick(rng, 12);

    deadline_s = deadline_s < job->submit_s ? job->submit_s : deadline_s;
    for (size_t i = 0; i < count; i++) {
        levels[i] = (struct oracle_chronus_level){deadline_s, value};
        deadline_s += 1 + (long)rng_exponential(rng, (double)lease_s * 2);
        value = chance(rng, 0.8) ? value - pick(rng, 4) : pick(rng, 11);
        value = value < 0 ? 0 : value;
    }
    job->levels = levels;
    job->level_count = count;
}

/* In ElasticFlow's dialect a best-effort job may state a deadline (CH-Q9), and no job is soft. */
static void pick_job(rng_t *rng, const struct character *character, const struct lease_world *world,
                     struct oracle_chronus_job *job, struct oracle_chronus_level levels[])
{
    const long lease_s = world->setting.lease_s;

    job->gpus = pick_gpus(rng, character);
    job->duration_s = pick_duration(rng, character, lease_s);
    job->best_effort = chance(rng, character->best_effort);
    job->levels = NULL;
    job->level_count = 0;
    if (job->best_effort && (world->of_chronus || chance(rng, 0.3)))
        return;
    pick_levels(rng, character, lease_s, job, levels);
    if (!world->of_chronus) {
        job->level_count = 1;
        levels[0].value = 10;
    }
}

static long pick_gap(rng_t *rng, const struct character *character, long lease_s)
{
    if (chance(rng, character->crowded))
        return 0;
    if (chance(rng, character->idle))
        return (long)(rng_uniform(rng, 5, 40) * (double)lease_s);
    if (chance(rng, character->in_step))
        return (long)rng_exponential(rng, character->gap_s) / lease_s * lease_s;
    return (long)rng_exponential(rng, character->gap_s);
}

static void shuffle(rng_t *rng, struct oracle_chronus_job *jobs, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = rng_below(rng, i);
        const struct oracle_chronus_job job = jobs[k];

        jobs[k] = jobs[i - 1];
        jobs[i - 1] = job;
    }
}

static void pick_jobs(rng_t *rng, struct random_lease_world *random)
{
    struct lease_world *world = &random->world;
    const long lease_s = world->setting.lease_s;
    const struct character character = pick_character(rng, world);
    long at_s = chance(rng, 0.6) ? 0 : pick(rng, 20 * (int)lease_s);

    world->job_count = (size_t)rng_log_uniform(rng, 1, JOBS_MAX + 0.99);
    for (size_t i = 0; i < world->job_count; i++) {
        random->jobs[i].submit_s = at_s;
        pick_job(rng, &character, world, &random->jobs[i], random->levels[i]);
        at_s += pick_gap(rng, &character, lease_s);
    }
    if (chance(rng, 0.02))
        random->jobs[pick(rng, (int)world->job_count)].gpus = lease_world_gpus(world) + 1;
    if (chance(rng, 0.3))
        shuffle(rng, random->jobs, world->job_count);
    for (size_t i = 0; i < world->job_count; i++) {
        (void)snprintf(random->ids[i], sizeof(random->ids[i]), "job-%zu", i);
        random->jobs[i].id = random->ids[i];
    }
}

/* One tag, a few, or all of them. */
static void pick_rules(rng_t *rng, struct random_lease_world *random)
{
    const size_t sure = rng_below(rng, COUNT(tags));
    const double others = chance(rng, 0.4) ? 0 : chance(rng, 0.25) ? 1 : rng_unit(rng);
    size_t used = 0;

    for (size_t i = 0; i < COUNT(tags); i++)
        if (i == sure || chance(rng, others))
            used += (size_t)snprintf(random->rules + used, sizeof(random->rules) - used, "%s%s",
                                     used > 0 ? "," : "", tags[i]);
    random->world.rules = random->rules;
    random->world.is_clean = others == 1;
}

static void pick_world(rng_t *rng, const struct kind *kind, struct random_lease_world *random)
{
    random->world = (struct lease_world){.cluster = clusters[rng_below(rng, COUNT(clusters))],
                                         .of_chronus = chance(rng, 0.6),
                                         .jobs = random->jobs};
    pick_setting(rng, kind, &random->world.setting);
    if (kind->cleaned)
        pick_rules(rng, random);
    pick_jobs(rng, random);
}

/* Why a run is none that can be, "" if it can. */
struct complaint {
    char text[200];
};

static bool gpus_are_enough(const struct lease_world *world, const struct lease_record *record,
                            struct complaint *verdict)
{
    for (size_t i = 0; i < record->layout_count; i++) {
        const struct lease_layout *layout = &record->layouts[i];
        int held = 0;

        for (size_t job = 0; job < record->job_count; job++) {
            held += layout->gpus[job];
            if (layout->gpus[job] == 0 || layout->gpus[job] == world->jobs[job].gpus)
                continue;
            (void)snprintf(verdict->text, sizeof(verdict->text), "at %lld job-%zu holds %d GPUs",
                           (long long)layout->at_s, job, layout->gpus[job]);
            return false;
        }
        if (held <= lease_world_gpus(world))
            continue;
        (void)snprintf(verdict->text, sizeof(verdict->text), "at %lld %d GPUs are held",
                       (long long)layout->at_s, held);
        return false;
    }
    return true;
}

/* Until its end, with what it was credited with besides. */
static double took_s(const double facts[])
{
    return facts[FACT_HELD] + facts[FACT_WAITED] - (facts[FACT_RETIRED_AT] - facts[FACT_END_TIME]);
}

/* What a job held, and what it was credited with besides, is what it took, with all its starts. */
static bool time_adds_up(const struct lease_world *world, const struct lease_record *record,
                         struct complaint *verdict)
{
    for (size_t job = 0; job < record->job_count; job++) {
        const double *facts = record->jobs[job].values;
        const double owed_s =
            (double)world->jobs[job].duration_s +
            facts[FACT_STARTS] * LEASE_START_S * (1 + log2(world->jobs[job].gpus));

        if (fabs(took_s(facts) - owed_s) < 1e-6)
            continue;
        (void)snprintf(verdict->text, sizeof(verdict->text), "job-%zu took %.17g s, owed %.17g s",
                       job, took_s(facts), owed_s);
        return false;
    }
    return true;
}

/* A job that is forced to its end on short leases counts as accepted, and may be late. So may one
 * that needs no lease: a solver is not asked about it. */
static bool promises_are_kept(const struct lease_world *world, const struct lease_record *record,
                              struct complaint *verdict)
{
    for (size_t job = 0; job < record->job_count; job++) {
        const double *facts = record->jobs[job].values;

        if (world->setting.lease_s <= SHORT_LEASE_S || facts[FACT_CLASS] != LEASE_ACCEPTED ||
            facts[FACT_ESTIMATED] == 0 ||
            (facts[FACT_MISSED] == 0 && facts[FACT_END_TIME] <= facts[FACT_PROMISED]))
            continue;
        (void)snprintf(verdict->text, sizeof(verdict->text), "job-%zu is late, though accepted",
                       job);
        return false;
    }
    return true;
}

static bool same_counts(const struct lease_run *run, const struct lease_run *expected,
                        struct complaint *verdict)
{
    if (expected->oracle.outcome == ORACLE_CONTESTED ||
        (run->accepted == expected->accepted && run->declined == expected->declined &&
         run->admitted == expected->admitted))
        return true;
    (void)snprintf(verdict->text, sizeof(verdict->text),
                   "%lld accepted, %lld declined and %lld admitted, expected %lld, %lld and %lld",
                   (long long)run->accepted, (long long)run->declined, (long long)run->admitted,
                   (long long)expected->accepted, (long long)expected->declined,
                   (long long)expected->admitted);
    return false;
}

static bool judge(const struct lease_world *world, const struct lease_run *run,
                  const struct lease_run *expected, struct complaint *verdict)
{
    if (run->status != 0) {
        (void)snprintf(verdict->text, sizeof(verdict->text), "refused: %.150s", run->error.text);
        return false;
    }
    return lease_record_agrees(&run->record, &expected->record, expected->until_s, verdict->text,
                               sizeof(verdict->text)) &&
           same_counts(run, expected, verdict) && gpus_are_enough(world, &run->record, verdict) &&
           time_adds_up(world, &run->record, verdict) &&
           promises_are_kept(world, &run->record, verdict);
}

static void count(const struct lease_run *run, const struct lease_run *expected,
                  struct tally *tally)
{
    const bool known = expected->oracle.outcome == ORACLE_DONE;

    tally->same += known;
    tally->compared_in_part += !known;
    tally->layouts += (long)expected->record.layout_count;
    tally->rounds += (long)expected->record.line_count;
    for (size_t i = 0; i < run->record.line_count; i++)
        tally->solved += run->record.lines[i].method >= LEASE_BY_COMPACTED;
    for (size_t job = 0; job < run->record.job_count; job++) {
        const double *facts = run->record.jobs[job].values;

        tally->jobs += expected->record.jobs[job].known;
        tally->admitted += facts[FACT_CLASS] == LEASE_ACCEPTED;
        tally->lowest += facts[FACT_CLASS] == LEASE_LOWEST;
        tally->outlived += took_s(facts) > facts[FACT_ESTIMATED];
        tally->waited += facts[FACT_WAITED] > 0;
        tally->missed += facts[FACT_MISSED] > 0;
    }
}

/* Whether both do the same, or the oracle does not know. */
static bool agree(const struct lease_world *world, struct complaint *verdict, struct tally *tally)
{
    struct lease_run expected = lease_world_run_oracle(world, TICKS_MAX);
    bool agreed = true;

    if (expected.oracle.outcome == ORACLE_ENDLESS) {
        lease_world_print(world);
        lease_run_print(&expected);
        fail_msg("the oracle finds no end");
    }
    tally->repaired += expected.repaired;
    tally->contested += expected.oracle.outcome == ORACLE_CONTESTED;
    if (!expected.repaired &&
        (expected.oracle.outcome == ORACLE_DONE || tally->contested % CONTESTED_SHARE == 0)) {
        struct lease_run run = lease_world_run_engine(world);

        agreed = judge(world, &run, &expected, verdict);
        if (agreed)
            count(&run, &expected, tally);
        lease_run_clear(&run);
    }
    lease_run_clear(&expected);
    return agreed;
}

/* Drops jobs as long as there is a difference. */
static void shrink(struct random_lease_world *random, struct complaint *verdict)
{
    struct lease_world *world = &random->world;

    for (size_t i = 0; i < world->job_count;) {
        struct tally tally = {.contested = -1};
        const struct oracle_chronus_job job = random->jobs[i];
        const size_t behind = world->job_count - i - 1;

        memmove(&random->jobs[i], &random->jobs[i + 1], behind * sizeof(job));
        for (size_t k = i; k < i + behind; k++)
            random->jobs[k].id = random->ids[k];
        world->job_count--;
        if (world->job_count > 0 && !agree(world, verdict, &tally)) {
            i = 0;
            continue;
        }
        memmove(&random->jobs[i + 1], &random->jobs[i], behind * sizeof(job));
        random->jobs[i] = job;
        world->job_count++;
        for (size_t k = i; k < world->job_count; k++)
            random->jobs[k].id = random->ids[k];
        i++;
    }
}

static void explain(struct random_lease_world *random, struct complaint *verdict)
{
    struct tally tally = {.contested = -1};
    struct lease_run expected;
    struct lease_run run;

    shrink(random, verdict);
    (void)agree(&random->world, verdict, &tally);
    expected = lease_world_run_oracle(&random->world, TICKS_MAX);
    run = lease_world_run_engine(&random->world);
    printf("%s\n", verdict->text);
    lease_world_print(&random->world);
    printf("engine: ");
    lease_run_print(&run);
    printf("oracle: ");
    lease_run_print(&expected);
    lease_run_clear(&run);
    lease_run_clear(&expected);
}

static void check_refusal(const struct lease_world *world, struct tally *tally)
{
    struct lease_run run = lease_world_run_engine(world);

    assert_int_equal(run.status, -1);
    assert_true(strstr(run.error.text, "for ever") || strstr(run.error.text, "CH-Q8"));
    tally->refused++;
    lease_run_clear(&run);
}

static struct tally compare_runs(const struct kind *kind, const char *name, long runs)
{
    rng_t rng = rng_new(test_seed(), name);
    struct tally tally = {0};

    for (long i = 0; i < runs; i++) {
        static struct random_lease_world random;
        struct complaint verdict = {""};

        pick_world(&rng, kind, &random);
        if (lease_world_is_refused(&random.world)) {
            check_refusal(&random.world, &tally);
        } else if (!agree(&random.world, &verdict, &tally)) {
            explain(&random, &verdict);
            fail_msg("run %ld of %s differs", i, name);
        }
    }
    printf(
        "%s: %ld runs the same and %ld up to a contested round, of %ld of them; %ld refused, %ld "
        "beyond the oracle; %ld ends, %ld admitted, %ld late, %ld hopeless, %ld beyond their "
        "estimate, %ld credited with waiting; %ld layouts, %ld lease rounds, %ld solved\n",
        name, tally.same, tally.compared_in_part, tally.contested, tally.refused, tally.repaired,
        tally.jobs, tally.admitted, tally.missed, tally.lowest, tally.outlived, tally.waited,
        tally.layouts, tally.rounds, tally.solved);
    return tally;
}

static void compare_all(const struct kind *kind, const char *name)
{
    const long runs = test_solver_times(RUNS);
    const struct tally tally = compare_runs(kind, name, runs);

    assert_true(tally.refused > 0 && tally.admitted > 0 && tally.missed > 0);
    assert_true(tally.lowest > 0 && tally.outlived > 0 && tally.waited > 0);
    if (kind->mode == ORACLE_CHRONUS_PLAN)
        assert_true(tally.contested == 0 && tally.same > runs * 3 / 4);
    else
        assert_true(tally.compared_in_part > 0 && tally.solved > 0 && tally.same > runs / 3);
}

TEST(by_plan_chronus_does_what_the_oracle_does)
{
    compare_all(&(struct kind){ORACLE_CHRONUS_PLAN, false}, "chronus by plan");
}

TEST(by_plan_chronus_without_quirks_does_too)
{
    compare_all(&(struct kind){ORACLE_CHRONUS_PLAN, true}, "chronus by plan without quirks");
}

TEST(with_a_solver_chronus_does_what_the_oracle_does)
{
    compare_all(&(struct kind){ORACLE_CHRONUS_MILP, false}, "chronus with a solver");
}

TEST(with_a_solver_chronus_without_quirks_does_too)
{
    compare_all(&(struct kind){ORACLE_CHRONUS_MILP, true}, "chronus with a solver without quirks");
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
