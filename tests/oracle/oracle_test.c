/* oracle_test.c - the oracle's placement on the worked examples of the behavioural specification
 * (section 20), and the ends that a run of the oracle can come to. The other examples are in
 * tests/reference and tests/engine, for the engine and the oracle. */
#include "oracle.h"

#include "tests/support/test.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define CELL(rate) {.kind = ORACLE_CELL_NUMBER, .iters_per_s = (rate)}
#define EMPTY_CELL {.kind = ORACLE_CELL_EMPTY}
#define TABLE(name) {#name, levels, COUNT(levels), name, COUNT(name)}
/* clang-format on */

static const int levels[] = {1, 2, 4, 8, 16, 32, 64};

/* Iterations per second as profiled for the ElasticFlow artifact (Apache-2.0). */
static const struct oracle_cell vgg16_128[] = {CELL(2.6247764184255065), CELL(4.873619474205853),
                                               CELL(8.720751494818506),  CELL(13.573026788365198),
                                               CELL(18.05975694586296),  CELL(23.615372405335012),
                                               CELL(25.78250120819821)};
static const struct oracle_cell resnet50_128[] = {
    CELL(3.6553729658054332), CELL(6.619528678370847), CELL(11.224201427896464),
    CELL(16.53414011075494),  CELL(20.15564728008105), CELL(20.291015806510305),
    CELL(21.070922780581487)};
static const struct oracle_cell bert_64[] = {CELL(6.030661553957379),  CELL(8.643477263279834),
                                             CELL(10.356284859349557), CELL(11.0601732061343),
                                             CELL(10.98694501596299),  CELL(10.608287752374963),
                                             CELL(9.24585886691227)};
static const struct oracle_cell gpt2_128[] = {CELL(7.3088357107474415), CELL(11.945927661457464),
                                              CELL(16.66628395476673),  CELL(18.70365969793693),
                                              CELL(19.87490782735775),  CELL(18.599019100708844),
                                              CELL(16.646457925030372)};
static const struct oracle_cell inception3_128[] = {
    CELL(2.5622998204792498), CELL(4.659288837258833),  CELL(7.803612731191226),
    CELL(10.854223213959367), CELL(12.797189523477574), CELL(12.843506437370086),
    CELL(12.340736115251653)};
static const struct oracle_cell deepspeech2_32[] = {CELL(3.0231577845960493),
                                                    CELL(5.3658588170062025),
                                                    CELL(7.543931899743629),
                                                    CELL(9.816143156381461),
                                                    CELL(12.883174083266885),
                                                    CELL(14.461504733734241),
                                                    EMPTY_CELL};
static const struct oracle_cell resnet50_cifar10_64[] = {CELL(28.60476646243157),
                                                         CELL(27.62078493387829),
                                                         CELL(28.71481712235912),
                                                         CELL(27.56849441489619),
                                                         CELL(0),
                                                         CELL(0),
                                                         CELL(0)};

static const struct oracle_row vgg16[] = {{128, vgg16_128}};
static const struct oracle_row resnet50[] = {{128, resnet50_128}};
static const struct oracle_row bert[] = {{64, bert_64}};
static const struct oracle_row gpt2[] = {{128, gpt2_128}};
static const struct oracle_row inception3[] = {{128, inception3_128}};
static const struct oracle_row deepspeech2[] = {{32, deepspeech2_32}};
static const struct oracle_row resnet50_cifar10[] = {{64, resnet50_cifar10_64}};

static const struct oracle_table a100_at[] = {
    TABLE(vgg16),       TABLE(resnet50),        TABLE(bert), TABLE(gpt2), TABLE(inception3),
    TABLE(deepspeech2), TABLE(resnet50_cifar10)};
static const struct oracle_tables a100 = {a100_at, COUNT(a100_at)};

static struct oracle_plan_query vgg16_query(double now_s, double work_iters, double deadline_s)
{
    return (struct oracle_plan_query){.tables = &a100,
                                      .gpu_type = "A100",
                                      .gpu_count = 8,
                                      .slot_s = 60,
                                      .model = "vgg16",
                                      .batch_size = 128,
                                      .now_s = now_s,
                                      .work_iters = work_iters,
                                      .deadline_s = deadline_s};
}

