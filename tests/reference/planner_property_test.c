/* planner_property_test.c - on random questions our planners give the answers of the oracle's, to
 * the last bit, and find no answer where it finds none.
 *
 * RUBATO_SEED chooses the questions, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/policies/policy.h"
#include "tests/reference/planner_call.h"
#include "tests/support/seed.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CALLS 40000

/* How the answers came out; every kind must have come up. */
struct tally {
    long met;
    long late;
    long aborted;
    long forced;
    long best_effort;
    long past_deadline;
    long irregular; /* more GPUs are not always faster */
};

static int pick_of(rng_t *rng, const int choices[], size_t count)
{
    return choices[rng_below(rng, count)];
}

static void pick_job(rng_t *rng, const tables_t *tables, const struct policy *policy,
                     struct planner_call *call)
{
    const throughput_table_t *table = tables_for_engine(tables);
    struct submission submission = {.id = "random"};
    const struct job job = {.submission = &submission};

    call->tables = tables;
    call->row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    submission.throughput = call->row;
    submission.model = call->row->model;
    submission.batch_size = call->row->batch_size;
    call->gpus_max = policy->gpus_max(&job, tables_gpu_type(tables));
}

/* Free GPUs that come and go on the grid of slots; at the end all of them, if `all_at_last`. */
static void pick_free(rng_t *rng, bool all_at_last, struct planner_call *call)
{
    const size_t wanted = 1 + rng_below(rng, test_pick(rng, 4) == 0 ? CALL_STEPS_MAX - 2 : 5);
    double at_s = (double)call->now_s;
    int before = -1;

    call->free_count = 0;
    for (size_t i = 0; i < wanted; i++) {
        const bool last = i + 1 == wanted && all_at_last;
        int gpus = last ? call->gpu_count : test_pick(rng, call->gpu_count + 1);

        if (!last && test_pick(rng, 3) == 0)
            gpus = 0;
        if (gpus == before)
            continue;
        call->free[call->free_count++] = (struct oracle_step){at_s, gpus};
        before = gpus;
        at_s += (double)call->slot_s * (1 + test_pick(rng, test_pick(rng, 3) == 0 ? 40 : 4));
    }
}

static double random_entry_s(rng_t *rng, const struct planner_call *call)
{
    return call->free[rng_below(rng, call->free_count)].time_s;
}

static void pick_deadline(rng_t *rng, struct planner_call *call)
{
    const double now_s = (double)call->now_s;
    const int slot_s = call->slot_s;

    switch (test_pick(rng, 8)) {
    case 0:
        call->deadline_s = CALL_FOREVER_S;
        break;
    case 1: /* past or just now */
        call->deadline_s = now_s - test_pick(rng, 3 * slot_s + 1);
        break;
    case 2:
        call->deadline_s = random_entry_s(rng, call);
        break;
    case 3:
        call->deadline_s = random_entry_s(rng, call) + test_pick(rng, 5) - 2;
        break;
    case 4: /* within the slot of now */
        call->deadline_s = now_s + test_pick(rng, slot_s + 1);
        break;
    default:
        call->deadline_s = now_s + floor(rng_log_uniform(rng, 1, 200.0 * slot_s));
    }
}

static double rate_on(const struct planner_call *call, int gpus)
{
    for (int i = call->row->level_count - 1; i >= 0; i--)
        if (call->row->gpus[i] <= gpus && call->row->gpus[i] <= call->gpus_max)
            return call->row->iters_per_s[i];
    return 0;
}

/* As much as `gpus` GPUs, or what is free of them, do from the entry `first` on: the boundary at
 * which a size is just enough. */
static double work_until_deadline(const struct planner_call *call, int gpus, size_t first)
{
    double until_s = call->deadline_s;
    double work = 0;

    for (size_t i = call->free_count; i-- > first;) {
        const int here = call->free[i].gpus < gpus ? call->free[i].gpus : gpus;

        if (call->free[i].time_s >= call->deadline_s)
            continue;
        work += (until_s - call->free[i].time_s) * rate_on(call, here);
        until_s = call->free[i].time_s;
    }
    return work;
}

static void pick_work(rng_t *rng, struct planner_call *call)
{
    const int gpus = 1 << test_pick(rng, 7);

    switch (test_pick(rng, 8)) {
    case 0:
    case 1:
        call->iterations =
            work_until_deadline(call, gpus, (size_t)rng_below(rng, call->free_count));
        break;
    case 2:
    case 3: /* whole seconds, often whole slots */
        call->iterations = rate_on(call, gpus) * (1 + test_pick(rng, 40)) *
                           (test_pick(rng, 2) == 0 ? 1 : call->slot_s);
        break;
    case 4: /* what rounding leaves of a job */
        call->iterations = rng_log_uniform(rng, 1e-14, 1e-3);
        break;
    default:
        call->iterations =
            rng_log_uniform(rng, 0.01, 1000.0 * call->slot_s) * call->row->iters_per_s[0];
    }
    if (test_pick(rng, 6) == 0)
        call->iterations = nextafter(call->iterations, test_pick(rng, 2) == 0 ? 0 : HUGE_VAL);
    if (!(call->iterations > 1e-15) || call->iterations > 1e15)
        call->iterations = 1 + test_pick(rng, 5000);
}

