/* simulation_test.c - whole runs on the worked examples of the behavioural specification (sections
 * 20.3 and 20.4), which the reference itself has computed, and the ends a run can come to. */
#include "tests/engine/both_worlds.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static folder_t *folder;
static tables_t *a100;
static tables_t *t4;

FIXTURE(set_up)
{
    folder = folder_new();
    a100 = tables_new("A100");
    t4 = tables_new("T4");
    return 0;
}

FIXTURE(tear_down)
{
    tables_destroy(&t4);
    tables_destroy(&a100);
    folder_destroy(&folder);
    return 0;
}

#define FOREVER "9223372036854775807"

static const struct oracle_job five_jobs[] = {
    {"a", 0, false, 0, 2000, 700, "vgg16", 128, 1, 0},
    {"b", 1, false, 20, 1500, 400, "resnet50", 128, 1, 0},
    {"c", 2, false, 100, 3000, 300, "bert", 64, 1, 0},
    {"d", 3, false, 130, 1200, 500, "gpt2", 128, 1, 0},
    {"e", 4, false, 400, 900, 900, "inception3", 128, 1, 0},
};

static const struct oracle_job six_jobs[] = {
    {"p", 0, false, 0, 200, 200, "cifar10", 2048, 1, 0},
    {"q", 1, true, 0, 60, 50, "yolov3", 64, 1, 0},
    {"r", 2, false, 10, 3000, 100, "ncf", 32768, 1, 0},
    {"s", 3, false, 12, 100, 60, "cifar10", 4096, 1, 0},
    {"u", 4, false, 70, 1500, 200, "ncf", 32768, 1, 0},
    {"v", 5, true, 150, 2000, 160, "ncf", 32768, 1, 0},
};

static struct world five(const char *policy)
{
    return (struct world){.policy = policy,
                          .tables = a100,
                          .cluster = {1, 1, 8},
                          .slot_s = 60,
                          .jobs = five_jobs,
                          .job_count = COUNT(five_jobs)};
}

static struct world six(const char *policy)
{
    return (struct world){.policy = policy,
                          .tables = t4,
                          .cluster = {1, 2, 2},
                          .slot_s = 30,
                          .jobs = six_jobs,
                          .job_count = COUNT(six_jobs),
                          .other_dialect = true};
}

#define ON_TABLES(name) TEST_WITH(name, set_up, tear_down)

/* Round by round: arrivals are seen a slot later (EF-Q16), the job that lost a second at 221 is
 * pushed from 242 to 304 (EF-Q14, EF-Q27), jobs that were to wait grow first (EF-Q31). */
ON_TABLES(ef_accessctrl_runs_five_jobs_as_the_reference_does)
{
    const struct world world = five("ef-accessctrl");

    world_check(&world, 4, 1,
                WORLD_JOBS("242,a,4,0,0,242,700,0\n"
                           "304,d,4,130,180,304,500,0\n"
                           "304,b,4,20,60,304,400,0\n"
                           "522,e,8,400,400,522,900,0\n"),
                "time,layout\n"
                "0,0@0x8\n"
                "60,0@0x4 1@4x4\n"
                "120,0@0x4 1@4x4\n"
                "180,0@0x4 3@4x2 1@6x2\n"
                "242,3@0x4 1@4x4\n"
                "304,\n"
                "400,4@0x8\n"
                "522,\n");
}

ON_TABLES(ef_runs_five_jobs_as_the_reference_does)
{
    const struct world world = five("ef");

    world_check(&world, 1, 4,
                WORLD_JOBS("462,c,8,100,120,462,300,0\n"
                           "524,b,8,20,60,524,400,0\n"
                           "646,d,8,130,524,646,500,0\n"
                           "768,a,8,0,0,768,700,0\n"
                           "890,e,8,400,768,890,900,0\n"),
                NULL);
}

ON_TABLES(edf_runs_five_jobs_as_the_reference_does)
{
    const struct world world = five("edf");

    world_check(&world, 2, 3,
                WORLD_JOBS("392,c,8,100,120,392,300,0\n"
                           "452,b,8,20,60,423,400,0\n"
                           "517,d,8,130,452,517,500,0\n"
                           "605,a,8,0,0,605,700,0\n"
                           "688,e,8,400,605,688,900,0\n"),
                NULL);
}

