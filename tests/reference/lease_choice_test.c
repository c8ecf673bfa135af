/* lease_choice_test.c - what a lease round chooses is the best there is, by Cbc as by trying
 * everything; and where nothing can be chosen it says why.
 */
#include "common/rng.h"
#include "tests/reference/lease_problem.h"
#include "tests/reference/plain_choice.h"
#include "tests/solver/faulty_solver.h"
#include "tests/solver/solving.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS 4

static struct lease_problem *problem;
static struct leasing leasing;
static struct lease_choice choices[LEASE_PROBLEM_JOBS];
static struct lease_round round_;

FIXTURE(set_up)
{
    problem = lease_problem_new();
    leasing = (struct leasing){.solver = cbc(), .model = milp_new()};
    return 0;
}

static void clear(void)
{
    for (size_t i = 0; i < problem->entries->count; i++) {
        slot_runs_free(&choices[i].later);
        choices[i] = (struct lease_choice){.served = false};
    }
    lease_problem_clear(problem);
}

FIXTURE(tear_down)
{
    clear();
    lease_problem_destroy(&problem);
    milp_destroy(&leasing.model);
    return 0;
}

static void add(int64_t slots, int64_t need, int64_t gpus)
{
    lease_problem_add(problem, slots, need, gpus);
}

static void add_level(int64_t slots, int64_t need, int64_t gpus, int64_t value)
{
    lease_problem_add_level(problem, slots, need, gpus, value);
}

static bool choose(void)
{
    round_ = (struct lease_round){.answer = LEASE_UNASKED};
    return lease_choose_by_solver(problem, &leasing, choices, &round_);
}

static void check_now(const bool now[], size_t count)
{
    (void)plain_choice_check(problem, choices);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(choices[i].now, now[i]);
}

#define ON_CHOICE(name) TEST_WITH(name, set_up, tear_down)

/* Six GPUs are wanted and four are there. Among the two that can fill them, the earlier
 * deadline. */
ON_CHOICE(as_many_gpus_as_there_are_are_lent_to_the_earliest)
{
    add(4, 2, 2);
    add(4, 1, 2);
    add(3, 2, 2);
    assert_true(choose());
    assert_int_equal(round_.method, LEASE_BY_COMPACTED);
    assert_int_equal(round_.answer, MILP_OPTIMAL);
    assert_string_equal(round_.trouble.text, "");
    check_now((const bool[]){true, false, true}, 3);
}

/* The second job can do without this slot, the third and fourth cannot together. */
ON_CHOICE(as_few_as_possible_are_lent_where_that_is_asked_for)
{
    problem->objective = OBJECTIVE_MINIMIZE;
    add(1, 1, 2);
    add(5, 2, 4);
    add(2, 1, 4);
    add(3, 1, 2);
    assert_true(choose());
    check_now((const bool[]){true, false, false, false}, 4);
}

ON_CHOICE(later_slots_are_taken_as_late_as_possible)
{
    add(6, 3, 4);
    add(1, 1, 4);
    assert_true(choose());
    check_now((const bool[]){false, true}, 2);
    assert_int_equal(choices[0].later.count, 1);
    assert_int_equal(choices[0].later.items[0].from, LEASE_PROBLEM_SLOT + 3);
    assert_int_equal(choices[0].later.items[0].to, LEASE_PROBLEM_SLOT + 6);
}

ON_CHOICE(every_job_is_served_at_the_most_valuable_levels_there_are)
{
    (void)lease_problem_add_job(problem, 2);
    add_level(2, 2, 4, 10);
    add_level(4, 2, 4, 3);
    (void)lease_problem_add_job(problem, 2);
    add_level(2, 2, 4, 8);
    add_level(4, 2, 4, 5); /* 10 + 5, and not 8 + 3 */
    assert_true(choose());
    check_now((const bool[]){true, false, false, false}, 4);
    assert_true(choices[0].served);
    assert_true(choices[3].served);
}