/* The job holds some level, or none, and is to grow by one. */
static void pick_growth(rng_t *rng, struct planner_call *call)
{
    const struct throughput_row *row = call->row;
    double at_s = (double)call->now_s;
    int fitting = 0;
    int level;

    while (fitting < row->level_count && row->gpus[fitting] <= call->gpus_max &&
           row->gpus[fitting] <= call->free[0].gpus)
        fitting++;
    if (fitting == 0)
        return;
    level = test_pick(rng, fitting);
    call->forced_gpus = row->gpus[level];
    call->held_gpus = level > 0 ? row->gpus[level - 1] : 0;
    call->held_count = 0;
    for (int steps = 1 + test_pick(rng, 4), gpus = call->held_gpus; steps > 0; steps--) {
        call->held[call->held_count++] = (struct oracle_step){at_s, gpus};
        at_s += (double)call->slot_s * (1 + test_pick(rng, 5));
        gpus = gpus > 0 && test_pick(rng, 2) == 0 ? 0 : row->gpus[test_pick(rng, fitting)];
        if (gpus == call->held[call->held_count - 1].gpus)
            break;
    }
    call->held_end_s = at_s - (test_pick(rng, 4) == 0 ? call->slot_s : 0);
}

static void pick_call(rng_t *rng, const tables_t *tables, const struct policy *policy,
                      bool all_at_last, struct planner_call *call)
{
    static const int clusters[] = {1, 2, 4, 8, 8, 16, 16, 32, 64, 64, 128, 256, 3, 12, 20, 24, 48};
    static const int slots[] = {1, 2, 7, 10, 30, 60, 60, 60, 120, 240, 1000};

    *call = (struct planner_call){.gpu_count = pick_of(rng, clusters, COUNT(clusters)),
                                  .slot_s = pick_of(rng, slots, COUNT(slots)),
                                  .now_s = test_pick(rng, 3) == 0 ? 0 : test_pick(rng, 4000000)};
    pick_job(rng, tables, policy, call);
    pick_free(rng, all_at_last, call);
    pick_deadline(rng, call);
    pick_work(rng, call);
}

static void count(struct tally *tally, const struct planner_call *call, const char *answer)
{
    bool irregular = false;

    for (int i = 1; i < call->row->level_count; i++)
        irregular = irregular || call->row->iters_per_s[i] < call->row->iters_per_s[i - 1];
    tally->met += !strncmp(answer, "yes", 3);
    tally->late += !strncmp(answer, "no", 2);
    tally->aborted += !strcmp(answer, "abort");
    tally->forced += call->forced_gpus > 0;
    tally->best_effort += call->deadline_s == CALL_FOREVER_S;
    tally->past_deadline += call->deadline_s <= (double)call->now_s;
    tally->irregular += irregular;
}

static void compare(const struct planner_call *call, long number, const char *ours,
                    const char *oracles)
{
    char question[ANSWER_CHARS];

    if (!strcmp(ours, oracles))
        return;
    planner_describe(call, question);
    fail_msg("call %ld: %s\n  ours:   %s\n  oracle: %s", number, question, ours, oracles);
}

static void report(const char *planner, const struct tally *tally)
{
    printf("%s: %ld met, %ld late, %ld aborted; %ld forced, %ld best effort, %ld past their "
           "deadline, %ld irregular\n",
           planner, tally->met, tally->late, tally->aborted, tally->forced, tally->best_effort,
           tally->past_deadline, tally->irregular);
    assert_true(tally->met > 0 && tally->late > 0 && tally->aborted > 0);
    assert_true(tally->best_effort > 0 && tally->past_deadline > 0 && tally->irregular > 0);
}

struct gpu_types {
    tables_t *of[2];
};

static int read_tables(void **state)
{
    static struct gpu_types types;

    types = (struct gpu_types){{tables_new("A100"), tables_new("T4")}};
    *state = &types;
    return 0;
}

static int drop_tables(void **state)
{
    struct gpu_types *types = *state;

    tables_destroy(&types->of[0]);
    tables_destroy(&types->of[1]);
    return 0;
}

TEST(the_deadline_planner_answers_as_the_oracle_does)
{
    const struct gpu_types *types = *test_state;
    const struct policy *policy = policy_find("ef");
    rng_t rng = rng_new(test_seed(), "deadline planner");
    struct tally tally = {0};

    for (long i = 0; i < test_times(CALLS); i++) {
        char ours[ANSWER_CHARS];
        char oracles[ANSWER_CHARS];
        struct planner_call call;

        pick_call(&rng, types->of[test_pick(&rng, 2)], policy, true, &call);
        if (test_pick(&rng, 2) == 0)
            pick_growth(&rng, &call);
        planner_answer_of_oracle(&call, oracles);
        planner_answer(&call, ours);
        compare(&call, i, ours, oracles);
        count(&tally, &call, oracles);
    }
    report("deadline planner", &tally);
    assert_true(tally.forced > 0);
}

TEST(the_edf_planner_answers_as_the_oracle_does)
{
    const struct gpu_types *types = *test_state;
    const struct policy *policy = policy_find("edf");
    rng_t rng = rng_new(test_seed(), "edf planner");
    struct tally tally = {0};

    for (long i = 0; i < test_times(CALLS); i++) {
        char ours[ANSWER_CHARS];
        char oracles[ANSWER_CHARS];
        struct planner_call call;

        pick_call(&rng, types->of[test_pick(&rng, 2)], policy, test_pick(&rng, 4) != 0, &call);
        edf_answer_of_oracle(&call, oracles);
        edf_answer(&call, ours);
        compare(&call, i, ours, oracles);
        count(&tally, &call, oracles);
    }
    report("edf planner", &tally);
}

int main(void)
{
    (void)test_seed();
    return tests_run(read_tables, drop_tables);
}