ON_TABLES(edf_accessctrl_runs_five_jobs_as_the_reference_does)
{
    const struct world world = five("edf-accessctrl");

    world_check(&world, 4, 1,
                WORLD_JOBS("180,b,8,20,60,155,400,0\n"
                           "247,d,8,130,180,247,500,0\n"
                           "347,a,8,0,0,347,700,0\n"
                           "485,e,8,400,400,485,900,0\n"),
                NULL);
}

ON_TABLES(ef_accessctrl_runs_best_effort_as_the_reference_does)
{
    const struct world world = six("ef-accessctrl");

    world_check(&world, 2, 2,
                WORLD_JOBS("104,q,1,0,0,104," FOREVER ",1\n"
                           "136,u,1,70,70,136,200,0\n"
                           "198,p,2,0,0,198,200,0\n"
                           "232,v,1,150,166,232," FOREVER ",1\n"),
                "time,layout\n"
                "0,1@0x2 0@2x2\n"
                "30,1@0x2 0@2x2\n"
                "70,0@0x2 1@2x1 4@3x1\n"
                "104,0@0x2 4@2x1\n"
                "136,0@0x4\n"
                "166,0@0x2 5@2x1\n"
                "198,5@0x1\n"
                "232,\n");
}

ON_TABLES(ef_runs_best_effort_as_the_reference_does)
{
    const struct world world = six("ef");

    world_check(&world, 1, 3,
                WORLD_JOBS("132,s,4,12,30,132,60,0\n"
                           "194,u,1,70,132,194,200,0\n"
                           "226,r,1,10,132,226,100,0\n"
                           "258,p,4,0,0,258,200,0\n"
                           "320,q,2,0,0,320," FOREVER ",1\n"
                           "320,v,1,150,258,320," FOREVER ",1\n"),
                NULL);
}

ON_TABLES(edf_runs_best_effort_as_the_reference_does)
{
    const struct world world = six("edf");

    world_check(&world, 0, 4,
                WORLD_JOBS("109,s,4,12,30,109,60,0\n"
                           "180,r,4,10,109,163,100,0\n"
                           "229,p,4,0,0,229,200,0\n"
                           "256,u,4,70,229,256,200,0\n"
                           "302,q,4,0,256,302," FOREVER ",1\n"
                           "338,v,4,150,302,338," FOREVER ",1\n"),
                NULL);
}

ON_TABLES(edf_accessctrl_runs_best_effort_as_the_reference_does)
{
    const struct world world = six("edf-accessctrl");

    world_check(&world, 3, 2,
                WORLD_JOBS("100,r,4,10,30,88,100,0\n"
                           "161,p,4,0,0,161,200,0\n"
                           "190,u,4,70,161,190,200,0\n"
                           "238,q,4,0,190,238," FOREVER ",1\n"),
                NULL);
}

/* At 60 jobs of the second switch's nodes come free before those of the first. */
ON_TABLES(several_switches_mix_their_nodes_once_some_came_free)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, true, 0, 1500, 0, "vgg16", 128, 1, 0},
        {"b", 1, true, 0, 1500, 0, "vgg16", 128, 1, 0},
        {"c", 2, true, 60, 1500, 0, "vgg16", 128, 1, 0},
    };
    const struct world world = {.policy = "ef",
                                .tables = a100,
                                .cluster = {2, 2, 2},
                                .slot_s = 60,
                                .jobs = jobs,
                                .job_count = COUNT(jobs)};
    struct engine_run run = world_run_engine(&world, folder);
    struct oracle_run_result result;

    /* EF-Q4 */
    world_run_oracle(&world, 1000, &result);
    assert_int_equal(run.status, 0);
    assert_string_equal(run.rounds_csv, result.rounds_csv.text);
    assert_string_equal(run.jobs_csv, result.jobs_csv.text);
    assert_non_null(strstr(run.rounds_csv, "\n0,0@0x4 1@4x4\n"));
    oracle_run_result_clear(&result);
    engine_run_clear(&run);
}

