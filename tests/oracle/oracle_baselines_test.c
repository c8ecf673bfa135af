/* oracle_baselines_test.c - the ends that a run of the oracle's `gandiva`, `dlas-gpu` and `themis`
 * can come to. The worked examples of their specification are in tests/reference. */
#include "oracle.h"

#include "tests/support/test.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
#define CELL(rate) {.kind = ORACLE_CELL_NUMBER, .iters_per_s = (rate)}
#define EMPTY_CELL {.kind = ORACLE_CELL_EMPTY}
#define TABLE(name) {#name, levels, COUNT(levels), name, COUNT(name)}
/* clang-format on */

static const int levels[] = {1, 2, 4, 8};

/* Iterations per second as profiled for the ElasticFlow artifact (Apache-2.0). */
static const struct oracle_cell vgg16_64[] = {CELL(5.053019147087227), CELL(9.03564356887826),
                                              CELL(14.755024126128259), CELL(19.3298561900258)};
static const struct oracle_cell resnet50_64[] = {CELL(6.8429775823889685), CELL(11.838468717843664),
                                                 CELL(18.298925886403232),
                                                 CELL(21.265357623184627)};
static const struct oracle_cell bert_64[] = {CELL(6.030661553957379), CELL(8.643477263279834),
                                             CELL(10.356284859349557), CELL(11.0601732061343)};
static const struct oracle_cell gpt2_128[] = {CELL(7.3088357107474415), CELL(11.945927661457464),
                                              CELL(16.66628395476673), CELL(18.70365969793693)};

/* Figures of no profile: what a job may not need. */
static const struct oracle_cell yolov3_64[] = {CELL(0), EMPTY_CELL, EMPTY_CELL, EMPTY_CELL};

static const struct oracle_row vgg16[] = {{64, vgg16_64}};
static const struct oracle_row resnet50[] = {{64, resnet50_64}};
static const struct oracle_row bert[] = {{64, bert_64}};
static const struct oracle_row gpt2[] = {{128, gpt2_128}};
static const struct oracle_row yolov3[] = {{64, yolov3_64}};

static const struct oracle_table tables_at[] = {TABLE(vgg16), TABLE(resnet50), TABLE(bert),
                                                TABLE(gpt2), TABLE(yolov3)};
static const struct oracle_tables tables = {tables_at, COUNT(tables_at)};

#define ROUNDS_MAX 1000
#define SLOT_S     60

static const struct oracle_cluster two_nodes = {1, 2, 2};

/* A job on `resnet50`; the model is all the same to gandiva and dlas-gpu. */
static struct oracle_job job_of(int row, double submit_s, double deadline_s, long num_gpu,
                                double duration_s)
{
    static const char *const ids[] = {"a", "b", "c", "d"};

    return (struct oracle_job){.id = ids[row],
                               .row = row,
                               .submit_s = submit_s,
                               .iterations = 1000,
                               .deadline_s = deadline_s,
                               .model = "resnet50",
                               .batch_size = 64,
                               .num_gpu = num_gpu,
                               .duration_s = duration_s};
}

static struct oracle_run_result run_on(enum oracle_policy policy, const struct oracle_job *jobs,
                                       size_t job_count)
{
    const struct oracle_setting setting = {.policy = policy, .slot_s = SLOT_S, .gpu_type = "A100"};
    struct oracle_run_result result;

    oracle_run(&setting, &two_nodes, &tables, jobs, job_count, ROUNDS_MAX, &result);
    return result;
}

static void check_abort(struct oracle_run_result result, enum oracle_reason reason)
{
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, reason);
    assert_true(strlen(result.status.text) > 0);
    oracle_run_result_clear(&result);
}

/* One job that is late and one that has no deadline. */
TEST(best_effort_is_not_counted)
{
    struct oracle_job jobs[] = {job_of(0, 0, 5, 4, 30), job_of(1, 0, 5, 1, 30)};

    jobs[1].best_effort = true;
    for (int policy = ORACLE_GANDIVA; policy <= ORACLE_THEMIS; policy++) {
        struct oracle_run_result result = run_on((enum oracle_policy)policy, jobs, COUNT(jobs));

        assert_int_equal(result.status.outcome, ORACLE_DONE);
        assert_int_equal(result.accepted, 0);
        assert_int_equal(result.declined, 1);
        oracle_run_result_clear(&result);
    }
}

/* Runs one job of `num_gpu` GPUs on a cluster of 4. */
static struct oracle_run_result run_one(enum oracle_policy policy, long num_gpu)
{
    const struct oracle_job job = job_of(0, 0, 1000, num_gpu, 30);

    return run_on(policy, &job, 1);
}

TEST(a_job_larger_than_the_cluster_waits_for_ever)
{
    for (int policy = ORACLE_GANDIVA; policy <= ORACLE_THEMIS; policy++) {
        struct oracle_run_result result = run_one((enum oracle_policy)policy, 8);

        if (policy == ORACLE_DLAS_GPU) { /* TI-Q9: it notices */
            assert_int_equal(result.status.outcome, ORACLE_ABORT);
            assert_int_equal(result.status.reason, ORACLE_NOTHING_COUNTED);
            assert_string_equal(result.rounds_csv.text, "time,layout\n0,\n");
        } else {
            assert_int_equal(result.status.outcome, ORACLE_ENDLESS);
        }
        oracle_run_result_clear(&result);
    }
}

TEST(a_size_that_is_no_column_aborts_every_policy_that_runs_it)
{
    check_abort(run_one(ORACLE_GANDIVA, 3), ORACLE_NO_PLACE);
    check_abort(run_one(ORACLE_DLAS_GPU, 3), ORACLE_NO_PLACE);
    check_abort(run_one(ORACLE_THEMIS, 3), ORACLE_NO_LEVEL);
}

TEST(a_job_that_asks_for_no_gpu_aborts)
{
    for (int policy = ORACLE_GANDIVA; policy <= ORACLE_THEMIS; policy++) {
        check_abort(run_one((enum oracle_policy)policy, 0), ORACLE_BAD_INPUT);
        check_abort(run_one((enum oracle_policy)policy, -1), ORACLE_BAD_INPUT);
    }
}

static struct oracle_run_result run_without_figures(enum oracle_policy policy, long num_gpu)
{
    struct oracle_job job = job_of(0, 0, 1000, num_gpu, 30);

    job.model = "yolov3";
    return run_on(policy, &job, 1);
}

/* Only `themis` computes with it; the others want it for their log. */
TEST(a_throughput_of_zero_aborts_themis_only)
{
    struct oracle_run_result gandiva = run_without_figures(ORACLE_GANDIVA, 1);
    struct oracle_run_result dlas_gpu = run_without_figures(ORACLE_DLAS_GPU, 1);

    assert_int_equal(gandiva.status.outcome, ORACLE_DONE);
    assert_int_equal(dlas_gpu.status.outcome, ORACLE_DONE);
    oracle_run_result_clear(&gandiva);
    oracle_run_result_clear(&dlas_gpu);
    check_abort(run_without_figures(ORACLE_THEMIS, 1), ORACLE_BAD_CELL);
}

TEST(an_empty_cell_aborts_all)
{
    for (int policy = ORACLE_GANDIVA; policy <= ORACLE_THEMIS; policy++)
        check_abort(run_without_figures((enum oracle_policy)policy, 2), ORACLE_BAD_CELL);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
