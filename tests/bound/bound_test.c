/* bound_test.c - bounds that can be worked out by hand, and random ones that are held against all
 * schedules of few jobs and against an integer program.
 *
 * RUBATO_SEED chooses the random jobs, RUBATO_TIMES how many sets of them there are. */
#include "common/rng.h"
#include "scheduler/bound/bound.h"
#include "scheduler/bound/grid.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TIMES     60
#define NEEDS_MAX 24

/* One iteration a second on one GPU, `more` on a second one. */
static struct need need_of_two(int64_t begin_s, int64_t end_s, double iterations, double more)
{
    return (struct need){.begin_s = begin_s,
                         .end_s = end_s,
                         .worth = 1,
                         .iterations = iterations,
                         .step_count = 2,
                         .step_gpus = {1, 1},
                         .step_rate = {1, more}};
}

static void check(const struct need needs[], size_t count, int gpus, int64_t jobs)
{
    const struct bound bound = bound_find(needs, count, gpus, 0);

    assert_int_equal(bound.jobs, jobs);
    assert_int_equal(bound.gap, 0);
    assert_string_equal(bound.why.text, "");
}

TEST(without_jobs_there_is_nothing_to_bound)
{
    check(NULL, 0, 4, 0);
}

TEST(jobs_that_fit_are_all_on_time)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(10, 20, 15, 0.5),
                                 need_of_two(0, 20, 5, 0.5)};

    check(needs, COUNT(needs), 2, 3);
}

TEST(gpus_are_held_by_one_job_at_a_time)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(0, 10, 10, 0.5),
                                 need_of_two(0, 10, 10, 0.5)};

    check(needs, COUNT(needs), 1, 1);
    check(needs, COUNT(needs), 2, 2);
}

/* Each needs both of its steps. Two thirds of each of three jobs fit on three GPUs, but no two
 * jobs. */
TEST(a_part_of_a_job_is_not_cheaper_than_the_job)
{
    const struct need needs[] = {need_of_two(0, 10, 15, 0.5), need_of_two(0, 10, 15, 0.5),
                                 need_of_two(0, 10, 15, 0.5)};

    check(needs, COUNT(needs), 3, 1);
}

TEST(work_is_done_between_arrival_and_deadline)
{
    struct need needs[40];

    for (int64_t i = 0; i < 40; i++)
        needs[i] = need_of_two(20 * i, 20 * i + 10 + i % 2, 10, 0.0625);
    for (int i = 0; i < 40; i += 4)
        needs[i + 1] = needs[i];
    check(needs, COUNT(needs), 1, 30);
}

/* Half of each of two jobs fits beside a whole one. */
TEST(halves_of_jobs_make_no_job)
{
    const struct need needs[] = {need_of_two(0, 10, 10, 0.5), need_of_two(0, 10, 10, 0.5),
                                 need_of_two(20, 30, 10, 0.5), need_of_two(20, 30, 10, 0.5),
                                 need_of_two(20, 30, 5, 0.5)};

    check(needs, 2, 1, 1);
    check(needs, COUNT(needs), 1, 2);
}

TEST(a_job_that_needs_all_gpus_all_the_time_gets_them)
{
    const struct need needs[] = {need_of_two(0, 10, 15, 0.5), need_of_two(10, 20, 15, 0.5),
                                 need_of_two(0, 20, 1, 0.5)};

    check(needs, COUNT(needs), 2, 2);
    check(needs, COUNT(needs), 3, 3);
}

static struct need worth(struct need need, double worth, bool is_other)
{
    need.worth = worth;
    need.is_other = is_other;
    return need;
}

/* Two jobs of ten seconds on one GPU: one ends by its first date, the other by its second one. */
TEST(a_job_counts_by_one_of_its_dates)
{
    const struct need needs[] = {
        worth(need_of_two(0, 10, 10, 0.5), 10, false), worth(need_of_two(0, 20, 10, 0.5), 6, true),
        worth(need_of_two(0, 10, 10, 0.5), 10, false), worth(need_of_two(0, 20, 10, 0.5), 5, true)};

    check(needs, 2, 1, 10);
    check(needs, COUNT(needs), 1, 16);
    check(needs, COUNT(needs), 2, 20);
}