static void check_error(struct world world, const char *what)
{
    struct engine_run run = world_run_engine(&world, folder);

    assert_int_equal(run.status, -1);
    if (!strstr(run.error.text, what))
        fail_msg("expected \"%s\", found \"%s\"", what, run.error.text);
    assert_false(folder_has(folder, "results"));
    engine_run_clear(&run);
}

ON_TABLES(a_cluster_size_without_figures_ends_edf_with_a_sentence)
{
    struct world world = five("edf");

    world.cluster = (struct oracle_cluster){1, 3, 4};
    check_error(world, "vgg16, batch size 128: the throughput table has no column");
}

ON_TABLES(a_rate_of_zero_ends_edf_with_a_sentence)
{
    static const struct oracle_job job = {"z", 0, false, 0, 900, 900, "resnet50_cifar10", 64, 1, 0};
    struct world world = five("edf");

    world.cluster = (struct oracle_cluster){1, 2, 8};
    world.jobs = &job;
    world.job_count = 1;
    check_error(world, "resnet50_cifar10, batch size 64: the throughput table has no usable rate");
}

/* 4 of 16 GPUs leave 12, a block of another class; but the nodes of a job alone are found again. */
ON_TABLES(a_job_on_part_of_a_large_node_comes_to_its_end)
{
    static const struct oracle_job job = {"0", 0, false, 0, 1000, 9999, "yolov3", 64, 4, 1000};
    static const char *const names[] = {"ef", "ef-accessctrl"};

    /* EF-Q23 */
    for (size_t i = 0; i < COUNT(names); i++) {
        struct world world = six(names[i]);

        world.cluster = (struct oracle_cluster){1, 1, 16};
        world.slot_s = 60;
        world.jobs = &job;
        world.job_count = 1;
        world_check(&world, 1, 0, WORLD_JOBS("788,0,4,0,0,788,9999,0\n"),
                    "time,layout\n0,0@0x4\n788,\n");
    }
}

/* Where an overhead is longer than the slot, no job gets anything done. */
ON_TABLES(a_run_that_never_ends_is_given_up_with_a_sentence)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 4, 106, 207, "resnet50", 128, 1, 0},
        {"b", 1, false, 0, 29, 30, "resnet50", 128, 1, 0},
        {"c", 2, false, 3, 50, 103, "resnet50", 128, 1, 0},
        {"d", 3, false, 6, 285, 57, "resnet50", 128, 1, 0},
        {"e", 4, false, 9, 70, 171, "resnet50", 128, 1, 0},
    };
    struct world world = five("ef-accessctrl");

    world.cluster = (struct oracle_cluster){4, 2, 2};
    world.slot_s = 1;
    world.jobs = jobs;
    world.job_count = COUNT(jobs);
    check_error(world, "the run never ends: since 100000 rounds no job gets anything done");
}

static struct simulation simulation_of_five(void)
{
    const struct world world = five("ef");
    struct engine_run run = world_run_engine(&world, folder);

    assert_int_equal(run.status, 0); /* it leaves its input files for others */
    engine_run_clear(&run);
    return (struct simulation){.policy = "ef",
                               .placement = "elastic",
                               .trace = folder_file(folder, "trace.csv"),
                               .cluster = folder_file(folder, "cluster.csv"),
                               .throughputs = tables_folder(),
                               .gpu_type = "A100",
                               .slot_s = 60};
}

static void check_simulation_error(const struct simulation *simulation, const char *what)
{
    struct simulation_result result;
    struct error error;

    assert_int_equal(simulation_run(simulation, &result, &error), -1);
    if (!strstr(error.text, what))
        fail_msg("expected \"%s\", found \"%s\"", what, error.text);
}