TEST(a_node_set_moves_through_the_classes_as_it_fills)
{
    static const struct oracle_cluster node = {1, 1, 8};
    static const int sizes[] = {4, 2, 1, 1};
    static const int labels[] = {4, 2, 1, 1};
    static const int used[] = {4, 6, 7, 8};
    struct oracle_place_result result;

    oracle_place_sizes(&node, sizes, COUNT(sizes), &result);
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    assert_int_equal(result.step_count, COUNT(sizes));
    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(result.steps[i].class_label, labels[i]);
        assert_int_equal(result.steps[i].used_gpus, used[i]);
    }
    assert_string_equal(result.layout.text, "0@0x4 1@4x2 2@6x1 3@7x1");
    oracle_place_result_clear(&result);
}

TEST(a_small_job_placed_first_leaves_no_place_for_a_larger_one)
{
    static const struct oracle_cluster node = {1, 1, 8};
    static const int sizes[] = {1, 4};
    struct oracle_place_result result;

    oracle_place_sizes(&node, sizes, COUNT(sizes), &result);
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, ORACLE_NO_PLACE);
    assert_int_equal(result.step_count, 1);
    assert_int_equal(result.steps[0].class_label, 1);
    assert_string_equal(result.layout.text, "0@0x1");
    oracle_place_result_clear(&result);
}

TEST(jobs_fill_a_node_of_their_own_size_first)
{
    static const struct oracle_cluster nodes = {1, 2, 4};
    static const int sizes[] = {2, 1, 2, 2, 1};
    struct oracle_place_result result;

    oracle_place_sizes(&nodes, sizes, COUNT(sizes), &result);
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    assert_string_equal(result.layout.text, "0@0x2 1@2x1 4@3x1 2@4x2 3@6x2");
    assert_int_equal(result.steps[3].class_label, 2);
    assert_int_equal(result.steps[3].used_gpus, 4);
    assert_int_equal(result.steps[4].class_label, 1);
    assert_int_equal(result.steps[4].used_gpus, 4);
    oracle_place_result_clear(&result);
}

#define ROUNDS_MAX  1000
#define JOBS_HEADER "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,"
#define JOBS(lines) JOBS_HEADER "best_effort\n" lines

static const struct oracle_cluster eight_gpus = {1, 1, 8};
static const struct oracle_job five_jobs[] = {
    {"a", 0, false, 0, 2000, 700, "vgg16", 128, 1, 0},
    {"b", 1, false, 20, 1500, 400, "resnet50", 128, 1, 0},
    {"c", 2, false, 100, 3000, 300, "bert", 64, 1, 0},
    {"d", 3, false, 130, 1200, 500, "gpt2", 128, 1, 0},
    {"e", 4, false, 400, 900, 900, "inception3", 128, 1, 0},
};

/* Runs one job that is due after 100000 seconds. */
static struct oracle_run_result run_one(enum oracle_policy policy,
                                        const struct oracle_cluster *cluster, const char *model,
                                        long batch_size, bool best_effort, long num_gpu)
{
    const struct oracle_setting setting = {policy, 60, "A100", 0};
    const struct oracle_job job = {"x",    0,     best_effort, 0,       1000,
                                   100000, model, batch_size,  num_gpu, 0};
    struct oracle_run_result result;

    oracle_run(&setting, cluster, &a100, &job, 1, ROUNDS_MAX, &result);
    return result;
}

static void check_abort(struct oracle_run_result result, enum oracle_reason reason)
{
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, reason);
    assert_true(strlen(result.status.text) > 0);
    oracle_run_result_clear(&result);
}

TEST(an_unknown_model_uses_the_table_of_resnet50)
{
    struct oracle_run_result known = run_one(ORACLE_EDF, &eight_gpus, "resnet50", 128, false, -1);
    struct oracle_run_result unknown =
        run_one(ORACLE_EDF, &eight_gpus, "squeezenet", 128, false, -1);

    /* EF-Q9 */
    assert_int_equal(unknown.status.outcome, ORACLE_DONE);
    assert_string_equal(unknown.jobs_csv.text, known.jobs_csv.text);
    oracle_run_result_clear(&known);
    oracle_run_result_clear(&unknown);
}

