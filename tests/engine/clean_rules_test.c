/* clean_rules_test.c - each quirk of a round beside the rule that puts it right, on a run of one
 * node of 8 GPUs, with slots of a minute, that is small enough to follow by hand.
 *
 * vgg16 with a batch of 128 does 13.573 iterations/s on 8 GPUs, so that 1000 of them take 74 s.
 * Ranks that were used before cost 2 s, 8 new ones 10 s. */
#include "tests/engine/both_worlds.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static tables_t *a100;

FIXTURE(set_up)
{
    a100 = tables_new("A100");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&a100);
    return 0;
}

static struct world world_of(const char *policy, const struct oracle_job *jobs, size_t count)
{
    return (struct world){.policy = policy,
                          .tables = a100,
                          .cluster = {1, 1, 8},
                          .slot_s = 60,
                          .jobs = jobs,
                          .job_count = count};
}

/* Runs `world` under `rules`; `ends` are "ID@END" of the retired jobs in their order, blanks
 * between them. */
static void check(struct world world, const char *rules, long accepted, const char *ends)
{
    folder_t *here = folder_new();
    struct engine_run run;
    char found[200] = "";
    char *rest = NULL;

    world.rules = rules;
    run = world_run_engine(&world, here);
    if (run.status != 0)
        fail_msg("%s: %s", rules, run.error.text);
    (void)strtok_r(run.jobs_csv, "\n", &rest);
    for (char *line = strtok_r(NULL, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const size_t used = strlen(found);
        char id[20];
        long end_s;

        assert_int_equal(sscanf(line, "%*d,%19[^,],%*d,%*d,%*d,%ld", id, &end_s), 2);
        (void)snprintf(found + used, sizeof(found) - used, "%s%s@%ld", used > 0 ? " " : "", id,
                       end_s);
    }
    if (strcmp(found, ends) != 0)
        fail_msg("%s under %s ends as %s, expected %s", world.policy, rules, found, ends);
    assert_int_equal(run.accepted, accepted);
    engine_run_clear(&run);
    folder_destroy(&here);
}

/* A long job, and two hopeless ones that are declined: they cause a round at 100 s and one at 200
 * s. */
static const struct oracle_job disturbed[] = {
    {"long", 0, false, 0, 10000, 2000, "vgg16", 128, 1, 0},
    {"no", 1, false, 100, 10000, 101, "vgg16", 128, 1, 0},
    {"never", 2, false, 200, 10000, 201, "vgg16", 128, 1, 0},
};

/* 10000 iterations take 737 s. */
TEST(all_trainers_restart_by_the_threshold_not_by_the_slot)
{
    struct world world = world_of("edf-accessctrl", disturbed, COUNT(disturbed));

    check(world, "reference", 1, "long@751"); /* 10 + 2 + 2 */
    check(world, "EF-Q3", 1, "long@751");     /* no restart at all */
    world.restart_threshold = 1;
    check(world, "EF-Q3", 1, "long@786"); /* 10 + 2, and 2 + 27 + 8 once the groups are forgotten */
    world.restart_threshold = 2;
    check(world, "EF-Q3", 1, "long@751"); /* ranks that were used before are spared: EF-Q19 */
}

TEST(a_job_pays_no_overhead_while_nothing_changes_for_it)
{
    check(world_of("edf-accessctrl", disturbed, COUNT(disturbed)), "EF-Q20", 1, "long@747");
}

/* At 100 s the job of 74 s has been done for 16 s, but its end is planned for the slot's, 130 s. */
TEST(work_behind_the_planned_finish_counts)
{
    static const struct oracle_job jobs[] = {
        {"short", 0, false, 0, 1000, 600, "vgg16", 128, 1, 0},
        {"no", 1, false, 100, 10000, 101, "vgg16", 128, 1, 0},
    };

    check(world_of("ef-accessctrl", jobs, COUNT(jobs)), "reference", 1, "short@162");
    check(world_of("ef-accessctrl", jobs, COUNT(jobs)), "EF-Q14", 1, "short@84");
}

/* 74 s of work after an overhead of 10 s. At 61 s, when 51 s are done, the rest is planned anew,
 * after an overhead of 2 s: the reference plans until the end of a slot counted from there. */
TEST(a_planned_end_is_no_slots_end)
{
    static const struct oracle_job jobs[] = {
        {"short", 0, false, 0, 1000, 600, "vgg16", 128, 1, 0},
        {"no", 1, false, 61, 10000, 62, "vgg16", 128, 1, 0},
    };

    check(world_of("ef-accessctrl", jobs, 1), "reference", 1, "short@130");
    check(world_of("ef-accessctrl", jobs, 1), "EF-Q27", 1, "short@84");
    check(world_of("ef-accessctrl", jobs, 2), "reference", 1, "short@123");
    check(world_of("ef-accessctrl", jobs, 2), "EF-Q27", 1, "short@86");
}

/* Done at 10 + 74 s. */
TEST(a_job_is_late_if_its_last_iteration_is)
{
    static const struct oracle_job done_in_time[] = {
        {"in-time", 0, false, 0, 1000, 84, "vgg16", 128, 1, 0}};
    static const struct oracle_job done_late[] = {
        {"late", 0, false, 0, 1000, 83, "vgg16", 128, 1, 0}};

    check(world_of("ef", done_in_time, 1), "reference", 0, "in-time@130");
    check(world_of("ef", done_in_time, 1), "EF-Q33", 1, "in-time@84");
    check(world_of("ef-accessctrl", done_late, 1), "reference", 1, "late@130");
    check(world_of("ef-accessctrl", done_late, 1), "EF-Q33", 0, "late@84");
}

/* At 60 s `second` is planned to change its size at 240 s. At 128 s it gets all GPUs for good, but
 * the reference still looks at 240 s, which costs every job another overhead. */
TEST(nobody_is_woken_for_a_change_that_is_no_longer_planned)
{
    static const struct oracle_job jobs[] = {
        {"first", 0, false, 0, 1000, 1000, "inception3", 128, 1, 0},
        {"second", 1, false, 60, 2000, 1060, "bert", 64, 1, 0},
    };

    check(world_of("ef", jobs, COUNT(jobs)), "reference", 2, "first@128 second@302");
    check(world_of("ef", jobs, COUNT(jobs)), "EF-Q13", 2, "first@128 second@310");
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