/* The first deadline of the job is over. */
ON_CHOICE(a_level_that_is_lost_is_not_served)
{
    (void)lease_problem_add_job(problem, 2);
    add_level(-2, 2, 4, 10);
    add_level(4, 2, 4, 3);
    assert_true(choose());
    check_now((const bool[]){false, true}, 2);
}

/* In 2 slots of 2 GPUs there seems to be room for one slot of 2 GPUs and two of 1; but the large
 * job leaves one slot only. So the small one has to run now. */
ON_CHOICE(a_small_job_takes_a_block_from_a_large_one)
{
    problem->gpu_count = 2;
    problem->objective = OBJECTIVE_MINIMIZE;
    add(3, 1, 2);
    add(3, 2, 1);
    assert_true(choose());
    assert_int_equal(round_.method, LEASE_BY_COMPACTED);
    assert_int_equal(round_.answer, MILP_OPTIMAL);
    assert_int_equal(round_.columns, 4);
    assert_int_equal(round_.rows, 5);
    check_now((const bool[]){false, true}, 2);
}

/* Of two jobs of 3 GPUs on 5, one runs at a time. */
ON_CHOICE(what_is_left_over_beside_the_large_is_nobodys)
{
    problem->gpu_count = 5;
    problem->objective = OBJECTIVE_MINIMIZE;
    add(3, 1, 3);
    add(4, 3, 3);
    assert_true(choose());
    assert_int_equal(round_.method, LEASE_BY_COMPACTED);
    assert_int_equal(round_.answer, MILP_OPTIMAL);
    check_now((const bool[]){true, false}, 2);
}

/* In 2 slots of 4 GPUs there seems to be room for three jobs of 1 GPU in both and one of 2 GPUs in
 * one, also if each small one takes a block of 2 GPUs; but three of them take two blocks. */
ON_CHOICE(what_cannot_be_cut_into_slots_is_solved_in_full)
{
    problem->objective = OBJECTIVE_MINIMIZE;
    problem->gpu_count = 4;
    for (int i = 0; i < 3; i++)
        add(3, 2, 1);
    add(3, 1, 2);
    assert_true(choose());
    assert_int_equal(round_.method, LEASE_BY_FULL);
    assert_int_equal(round_.answer, MILP_FEASIBLE);
    assert_int_equal(round_.columns, 12);
    assert_true(round_.gap == 1);
    check_now((const bool[]){true, false, false, false}, 4);
}

/* 15 GPUs of 16 are wanted. But the large job leaves one GPU in three of the slots, and those and
 * the fourth are five places for two small ones, which need six. */
static void add_what_only_seems_to_fit(void)
{
    add(4, 3, 1);
    add(4, 3, 1);
    add(4, 3, 3);
}

ON_CHOICE(what_only_seems_to_fit_is_not_chosen)
{
    add_what_only_seems_to_fit();
    assert_false(choose());
    assert_int_equal(round_.method, LEASE_BY_FULL);
    assert_int_equal(round_.answer, MILP_INFEASIBLE);
    assert_int_equal(round_.columns, 12);
    assert_string_equal(round_.trouble.text, "the model is infeasible");
}

ON_CHOICE(what_fits_nowhere_is_not_solved_in_full)
{
    add(2, 3, 1);
    add(5, 1, 4);
    assert_false(choose());
    assert_int_equal(round_.answer, MILP_INFEASIBLE);
    assert_int_equal(round_.columns, 5); /* of 7 */
    assert_string_equal(round_.trouble.text, "the model is infeasible");
}

static void check_too_large(void)
{
    assert_false(choose());
    assert_int_equal(round_.answer, MILP_NO_SOLUTION);
    assert_string_equal(round_.trouble.text, "the model would have more than 1000000 columns");
}

ON_CHOICE(a_full_model_of_a_million_columns_is_not_built)
{
    add_what_only_seems_to_fit();
    add(1000000, 1, 1);
    check_too_large();
    assert_true(round_.columns < 20);
}