ON_TABLES(every_input_that_is_missing_is_named)
{
    struct simulation simulation = simulation_of_five();

    simulation.policy = "shortest-first";
    check_simulation_error(&simulation, "there is no policy \"shortest-first\"");
    simulation.policy = "ef";
    simulation.placement = "random";
    check_simulation_error(&simulation, "there is no placement scheme \"random\"");
    simulation.placement = "elastic";
    simulation.cluster = "none.csv";
    check_simulation_error(&simulation, "none.csv: cannot be read");
    simulation.cluster = NULL;
    simulation.throughputs = "no folder";
    check_simulation_error(&simulation, "no folder: no such folder");
    simulation.throughputs = tables_folder();
    simulation.trace = "none.csv";
    check_simulation_error(&simulation, "none.csv: cannot be read");
    simulation.trace = folder_file(folder, "trace.csv");
    simulation.log_path = folder_file(folder, "trace.csv");
    check_simulation_error(&simulation, "trace.csv");
}

/* What takes turns on nodes has chosen them, and what does not has not. */
ON_TABLES(a_policy_and_a_placement_that_do_not_match_are_named)
{
    static const struct {
        const char *policy;
        const char *scheme;
    } choosing_none[] = {{"ef", "elastic"},
                         {"dlas-gpu", "elastic"},
                         {"themis", "elastic"},
                         {"fifo", "best-fit"},
                         {"srtf", "best-fit"}};
    struct simulation simulation = simulation_of_five();

    simulation.policy = "gandiva";
    simulation.placement = "elastic";
    check_simulation_error(&simulation,
                           "policy gandiva works with the placement scheme \"gandiva\", not "
                           "\"elastic\"");
    simulation.placement = "local_search";
    check_simulation_error(&simulation,
                           "policy gandiva works with the placement scheme \"gandiva\", not "
                           "\"local_search\"");
    simulation.placement = "gandiva";
    for (size_t i = 0; i < COUNT(choosing_none); i++) {
        char sentence[120];

        simulation.policy = choosing_none[i].policy;
        (void)snprintf(sentence, sizeof(sentence),
                       "policy %s works with the placement scheme \"%s\", not \"gandiva\"",
                       choosing_none[i].policy, choosing_none[i].scheme);
        check_simulation_error(&simulation, sentence);
    }
}

ON_TABLES(a_policy_has_a_placement_of_its_own)
{
    struct simulation simulation = simulation_of_five();
    struct simulation_result result;
    struct error error;

    simulation.placement = NULL;
    simulation.policy = "gandiva";
    simulation.wants_summary = true;
    if (simulation_run(&simulation, &result, &error) != 0)
        fail_msg("%s", error.text);
    assert_string_equal(json_string_value(json_object_get(result.summary, "placement")), "gandiva");
    json_decref(result.summary);
}

ON_TABLES(any_scheme_that_chooses_the_nodes_goes_with_any_other_policy)
{
    static const char *const policies[] = {"ef", "edf-accessctrl", "dlas-gpu", "themis", "fifo"};
    static const char *const schemes[] = {"local_search", "elastic"};
    static const char *const names[] = {"best-fit", "elastic"};
    struct simulation simulation = simulation_of_five();

    simulation.wants_summary = true;
    for (size_t i = 0; i < COUNT(policies) * COUNT(schemes); i++) {
        struct simulation_result result;
        struct error error;

        simulation.policy = policies[i / COUNT(schemes)];
        simulation.placement = schemes[i % COUNT(schemes)];
        if (simulation_run(&simulation, &result, &error) != 0)
            fail_msg("%s", error.text);
        assert_string_equal(json_string_value(json_object_get(result.summary, "placement")),
                            names[i % COUNT(schemes)]);
        json_decref(result.summary);
    }
}

ON_TABLES(without_a_log_path_figures_are_counted_and_nothing_is_written)
{
    struct simulation simulation = simulation_of_five();
    const size_t files = folder_count(folder);
    struct simulation_result result;
    struct error error;

    simulation.cluster = NULL; /* 32 nodes of 8 GPUs */
    if (simulation_run(&simulation, &result, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(result.gpus, 256);
    assert_int_equal(result.nodes, 32);
    assert_int_equal(result.figures.jobs, 5);
    assert_int_equal(result.figures.accepted + result.figures.declined, 5);
    assert_null(result.summary);
    assert_int_equal(folder_count(folder), files);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
