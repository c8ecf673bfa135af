/* planning_rules_test.c - each quirk of the planners beside the rule that puts it right: vgg16 with
 * a batch of 128 on 8 A100 GPUs, slots of 60 s, as in the worked examples of the behavioural
 * specification (section 20.1). The first column of numbers is the reference's. */
#include "scheduler/reference/harm.h"
#include "scheduler/reference/quirks.h"
#include "scheduler/reference/reservation_book.h"
#include "tests/reference/planner_call.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tables_t *a100;
static struct scaling vgg16;
static struct error error;

FIXTURE(set_up)
{
    a100 = tables_new("A100");
    return scaling_init(&vgg16, tables_row(a100, "vgg16", 128), 64, 8, &error);
}

FIXTURE(tear_down)
{
    tables_destroy(&a100);
    return 0;
}

static void derive(const char *policy, const char *rules, struct variant *derived)
{
    if (policy_with_rules(policy_find(policy), rules, derived, &error) < 0)
        fail_msg("%s", error.text);
}

/* Plans a job of vgg16; `forced` GPUs for now, 0 for none. */
static void check(const char *policy, const char *rules, const char *free, double iterations,
                  double deadline_s, int forced, const char *expected)
{
    struct variant derived;
    struct planner_call call = {.tables = a100,
                                .row = tables_row(a100, "vgg16", 128),
                                .gpus_max = 64,
                                .gpu_count = 8,
                                .slot_s = 60,
                                .iterations = iterations,
                                .deadline_s = deadline_s,
                                .forced_gpus = forced,
                                .rules = &derived.rules.planning};
    char answer[ANSWER_CHARS];
    char *gain;

    derive(policy, rules, &derived);
    call.free_count = planner_steps(free, call.free);
    if (!strncmp(policy, "edf", 3))
        edf_answer(&call, answer);
    else
        planner_answer(&call, answer);
    gain = forced > 0 ? strrchr(answer, '|') : NULL;
    if (gain) /* what it held before means nothing here */
        gain[-1] = '\0';
    if (strcmp(answer, expected) != 0)
        fail_msg("%s: %s, expected %s", rules, answer, expected);
}

TEST(a_plan_ends_with_its_job)
{
    static const char free[] = "0:4, 240:6, 480:8";

    check("ef", "reference", free, 1000, 600, 0,
          "yes | 0:1, 480:0 | 420 | 381 | 0:3, 240:5, 420:6, 480:8");
    check("ef", "EF-Q12", free, 1000, 600, 0, "yes | 0:1 | 420 | 381 | 0:3, 240:5, 420:6, 480:8");
}

TEST(a_late_job_works_from_its_deadline_to_the_slots_end)
{
    check("ef", "reference", "0:2, 120:8", 6000, 290, 0,
          "no | 0:2, 120:8 | 540 | 529 | 0:0, 540:8");
    check("ef", "EF-Q41", "0:2, 120:8", 6000, 290, 0, "no | 0:2, 120:8 | 540 | 519 | 0:0, 540:8");
    check("ef", "reference", "0:8", 2000, 70, 0, "no | 0:8 | 240 | 198 | 0:0, 240:8");
    check("ef", "EF-Q41", "0:8", 2000, 70, 0, "no | 0:8 | 180 | 148 | 0:0, 180:8");
}

/* 800 iterations take 59 s on 8 GPUs. */
TEST(a_forced_piece_that_does_all_ends_the_job_even_if_late)
{
    check("ef", "reference", "0:8", 800, 50, 8, "no | 0:8 | 120 | 69 | 0:0, 120:8");
    check("ef", "EF-Q41", "0:8", 800, 50, 8, "no | 0:8 | 60 | 59 | 0:0, 60:8");
    check("ef", "EF-Q41", "0:8, 120:4", 800, 50, 8, "no | 0:8 | 60 | 59 | 0:0, 60:8, 120:4");
    check("ef", "EF-Q41", "0:8", 800, -50, 8, "no | 0:8 | 60 | 59 | 0:0, 60:8");
    check("ef", "EF-Q41", "0:8, 60:4, 120:8", 1600, 50, 8,
          "no | 0:8, 60:4, 120:8 | 180 | 140 | 0:0, 180:8");
}

/* A length in slots, in seconds, for which the iterations of one GPU and their time do not agree:
 * the one fill it exactly, the other is a rounding error longer. */
