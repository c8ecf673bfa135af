/* vacancy_test.c - what is taken is not free second by second, and each answer is the one that a
 * look at every entry gives. */
#include "common/rng.h"
#include "scheduler/planner/vacancy.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#define TRIALS    500
#define GPUS      64
#define SPANS     40
#define NOW_S     100
#define HORIZON_S 300

/* A vacancy of many entries, and what is free in each second of it. */
struct trial {
    struct vacancy vacancy;
    int free_gpus[HORIZON_S + 1];
};

static arena_t *arena;

FIXTURE(prepare)
{
    arena = arena_new();
    return 0;
}

FIXTURE(clean_up)
{
    arena_destroy(&arena);
    return 0;
}

static int least(const struct trial *trial, int from, int to)
{
    int least = GPUS;

    for (int i = from; i < to; i++)
        least = trial->free_gpus[i] < least ? trial->free_gpus[i] : least;
    return least;
}

static void open_trial(rng_t *rng, struct trial *trial)
{
    trial->vacancy = (struct vacancy){.arena = arena};
    vacancy_clear(&trial->vacancy, NOW_S, GPUS);
    for (int i = 0; i <= HORIZON_S; i++)
        trial->free_gpus[i] = GPUS;
    for (uint64_t spans = rng_below(rng, SPANS); spans > 0; spans--) {
        const int from = (int)rng_below(rng, HORIZON_S);
        const int to = from + 1 + (int)rng_below(rng, (uint64_t)(HORIZON_S - from));
        const int gpus = 1 + (int)rng_below(rng, 3);

        if (least(trial, from, to) < gpus)
            continue;
        vacancy_take(&trial->vacancy, NOW_S + from, NOW_S + to, gpus);
        for (int i = from; i < to; i++)
            trial->free_gpus[i] -= gpus;
    }
}

static void check_trial(const struct trial *trial)
{
    const struct vacancy *vacancy = &trial->vacancy;

    for (int k = 0; k <= HORIZON_S; k++)
        assert_int_equal(vacancy->free_gpus[vacancy_find(vacancy, NOW_S + k)], trial->free_gpus[k]);
    for (int k = 1; k < vacancy->count; k++) {
        assert_true(vacancy->at_s[k - 1] < vacancy->at_s[k]);
        assert_int_not_equal(vacancy->free_gpus[k - 1], vacancy->free_gpus[k]);
    }
}

TEST(what_is_taken_is_not_free)
{
    rng_t rng = rng_new(test_seed(), "taken");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;

        open_trial(&rng, &trial);
        check_trial(&trial);
        arena_reset(arena);
    }
}

TEST(the_least_is_that_of_each_second)
{
    rng_t rng = rng_new(test_seed(), "least");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;
        int from;
        int to;

        open_trial(&rng, &trial);
        from = (int)rng_below(&rng, HORIZON_S);
        to = from + 1 + (int)rng_below(&rng, (uint64_t)(HORIZON_S - from));
        assert_int_equal(vacancy_least(&trial.vacancy, NOW_S + from, NOW_S + to),
                         least(&trial, from, to));
        arena_reset(arena);
    }
}

TEST(what_is_taken_is_summed_up)
{
    rng_t rng = rng_new(test_seed(), "sum");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;
        int until;
        int taken = 0;

        open_trial(&rng, &trial);
        until = (int)rng_below(&rng, HORIZON_S);
        for (int k = 0; k < until; k++)
            taken += GPUS - trial.free_gpus[k];
        assert_true(vacancy_taken(&trial.vacancy, NOW_S + until, GPUS) == taken);
        arena_reset(arena);
    }
}

TEST(a_run_ends_where_too_few_are_free)
{
    rng_t rng = rng_new(test_seed(), "ends");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;
        const struct vacancy *vacancy = &trial.vacancy;
        const double until_s = NOW_S + 1 + (double)rng_below(&rng, HORIZON_S + 10);
        const int gpus = (int)rng_below(&rng, GPUS);

        open_trial(&rng, &trial);
        for (int k = 0; k < vacancy->count; k++) {
            int end = k;

            while (end < vacancy->count && vacancy->at_s[end] < until_s &&
                   vacancy->free_gpus[end] >= gpus)
                end++;
            assert_int_equal(vacancy_run_end(vacancy, k, until_s, gpus), end);
        }
        arena_reset(arena);
    }
}

TEST(a_run_starts_after_too_few_are_free)
{
    rng_t rng = rng_new(test_seed(), "starts");

    for (int i = 0; i < TRIALS; i++) {
        struct trial trial;
        const struct vacancy *vacancy = &trial.vacancy;
        const double from_s = NOW_S + (double)rng_below(&rng, HORIZON_S) - 5;
        const int gpus = (int)rng_below(&rng, GPUS);

        open_trial(&rng, &trial);
        for (int k = 0; k < vacancy->count; k++) {
            int start = k;

            if (vacancy->free_gpus[k] < gpus)
                continue;
            while (start > 0 && vacancy->at_s[start] > from_s &&
                   vacancy->free_gpus[start - 1] >= gpus)
                start--;
            assert_int_equal(vacancy_run_start(vacancy, k, from_s, gpus), start);
        }
        arena_reset(arena);
    }
}

/* Also those that begin or end together, or one where another ends. */
TEST(many_spans_are_taken_as_each_is)
{
    rng_t rng = rng_new(test_seed(), "many");

    for (int i = 0; i < TRIALS; i++) {
        struct span spans[150];
        const size_t count = (size_t)rng_below(&rng, 150);
        struct vacancy one_by_one = {.arena = arena};
        struct trial trial;

        open_trial(&rng, &trial);
        vacancy_copy(&trial.vacancy, &one_by_one);
        for (size_t k = 0; k < count; k++) {
            const int64_t from_s = NOW_S + (int64_t)rng_below(&rng, HORIZON_S);

            spans[k] = (struct span){from_s, from_s + 1 + (int64_t)rng_below(&rng, HORIZON_S),
                                     1 + (int)rng_below(&rng, 3)};
            vacancy_take(&one_by_one, (double)spans[k].from_s, (double)spans[k].to_s,
                         spans[k].gpus);
        }
        vacancy_take_all(&trial.vacancy, spans, count);
        assert_int_equal(trial.vacancy.count, one_by_one.count);
        for (int k = 0; k < one_by_one.count; k++) {
            assert_true(trial.vacancy.at_s[k] == one_by_one.at_s[k]);
            assert_int_equal(trial.vacancy.free_gpus[k], one_by_one.free_gpus[k]);
        }
        arena_reset(arena);
    }
}

TEST(nothing_is_taken_from_a_time_to_an_earlier_one)
{
    rng_t rng = rng_new(test_seed(), "nothing");
    struct trial trial;

    open_trial(&rng, &trial);
    vacancy_take(&trial.vacancy, NOW_S + 20, NOW_S + 20, 1);
    vacancy_take(&trial.vacancy, NOW_S + 20, NOW_S + 10, 1);
    check_trial(&trial);
}

TEST(a_copy_stays_as_it_is)
{
    rng_t rng = rng_new(test_seed(), "copies");
    struct vacancy copy = {.arena = arena};
    struct trial trial;

    open_trial(&rng, &trial);
    vacancy_copy(&trial.vacancy, &copy);
    vacancy_clear(&trial.vacancy, NOW_S, 0);
    for (int k = 0; k <= HORIZON_S; k++)
        assert_int_equal(copy.free_gpus[vacancy_find(&copy, NOW_S + k)], trial.free_gpus[k]);
}

int main(void)
{
    return tests_run(prepare, clean_up);
}