TEST(gpus_go_to_the_job_that_is_worth_most)
{
    const struct need needs[] = {worth(need_of_two(0, 10, 10, 0.5), 3, false),
                                 worth(need_of_two(0, 10, 10, 0.5), 70, false),
                                 worth(need_of_two(0, 10, 10, 0.5), 9, false)};

    check(needs, COUNT(needs), 1, 70);
    check(needs, COUNT(needs), 2, 79);
}

/* Of these it is not known after one sweep how many fit. */
TEST(without_time_the_bound_holds_and_its_gap_is_told)
{
    struct need needs[30];
    struct bound bound;

    for (int64_t i = 0; i < 30; i++)
        needs[i] = need_of_two(3 * i, 3 * i + 20, 15 + (double)(i % 7), 0.3);
    bound = bound_find(needs, COUNT(needs), 2, 1e-9);
    assert_int_equal(bound.jobs, 30);
    assert_int_equal(bound.gap, 30);
    assert_string_equal(bound.why.text, "the time limit of 1e-09 s was reached");
}

/* ---- random jobs ---- */

static struct need random_need(rng_t *rng)
{
    const int64_t begin_s = (int64_t)rng_below(rng, 100);
    const int64_t end_s = begin_s + 1 + (int64_t)rng_below(rng, 60);
    struct need need = need_of_two(begin_s, end_s, 1, rng_uniform(rng, 0.1, 0.9));

    need.iterations =
        (double)(end_s - begin_s) * (1 + need.step_rate[1]) * rng_uniform(rng, 0.1, 1);
    return need;
}

/* Long windows on one GPU, of which far too many overlap. */
TEST(the_search_ends_at_a_gap_of_one_when_no_better_plan_comes)
{
    struct need needs[40];
    rng_t rng = rng_new(3, "a gap of one");
    struct bound found[2];

    for (size_t j = 0; j < COUNT(needs); j++) {
        needs[j] = random_need(&rng);
        needs[j].begin_s *= 2;
        needs[j].end_s = needs[j].begin_s + 10 + 2 * (needs[j].end_s % 60);
        needs[j].iterations =
            (double)(needs[j].end_s - needs[j].begin_s) * rng_uniform(&rng, 0.1, 1);
    }
    for (size_t i = 0; i < COUNT(found); i++)
        found[i] = bound_find(needs, COUNT(needs), 1, 0);
    assert_int_equal(found[0].gap, 1);
    assert_non_null(strstr(found[0].why.text, "jobs came in the last 500 sweeps"));
    assert_int_equal(found[1].jobs, found[0].jobs);
    assert_string_equal(found[1].why.text, found[0].why.text);
}

/* The shares of all intervals that a job may have, which come to all of its work or nothing. */
static void add_job(milp_t *milp, const struct grid *grid, const struct need *need)
{
    const int row = milp_add_row(milp, 0, MILP_INFINITY);
    const int served = milp_add_column(milp, 0, 1, 1, true);
    const struct grid_span span = grid_span(grid, need);

    milp_add_term(milp, row, served, -1);
    for (size_t i = span.first; i < span.end; i++)
        for (int s = 0; s < need->step_count; s++) {
            const int column = milp_add_column(milp, 0, 1, 0, false);

            milp_add_term(milp, (int)i, column, need->step_gpus[s]);
            milp_add_term(milp, row, column,
                          need->step_rate[s] * grid_length_s(grid, i) / need->iterations);
        }
}