TEST(a_model_without_a_table_aborts)
{
    check_abort(run_one(ORACLE_EDF, &eight_gpus, "ncf", 32768, false, -1), ORACLE_BAD_INPUT);
    check_abort(run_one(ORACLE_EF, &eight_gpus, "ncf", 32768, false, -1), ORACLE_BAD_INPUT);
}

TEST(a_batch_size_without_a_row_aborts)
{
    check_abort(run_one(ORACLE_EDF, &eight_gpus, "vgg16", 7, false, -1), ORACLE_BAD_INPUT);
    check_abort(run_one(ORACLE_EF_ACCESSCTRL, &eight_gpus, "vgg16", 7, false, -1),
                ORACLE_BAD_INPUT);
}

TEST(a_request_for_no_gpu_aborts_under_ef_accessctrl_only)
{
    struct oracle_run_result ef = run_one(ORACLE_EF, &eight_gpus, "vgg16", 128, false, 0);

    assert_int_equal(ef.status.outcome, ORACLE_DONE);
    oracle_run_result_clear(&ef);
    check_abort(run_one(ORACLE_EF_ACCESSCTRL, &eight_gpus, "vgg16", 128, false, 0),
                ORACLE_BAD_INPUT);
}

TEST(a_cluster_size_that_is_no_level_aborts_edf)
{
    static const struct oracle_cluster twelve_gpus = {1, 3, 4};

    check_abort(run_one(ORACLE_EDF, &twelve_gpus, "vgg16", 128, false, -1), ORACLE_NO_LEVEL);
}

TEST(a_throughput_of_zero_aborts_edf)
{
    static const struct oracle_cluster sixteen_gpus = {1, 2, 8};

    /* EF-Q6 */
    check_abort(run_one(ORACLE_EDF, &sixteen_gpus, "resnet50_cifar10", 64, false, -1),
                ORACLE_BAD_CELL);
}

TEST(an_empty_cell_aborts_if_the_cap_does_not_keep_from_it)
{
    struct oracle_plan_query query = vgg16_query(0, 1000, 600);
    const struct oracle_step all_free = {.time_s = 0, .gpus = 64};
    struct oracle_plan_result result;

    /* EF-Q6 */
    query.model = "deepspeech2";
    query.batch_size = 32;
    query.gpu_count = 64;
    query.timeline = &all_free;
    query.timeline_count = 1;
    oracle_edf_plan(&query, &result);
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    assert_int_equal(result.plan.at[0].gpus, 32);
    oracle_plan_result_clear(&result);

    query.cap = 64;
    oracle_edf_plan(&query, &result);
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, ORACLE_BAD_CELL);
    oracle_plan_result_clear(&result);
}

TEST(no_work_left_aborts_the_planner)
{
    struct oracle_plan_query query = vgg16_query(0, 0, 600);
    const struct oracle_step all_free = {.time_s = 0, .gpus = 8};
    struct oracle_plan_result result;

    query.timeline = &all_free;
    query.timeline_count = 1;
    oracle_plan(&query, &result);
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, ORACLE_PLAN_CHECK);
    oracle_plan_result_clear(&result);
}

TEST(a_run_of_best_effort_only_is_recorded_before_it_aborts)
{
    struct oracle_run_result result = run_one(ORACLE_EF, &eight_gpus, "vgg16", 128, true, -1);

    assert_string_equal(result.jobs_csv.text, JOBS("130,x,8,0,0,130,9223372036854775807,1\n"));
    check_abort(result, ORACLE_NOTHING_COUNTED);
}

TEST(a_run_that_takes_more_rounds_than_allowed_is_endless)
{
    const struct oracle_setting setting = {ORACLE_EF, 60, "A100", 0};
    struct oracle_run_result result;

    /* EF-Q46 */
    oracle_run(&setting, &eight_gpus, &a100, five_jobs, COUNT(five_jobs), 3, &result);
    assert_int_equal(result.status.outcome, ORACLE_ENDLESS);
    assert_int_equal(result.rounds, 3);
    oracle_run_result_clear(&result);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