ON_CHOICE(neither_is_a_compacted_one)
{
    for (size_t i = 0; i < 1500; i++)
        add(1 + (int64_t)i, 1, 1);
    check_too_large();
    assert_int_equal(round_.columns, 0);
}

/* Jobs of one or several levels, with time enough or not. */
static void pick_loose_jobs(rng_t *rng)
{
    const size_t jobs = 1 + rng_below(rng, JOBS);
    const bool softs = rng_below(rng, 2) == 0;

    for (size_t job = 0; job < jobs; job++) {
        const size_t levels = softs && rng_below(rng, 2) == 0 ? 2 : 1;
        const int64_t size = 1 + (int64_t)rng_below(rng, (uint64_t)problem->gpu_count);
        const int64_t need = 1 + (int64_t)rng_below(rng, 3);
        int64_t slots = need + (int64_t)rng_below(rng, 5) - (rng_below(rng, 20) == 0);

        (void)lease_problem_add_job(problem, levels);
        for (size_t i = 0; i < levels; i++, slots += 1 + (int64_t)rng_below(rng, 2))
            add_level(slots, need, size, (int64_t)(10 - i * (1 + rng_below(rng, 5))));
    }
}

/* Jobs that all but fill their slots: the kind that compacted models are wrong about. */
static void pick_tight_jobs(rng_t *rng)
{
    problem->gpu_count = 4 + (int64_t)rng_below(rng, 2);
    for (size_t job = 0; job < JOBS; job++)
        add(4, 2 + (int64_t)rng_below(rng, 2), 1 + (int64_t)rng_below(rng, 3));
}

static void pick_problem(rng_t *rng)
{
    static const enum lease_objective objectives[] = {OBJECTIVE_MAXIMIZE, OBJECTIVE_MINIMIZE,
                                                      OBJECTIVE_RANDOM};

    problem->gpu_count = 2 + (int64_t)rng_below(rng, 4);
    problem->objective = objectives[rng_below(rng, COUNT(objectives))];
    if (rng_below(rng, 4) > 0)
        pick_loose_jobs(rng);
    else
        pick_tight_jobs(rng);
}

struct tally {
    long compacted;
    long full;
    long impossible; /* as the full model alone could tell, */
    long hopeless;   /* ... or the compacted one already */
    long closed;
};

/* What is not proven to be best may be worse, but by no more than it says. */
static void check_best(const struct plain_best *best)
{
    const struct plain_worth worth = plain_choice_check(problem, choices);
    const int64_t missing = best->objective - plain_choice_objective(problem, &worth);

    assert_true(missing >= 0 && (double)missing <= round_.gap);
    if (problem->objective != OBJECTIVE_RANDOM && round_.answer == MILP_OPTIMAL)
        assert_int_equal(worth.order, best->least_order[worth.value][worth.gpus]);
}

static void check_choice(const struct plain_best *best, struct tally *tally)
{
    assert_int_equal(choose(), best->possible);
    if (!best->possible) {
        assert_int_equal(round_.answer, MILP_INFEASIBLE);
        tally->impossible += round_.method == LEASE_BY_FULL;
        tally->hopeless += round_.method == LEASE_BY_COMPACTED;
        return;
    }
    check_best(best);
    tally->compacted += round_.method == LEASE_BY_COMPACTED;
    tally->full += round_.method == LEASE_BY_FULL;
}

/* Where it is chosen without a solver that must be the same. */
static void check_closed_form(const struct plain_best *best, struct tally *tally)
{
    struct lease_choice closed[PLAIN_CHOICE_ENTRIES] = {{false}};

    if (lease_choose_by_closed_form(problem, closed)) {
        const struct plain_worth worth = plain_choice_check(problem, closed);

        assert_true(best->possible);
        assert_int_equal(plain_choice_objective(problem, &worth), best->objective);
        for (size_t i = 0; i < problem->entries->count && problem->objective != OBJECTIVE_RANDOM;
             i++)
            assert_int_equal(closed[i].now, choices[i].now);
        tally->closed++;
    }
    for (size_t i = 0; i < problem->entries->count; i++)
        slot_runs_free(&closed[i].later);
}