static double length_that_rounding_exceeds(void)
{
    for (int length_s = 60; length_s < 1000000; length_s += 60)
        if (ceil(length_s * vgg16.rate[1] / vgg16.rate[1]) > length_s)
            return length_s;
    fail_msg("no length is exceeded by rounding");
    return 0;
}

TEST(an_end_that_only_rounding_puts_off_is_where_its_piece_ends)
{
    const double length_s = length_that_rounding_exceeds();
    const double iterations = length_s * vgg16.rate[1];
    char expected[ANSWER_CHARS];

    check("ef", "reference", "0:1", iterations, length_s, 0, "abort");
    (void)snprintf(expected, sizeof(expected), "yes | 0:1 | %.0f | %.0f | 0:0, %.0f:1", length_s,
                   length_s, length_s);
    check("ef", "EF-Q27", "0:1", iterations, length_s, 0, expected);
}

/* A job that is late between two slots' ends was in time by the first and is late by the second. */
TEST(slots_are_those_of_the_cluster_or_none)
{
    struct variant reference;
    struct variant clean;
    struct view view = {.now_s = 100, .slot_s = 60, .gpu_count = 8, .rules = &reference.rules};
    struct planning_grid grid;

    derive("ef", "reference", &reference);
    derive("ef", "EF-Q27", &clean);
    grid = planning_grid_of(&view);
    assert_true(planning_slot_end(&grid, 101) == 160);
    assert_true(planning_slot_end(&grid, 161) == 220);
    view.rules = &clean.rules;
    grid = planning_grid_of(&view);
    assert_true(planning_slot_end(&grid, 101) == 101);
    assert_true(planning_slot_end(&grid, 161) == 161);
}

/* What jobs of vgg16 hold once every job is planned. */
static void check_levels(const char *rules, const struct job *jobs, size_t count,
                         const int gpus_expected[])
{
    struct variant derived;
    const struct job *in_order[8];
    struct view view = {.slot_s = 60,
                        .gpu_count = 8,
                        .jobs = in_order,
                        .job_count = count,
                        .rules = &derived.rules};
    plan_t *plan = plan_new();

    derive("ef", rules, &derived);
    for (size_t i = 0; i < count; i++)
        in_order[i] = &jobs[i];
    assert_int_equal(derived.policy.allocate(&view, plan, &error), 0);
    for (size_t i = 0; i < plan->growth_count; i++)
        plan->shares[plan->growths[i].place].grant = plan->growths[i].grant;
    for (size_t i = 0; i < count; i++)
        if (plan->shares[i].grant.gpus != gpus_expected[i])
            fail_msg("%s: %s holds %d GPUs, expected %d", rules, jobs[i].submission->id,
                     plan->shares[i].grant.gpus, gpus_expected[i]);
    plan_destroy(&plan);
}

/* A job of vgg16, of best effort if it has no deadline. */
#define VGG16_JOB(name, work, due_s)                                                               \
    {                                                                                              \
        .submission = &(const struct submission){.id = (name),                                     \
                                                 .iterations = (work),                             \
                                                 .deadline_s = (due_s),                            \
                                                 .best_effort = (due_s) == DEADLINE_NONE_S},       \
        .scaling = &vgg16, .iterations_left = (work)                                               \
    }

/* The second needs 4 GPUs to be in time, the first cannot be saved. */
TEST(who_cannot_be_in_time_takes_what_the_others_leave)
{
    const struct job jobs[] = {VGG16_JOB("hopeless", 9000, 60), VGG16_JOB("urgent", 1000, 120)};

    check_levels("reference", jobs, COUNT(jobs), (const int[]){8, 0});
    check_levels("EF-Q28", jobs, COUNT(jobs), (const int[]){4, 4});
}

/* Each holds one GPU and five are idle. A second one costs `short` two slots of GPU time, `long`
 * only one. */
TEST(spare_gpus_go_where_they_cost_least)
{
    const struct job jobs[] = {VGG16_JOB("short", 900, 6000), VGG16_JOB("long", 9000, 60000),
                               VGG16_JOB("longer", 12000, 60000)};

    check_levels("reference", jobs, COUNT(jobs), (const int[]){4, 2, 2});
    check_levels("EF-Q29", jobs, COUNT(jobs), (const int[]){2, 4, 2});
}