/* How many whole jobs can share GPUs like a liquid. */
static int64_t solve_whole(const struct need needs[], size_t count, int gpus)
{
    milp_t *milp = milp_new();
    struct grid grid = grid_new(needs, count);
    struct milp_result result;
    int64_t jobs;

    milp_set_maximise(milp, true);
    for (size_t i = 0; i < grid.count; i++)
        (void)milp_add_row(milp, -MILP_INFINITY, gpus);
    for (size_t j = 0; j < count; j++)
        add_job(milp, &grid, &needs[j]);
    result = solve_with_cbc(milp);
    check_answer(&result, MILP_OPTIMAL);
    jobs = (int64_t)round(result.objective);
    grid_free(&grid);
    milp_destroy(&milp);
    return jobs;
}

TEST(the_optimum_of_whole_jobs_is_within_the_gap)
{
    rng_t rng = rng_new(test_seed(), "needs");
    int64_t short_of = 0;
    int64_t open = 0;

    for (long i = test_times(TIMES); i > 0; i--) {
        const size_t count = 1 + rng_below(&rng, NEEDS_MAX);
        const int gpus = 1 + (int)rng_below(&rng, 6);
        struct need needs[NEEDS_MAX];
        struct bound bound;
        int64_t jobs;

        for (size_t j = 0; j < count; j++)
            needs[j] = random_need(&rng);
        jobs = solve_whole(needs, count, gpus);
        bound = bound_find(needs, count, gpus, 0);
        if (jobs > bound.jobs || jobs < bound.jobs - bound.gap)
            fail_msg("%ld jobs, but %ld at most and %ld fewer planned", (long)jobs,
                     (long)bound.jobs, (long)bound.gap);
        short_of += bound.jobs < (int64_t)count;
        open += bound.gap > 0;
    }
    assert_true(short_of > 0);
    assert_true(2 * open < short_of);
}

/* ---- all schedules of few jobs, second by second ---- */

#define JOBS_MAX 4
#define SECONDS  6
#define WORK_MAX 12
#define STATES   ((WORK_MAX + 1) * (WORK_MAX + 1) * (WORK_MAX + 1) * (WORK_MAX + 1))

/* Each job has two needs: for its first date, and for another one, which is worth less. */
struct schedules {
    struct need needs[2 * JOBS_MAX];
    size_t count; /* of jobs */
    int gpus;
    int8_t best[SECONDS][STATES]; /* 1 + what was found, 0 for nothing yet */
};

static size_t state_of(const int left[])
{
    size_t state = 0;

    for (int j = 0; j < JOBS_MAX; j++)
        state = state * (WORK_MAX + 1) + (size_t)left[j];
    return state;
}

static int best_from(struct schedules *self, int64_t now_s, int left[]);

/* What the job is worth that ends at that time. */
static int worth_at(const struct schedules *self, size_t job, int64_t end_s)
{
    const struct need *need = &self->needs[2 * job];

    return end_s <= need[0].end_s ? (int)need[0].worth : (int)need[1].worth;
}

/* What is best if the jobs from `job` on have so many GPUs in this second: each none, one for two
 * iterations or two for three. */
static int best_choice(struct schedules *self, int64_t now_s, int left[], size_t job, int gpus)
{
    static const int done[] = {0, 2, 3};
    int best = 0;

    if (job >= self->count || job >= JOBS_MAX)
        return best_from(self, now_s + 1, left);
    for (int g = 0; g <= 2 && g <= gpus; g++) {
        const struct need *need = &self->needs[2 * job];
        const int before = left[job];
        int found;

        if (g > 0 && (before == 0 || now_s < need[0].begin_s || now_s >= need[1].end_s))
            break;
        left[job] = before > done[g] ? before - done[g] : 0;
        found = best_choice(self, now_s, left, job + 1, gpus - g);
        if (before > 0 && left[job] == 0)
            found += worth_at(self, job, now_s + 1);
        best = found > best ? found : best;
        left[job] = before;
    }
    return best;
}