ON_CHOICE(random_choices_are_the_best_of_all)
{
    rng_t rng = rng_new(test_seed(), "lease choice");
    struct tally tally = {0};

    for (long i = 0; i < test_times(600); i++) {
        static struct plain_best best;

        clear();
        pick_problem(&rng);
        plain_choice_best(problem, &best);
        check_choice(&best, &tally);
        check_closed_form(&best, &tally);
    }
    printf("%ld by the compacted model, %ld by the full one, %ld and %ld impossible; %ld without a "
           "solver\n",
           tally.compacted, tally.full, tally.hopeless, tally.impossible, tally.closed);
    assert_true(tally.compacted > 0 && tally.full > 0 && tally.hopeless > 0 &&
                tally.impossible > 0 && tally.closed > 0);
}

ON_CHOICE(a_solver_at_fault_chooses_nothing)
{
    add(4, 2, 2);
    add(4, 1, 4);
    for (size_t i = 0; i < faulty_solver_count; i++) {
        leasing.time_limit_s = faulty_solvers[i].answer == MILP_NO_SOLUTION ? 0.05 : 600;
        leasing.solver = faulty_solvers[i].solver;
        assert_false(choose());
        assert_int_equal(round_.answer, faulty_solvers[i].answer);
        assert_non_null(strstr(round_.trouble.text, leasing.solver->name));
    }
}

ON_CHOICE(a_solver_without_memory_leaves_the_round_to_the_plan)
{
#ifdef RUBATO_SANITIZED
    skip(); /* their malloc ends a process in ways of its own */
#endif
    add(4, 2, 2);
    add(4, 1, 4);
    leasing.memory_mib = 32;
    for (int limited = 0; limited < 2; limited++) {
        leasing.time_limit_s = limited ? 600 : 0;
        leasing.solver = &solver_that_hoards;
        assert_false(choose());
        assert_int_equal(round_.answer, MILP_NO_SOLUTION);
        assert_string_equal(round_.trouble.text,
                            "hoarding: no choice was found within the limit of 32 MiB of memory");
        assert_true(round_.out_of_memory);
    }
}

/* The solver fails, and says within which limits. */
static void tell_limits(const struct milp_problem *model, const struct milp_limits *limits,
                        struct milp_reply *reply)
{
    (void)model;
    error_set(&reply->error, "a gap of %g and %g, %s time", limits->gap_absolute,
              limits->gap_relative, limits->seconds > 0 ? "some" : "all the");
}

static const struct milp_solver telling = {.name = "telling", .solve = tell_limits};

static void check_limits(double gap, double time_limit_s, const char *limits)
{
    leasing.gap = gap;
    leasing.time_limit_s = time_limit_s;
    assert_false(choose());
    assert_string_equal(round_.trouble.text, limits);
}

/* The objective counts in GPUs, so that less than one of them is none. */
ON_CHOICE(the_gap_is_a_part_of_the_gpus)
{
    leasing.solver = &telling;
    problem->gpu_count = 32;
    add(4, 2, 32);
    add(4, 1, 32);
    check_limits(0, 0, "telling: a gap of 0.5 and 0, all the time");
    check_limits(0.01, 60, "telling: a gap of 0.5 and 0, some time");
    check_limits(0.25, 60, "telling: a gap of 8 and 0, some time");
}

static bool yes(void *owner)
{
    (void)owner;
    return true;
}

ON_CHOICE(a_solver_gives_up_when_it_is_asked_to)
{
    const struct stop stop = {yes, NULL};

    leasing.solver = &solver_that_stalls;
    leasing.stop = &stop;
    add(4, 2, 4);
    add(4, 1, 4);
    assert_false(choose());
    assert_int_equal(round_.answer, MILP_NO_SOLUTION);
}

int main(void)
{
    (void)test_seed();
    return tests_run(NULL, NULL);
}