TEST(what_is_free_behind_an_edf_end_stays_known)
{
    check("edf", "reference", "0:4, 120:8", 1000, 600, 0, "yes | 4 | 115 | 0:0, 120:4");
    check("edf", "EF-Q37", "0:4, 120:8", 1000, 600, 0, "yes | 4 | 115 | 0:0, 120:8");
    check("edf", "reference", "0:4, 60:0, 240:8", 400, 600, 0, "yes | 4 | 46 | 0:0, 60:4, 240:8");
    check("edf", "EF-Q37", "0:4, 60:0, 240:8", 400, 600, 0, "yes | 4 | 46 | 0:0, 240:8");
    check("edf", "EF-Q37", "0:8", 1000, 600, 0, "yes | 8 | 74 | 0:0, 120:8");
}

/* The last `arrivals` of `jobs` are offered; `admitted` has a letter for each, y or n. */
static void check_admission(const char *policy, const char *rules, const struct job *jobs,
                            size_t count, size_t arrivals, const char *admitted)
{
    struct variant derived;
    const struct job *in_order[8];
    struct view view = {.slot_s = 60,
                        .gpu_count = 8,
                        .jobs = in_order,
                        .job_count = count,
                        .arrival_count = arrivals,
                        .rules = &derived.rules};
    plan_t *plan = plan_new();
    struct verdict verdicts[8];
    char found[9] = "";

    derive(policy, rules, &derived);
    for (size_t i = 0; i < count; i++)
        in_order[i] = &jobs[i];
    assert_int_equal(
        derived.policy.admission->decide(derived.policy.prove, &view, plan, verdicts, &error), 0);
    for (size_t k = 0; k < arrivals; k++)
        found[k] = verdicts[k].kind != VERDICT_DECLINED ? 'y' : 'n';
    if (strcmp(found, admitted) != 0)
        fail_msg("%s under %s admits %s, expected %s", policy, rules, found, admitted);
    assert_int_equal(plan->proven, strchr(admitted, 'n') == NULL);
    plan_destroy(&plan);
}

TEST(one_hopeless_arrival_takes_no_other_down)
{
    const struct job jobs[] = {VGG16_JOB("fine", 1000, 600), VGG16_JOB("hopeless", 9000, 60),
                               VGG16_JOB("fine-too", 1000, 600)};
    const struct job crowd[] = {VGG16_JOB("first", 900, 120), VGG16_JOB("second", 1500, 120),
                                VGG16_JOB("third", 100, 120)};

    check_admission("ef-accessctrl", "reference", jobs, COUNT(jobs), 3, "nnn");
    check_admission("ef-accessctrl", "EF-Q35", jobs, COUNT(jobs), 3, "yny");
    check_admission("ef-accessctrl", "EF-Q35", crowd, COUNT(crowd), 3, "yny");
    check_admission("ef-accessctrl", "EF-Q35", jobs, 1, 1, "y");
}

/* One that is late already runs; the arrivals fit beside it, or not. */
TEST(one_late_job_blocks_nobody_else)
{
    const struct job fits[] = {VGG16_JOB("late", 1000, 60), VGG16_JOB("arrival", 1000, 600)};
    const struct job does_not[] = {VGG16_JOB("late", 1000, 60), VGG16_JOB("arrival", 9000, 100)};
    const struct job harms[] = {VGG16_JOB("runs", 1500, 130), VGG16_JOB("arrival", 1000, 120)};
    const struct job idle[] = {VGG16_JOB("late", 1000, 60),
                               VGG16_JOB("arrival", 1000, DEADLINE_NONE_S)};

    for (size_t i = 0; i < 2; i++) {
        const char *policy = i == 0 ? "ef-accessctrl" : "edf-accessctrl";

        check_admission(policy, "reference", fits, COUNT(fits), 1, "n");
        check_admission(policy, "EF-Q36", fits, COUNT(fits), 1, "y");
        check_admission(policy, "EF-Q36", does_not, COUNT(does_not), 1, "n");
        check_admission(policy, "EF-Q36", harms, COUNT(harms), 1, "n");
        check_admission(policy, "EF-Q36", idle, COUNT(idle), 1, "y");
    }
    check_admission("edf-accessctrl", "reference", idle, COUNT(idle), 1, "n");
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