/* The most that jobs are worth which end from then on. */
static int best_from(struct schedules *self, int64_t now_s, int left[])
{
    const size_t state = state_of(left);

    if (now_s == SECONDS)
        return 0;
    if (self->best[now_s][state] == 0)
        self->best[now_s][state] = (int8_t)(1 + best_choice(self, now_s, left, 0, self->gpus));
    return self->best[now_s][state] - 1;
}

static struct need short_need(rng_t *rng)
{
    const int64_t begin_s = (int64_t)rng_below(rng, SECONDS);
    const int64_t length_s = 1 + (int64_t)rng_below(rng, (uint64_t)(SECONDS - begin_s));
    const int64_t most = 3 * length_s < WORK_MAX ? 3 * length_s : WORK_MAX;

    return (struct need){.begin_s = begin_s,
                         .end_s = begin_s + length_s,
                         .worth = 1,
                         .iterations = 1 + (double)rng_below(rng, (uint64_t)most),
                         .step_count = 2,
                         .step_gpus = {1, 1},
                         .step_rate = {2, 1}};
}

/* A job that could end by its first date, or by both; worth 1 by any, or less by the other one. */
static void add_short(struct schedules *self, rng_t *rng, bool is_soft)
{
    struct need *need = &self->needs[2 * self->count++];

    need[0] = need[1] = short_need(rng);
    if (!is_soft)
        return;
    need[0].worth = 2 + (double)rng_below(rng, 9);
    need[1].worth = 1 + (double)rng_below(rng, (uint64_t)need[0].worth - 1);
    need[1].is_other = true;
    need[1].end_s += (int64_t)rng_below(rng, (uint64_t)(SECONDS - need[1].end_s + 1));
}

/* The bound for the needs of all jobs; of those that are not soft, the first. */
static struct bound bound_of(const struct schedules *self)
{
    struct need needs[2 * JOBS_MAX];
    size_t count = 0;

    for (size_t j = 0; j < 2 * self->count; j++)
        if (j % 2 == 0 || self->needs[j].is_other)
            needs[count++] = self->needs[j];
    return bound_find(needs, count, self->gpus, 0);
}

/* How often the bound is reached, and how often it is below the worth of all jobs. */
static void try_schedules(bool are_soft, int64_t *reached, int64_t *short_of)
{
    rng_t rng = rng_new(test_seed(), are_soft ? "values" : "schedules");
    struct schedules *schedules = malloc(sizeof(*schedules));

    assert_non_null(schedules);
    for (long i = test_times(TIMES); i > 0; i--) {
        int left[JOBS_MAX] = {0};
        const size_t jobs = 3 + rng_below(&rng, 2);
        double worth = 0;
        struct bound bound;
        int best;

        memset(schedules, 0, sizeof(*schedules));
        schedules->gpus = 1 + (int)rng_below(&rng, 3);
        for (size_t j = 0; j < jobs; j++) {
            add_short(schedules, &rng, are_soft);
            left[j] = (int)schedules->needs[2 * j].iterations;
            worth += schedules->needs[2 * j].worth;
        }
        best = best_from(schedules, 0, left);
        bound = bound_of(schedules);
        if (best > bound.jobs)
            fail_msg("jobs that end are worth %d, %ld at most", best, (long)bound.jobs);
        *reached += best == bound.jobs;
        *short_of += (double)bound.jobs < worth;
    }
    free(schedules);
}

TEST(no_schedule_of_few_jobs_beats_the_bound)
{
    int64_t reached = 0;
    int64_t short_of = 0;

    try_schedules(false, &reached, &short_of);
    assert_true(short_of > 0);
    assert_true(10 * reached >= 8 * test_times(TIMES));
}

TEST(no_schedule_of_few_soft_jobs_keeps_more_than_the_bound)
{
    int64_t reached = 0;
    int64_t short_of = 0;

    try_schedules(true, &reached, &short_of);
    print_message("reached %ld, short of all %ld\n", (long)reached, (long)short_of);
    assert_true(short_of > 0);
    assert_true(10 * reached >= 4 * test_times(TIMES));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
