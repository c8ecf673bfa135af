/* oracle_baselines_test.c - the oracle's `gandiva`, `dlas-gpu` and `themis` against the worked
 * examples of their specification (sections 2.8, 3.4 and 4.9), and against the ends a run can come
 * to. */
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

#define ROUNDS_MAX  1000
#define SLOT_S      60
#define JOBS_HEADER "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,deadline,"
#define JOBS(lines) JOBS_HEADER "best_effort\n" lines

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

static struct oracle_run_result run_without(unsigned cleaned, enum oracle_policy policy,
                                            const struct oracle_cluster *cluster,
                                            const struct oracle_job *jobs, size_t job_count)
{
    const struct oracle_setting setting = {
        .policy = policy, .slot_s = SLOT_S, .gpu_type = "A100", .cleaned = cleaned};
    struct oracle_run_result result;

    oracle_run(&setting, cluster, &tables, jobs, job_count, ROUNDS_MAX, &result);
    return result;
}

static struct oracle_run_result run_on(enum oracle_policy policy,
                                       const struct oracle_cluster *cluster,
                                       const struct oracle_job *jobs, size_t job_count)
{
    return run_without(0, policy, cluster, jobs, job_count);
}

static void check_result(struct oracle_run_result result, long accepted, long declined,
                         const char *jobs_csv, const char *rounds_csv)
{
    assert_string_equal(result.status.text, "");
    assert_int_equal(result.status.outcome, ORACLE_DONE);
    assert_string_equal(result.jobs_csv.text, jobs_csv);
    assert_string_equal(result.rounds_csv.text, rounds_csv);
    assert_int_equal(result.accepted, accepted);
    assert_int_equal(result.declined, declined);
    oracle_run_result_clear(&result);
}

static void check_run(enum oracle_policy policy, const struct oracle_job *jobs, size_t job_count,
                      long accepted, long declined, const char *jobs_csv, const char *rounds_csv)
{
    check_result(run_on(policy, &two_nodes, jobs, job_count), accepted, declined, jobs_csv,
                 rounds_csv);
}

static void check_repaired(enum oracle_repair repair, enum oracle_policy policy,
                           const struct oracle_job *jobs, size_t job_count, long accepted,
                           long declined, const char *jobs_csv, const char *rounds_csv)
{
    check_result(run_without((unsigned)repair, policy, &two_nodes, jobs, job_count), accepted,
                 declined, jobs_csv, rounds_csv);
}

static void check_abort(struct oracle_run_result result, enum oracle_reason reason)
{
    assert_int_equal(result.status.outcome, ORACLE_ABORT);
    assert_int_equal(result.status.reason, reason);
    assert_true(strlen(result.status.text) > 0);
    oracle_run_result_clear(&result);
}

/* The example GA-1. */
static void four_jobs(struct oracle_job jobs[4])
{
    jobs[0] = job_of(0, 0, 400, 1, 200);
    jobs[1] = job_of(1, 0, 400, 1, 200);
    jobs[2] = job_of(2, 10, 400, 1, 200);
    jobs[3] = job_of(3, 300, 900, 2, 100);
}

/* GA-1. At 60 the two sets become one and `c` gets the other node; at 300 it is the other way
 * round (GA-Q4), and `c` is not credited the 240 seconds it ran (GA-Q7). */
TEST(gandiva_collapses_a_class_of_small_jobs)
{
    struct oracle_job jobs[4];

    four_jobs(jobs);
    check_run(ORACLE_GANDIVA, jobs, COUNT(jobs), 3, 1,
              JOBS("300,b,1,0,0,208,400,0\n"
                   "300,a,1,0,0,208,400,0\n"
                   "420,d,2,300,300,400,900,0\n"
                   "540,c,1,10,60,504,400,0\n"),
              "time,layout\n"
              "0,0@0x1 1@2x1\n"
              "60,2@0x1 1@2x1 0@3x1\n"
              "300,3@0x2 2@2x1\n"
              "360,3@0x2 2@2x1\n"
              "420,2@2x1\n"
              "480,2@2x1\n"
              "540,\n");
}

TEST(repaired_gandiva_credits_before_it_moves_jobs)
{
    struct oracle_job jobs[4];

    /* GA-Q7 */
    four_jobs(jobs);
    check_repaired(ORACLE_CLEAN_GA_Q7, ORACLE_GANDIVA, jobs, COUNT(jobs), 4, 0,
                   JOBS("300,c,1,10,60,264,400,0\n"
                        "300,b,1,0,0,208,400,0\n"
                        "300,a,1,0,0,208,400,0\n"
                        "420,d,2,300,300,400,900,0\n"),
                   "time,layout\n"
                   "0,0@0x1 1@2x1\n"
                   "60,2@0x1 1@2x1 0@3x1\n"
                   "300,3@0x2\n"
                   "360,3@0x2\n"
                   "420,\n");
}

/* GA-2. From 240 on two jobs share a node beside an idle one (GA-Q5). */
TEST(gandiva_rotates_when_the_clock_shows_a_full_minute)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 500, 2, 150), job_of(1, 0, 500, 2, 150),
                                      job_of(2, 0, 500, 2, 150)};

    check_run(ORACLE_GANDIVA, jobs, COUNT(jobs), 3, 0,
              JOBS("180,a,2,0,0,150,500,0\n"
                   "300,b,2,0,0,270,500,0\n"
                   "360,c,2,0,0,330,500,0\n"),
              "time,layout\n"
              "0,0@0x2 1@2x2\n"
              "60,0@0x2 2@2x2\n"
              "120,0@0x2 1@2x2\n"
              "180,2@2x2\n"
              "240,1@2x2\n"
              "300,2@2x2\n"
              "360,\n");
}

/* GA-2, half a minute later: GA-Q8. */
TEST(gandiva_never_rotates_off_the_full_minute)
{
    const struct oracle_job jobs[] = {job_of(0, 30, 530, 2, 150), job_of(1, 30, 530, 2, 150),
                                      job_of(2, 30, 530, 2, 150)};

    check_run(ORACLE_GANDIVA, jobs, COUNT(jobs), 3, 0,
              JOBS("210,a,2,30,30,180,530,0\n"
                   "210,b,2,30,30,180,530,0\n"
                   "390,c,2,30,30,360,530,0\n"),
              "time,layout\n"
              "30,0@0x2 1@2x2\n"
              "90,0@0x2 1@2x2\n"
              "150,0@0x2 1@2x2\n"
              "210,2@2x2\n"
              "270,2@2x2\n"
              "330,2@2x2\n"
              "390,\n");
}

TEST(repaired_gandiva_rotates_whatever_the_clock_shows)
{
    const struct oracle_job jobs[] = {job_of(0, 30, 530, 2, 150), job_of(1, 30, 530, 2, 150),
                                      job_of(2, 30, 530, 2, 150)};

    /* GA-Q8 */
    check_repaired(ORACLE_CLEAN_GA_Q8, ORACLE_GANDIVA, jobs, COUNT(jobs), 3, 0,
                   JOBS("210,a,2,30,30,180,530,0\n"
                        "330,b,2,30,30,300,530,0\n"
                        "390,c,2,30,30,360,530,0\n"),
                   "time,layout\n"
                   "30,0@0x2 1@2x2\n"
                   "90,0@0x2 2@2x2\n"
                   "150,0@0x2 1@2x2\n"
                   "210,2@2x2\n"
                   "270,1@2x2\n"
                   "330,2@2x2\n"
                   "390,\n");
}

/* GA-3, GA-Q11. */
TEST(gandiva_skips_the_job_after_one_that_found_a_place)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 900, 4, 100), job_of(1, 5, 300, 1, 50),
                                      job_of(2, 6, 900, 2, 50), job_of(3, 7, 260, 1, 50)};

    check_run(ORACLE_GANDIVA, jobs, COUNT(jobs), 4, 0,
              JOBS("120,a,4,0,0,108,900,0\n"
                   "180,d,1,7,120,170,260,0\n"
                   "180,b,1,5,120,170,300,0\n"
                   "240,c,2,6,180,230,900,0\n"),
              "time,layout\n"
              "0,0@0x4\n"
              "60,0@0x4\n"
              "120,1@0x1 3@2x1\n"
              "180,2@0x2\n"
              "240,\n");
}

TEST(repaired_gandiva_skips_no_job)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 900, 4, 100), job_of(1, 5, 300, 1, 50),
                                      job_of(2, 6, 900, 2, 50), job_of(3, 7, 260, 1, 50)};

    /* GA-Q11 */
    check_repaired(ORACLE_CLEAN_GA_Q11, ORACLE_GANDIVA, jobs, COUNT(jobs), 4, 0,
                   JOBS("120,a,4,0,0,108,900,0\n"
                        "180,b,1,5,120,170,300,0\n"
                        "180,d,1,7,120,170,260,0\n"
                        "180,c,2,6,120,170,900,0\n"),
                   "time,layout\n"
                   "0,0@0x4\n"
                   "60,0@0x4\n"
                   "120,1@0x1 3@1x1 2@2x2\n"
                   "180,\n");
}

/* TI-1. `a` has passed its limit at 1631 (TI-Q3); `d` arrives alone and is not moved (CO-Q2). */
TEST(dlas_gpu_demotes_late_and_preempts)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 4000, 2, 3000), job_of(1, 1000, 1150, 1, 100),
                                      job_of(2, 1020, 1500, 4, 200), job_of(3, 2300, 2700, 4, 200)};

    check_run(ORACLE_DLAS_GPU, jobs, COUNT(jobs), 3, 1,
              JOBS("1104,b,1,1000,1000,1104,1150,0\n"
                   "2396,c,4,1020,2188,2396,1500,0\n"
                   "2596,d,4,2300,2396,2596,2700,0\n"
                   "3414,a,2,0,0,3414,4000,0\n"),
              "time,layout\n"
              "0,0@0x2\n"
              "1000,0@0x2 1@2x1\n"
              "1060,0@0x2 1@2x1\n"
              "1120,0@0x2\n"
              "2188,2@0x4\n"
              "2300,2@0x4\n"
              "2396,3@0x4\n"
              "2596,0@0x2\n"
              "3414,\n");
}

TEST(repaired_dlas_gpu_demotes_in_time)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 4000, 2, 3000), job_of(1, 1000, 1150, 1, 100),
                                      job_of(2, 1020, 1500, 4, 200), job_of(3, 2300, 2700, 4, 200)};

    /* TI-Q3 */
    check_repaired(ORACLE_CLEAN_TI_Q3, ORACLE_DLAS_GPU, jobs, COUNT(jobs), 3, 1,
                   JOBS("1104,b,1,1000,1000,1104,1150,0\n"
                        "1831,c,4,1020,1631,1831,1500,0\n"
                        "2500,d,4,2300,2300,2500,2700,0\n"
                        "3412,a,2,0,0,3412,4000,0\n"),
                   "time,layout\n"
                   "0,0@0x2\n"
                   "1000,0@0x2 1@2x1\n"
                   "1060,0@0x2 1@2x1\n"
                   "1120,0@0x2\n"
                   "1631,2@0x4\n"
                   "1831,0@0x2\n"
                   "2300,3@0x4\n"
                   "2500,0@0x2\n"
                   "3412,\n");
}

/* TI-2. What ends within a slot holds its GPUs until the slot is over (TI-Q4). */
TEST(dlas_gpu_holds_gpus_for_a_slot_and_forgives_overheads)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 40, 4, 20), job_of(1, 5, 130, 4, 30),
                                      job_of(2, 8, 200, 2, 70), job_of(3, 130, 400, 2, 70)};

    check_run(ORACLE_DLAS_GPU, jobs, COUNT(jobs), 4, 0,
              JOBS("20,a,4,0,0,20,40,0\n"
                   "90,b,4,5,60,90,130,0\n"
                   "196,c,2,8,120,196,200,0\n"
                   "206,d,2,130,130,206,400,0\n"),
              "time,layout\n"
              "0,0@0x4\n"
              "60,1@0x4\n"
              "120,2@0x2\n"
              "130,2@0x2 3@2x2\n"
              "196,3@0x2\n"
              "256,\n");
}

static const struct oracle_cluster one_gpu = {1, 1, 1};

/* TI-3. */
TEST(dlas_gpu_ends_with_an_arrival_what_was_to_end_then)
{
    static const struct oracle_cluster two_gpus = {1, 1, 2};
    const struct oracle_job jobs[] = {job_of(0, 0, 99999, 1, 20000),
                                      job_of(1, 3000, 99999, 1, 1000),
                                      job_of(2, 4000, 4102, 1, 100)};
    struct oracle_run_result repaired;

    /* TI-Q11 */
    check_result(run_on(ORACLE_DLAS_GPU, &two_gpus, jobs, COUNT(jobs)), 3, 0,
                 JOBS("4004,b,1,3000,3000,4004,99999,0\n"
                      "4100,c,1,4000,4000,4100,4102,0\n"
                      "20004,a,1,0,0,20004,99999,0\n"),
                 "time,layout\n"
                 "0,0@0x1\n"
                 "3000,0@0x1 1@1x1\n"
                 "3254,0@0x1 1@1x1\n"
                 "4000,0@0x1 2@1x1\n"
                 "4100,0@0x1\n"
                 "7204,0@0x1\n"
                 "20004,\n");
    repaired = run_without(ORACLE_CLEAN_TI_Q11, ORACLE_DLAS_GPU, &two_gpus, jobs, COUNT(jobs));
    assert_int_equal(repaired.accepted, 2);
    assert_int_equal(repaired.declined, 1);
    oracle_run_result_clear(&repaired);
}

/* TI-4. */
TEST(dlas_gpu_ends_a_job_with_work_left)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 99999, 1, 5000), job_of(1, 100, 99999, 1, 500),
                                      job_of(2, 5004, 99999, 1, 100)};

    /* TI-Q11 */
    check_result(run_on(ORACLE_DLAS_GPU, &one_gpu, jobs, COUNT(jobs)), 3, 0,
                 JOBS("3754,b,1,100,3254,3754,99999,0\n"
                      "5504,a,1,0,0,5504,99999,0\n"
                      "5104,c,1,5004,5004,5104,99999,0\n"),
                 "time,layout\n"
                 "0,0@0x1\n"
                 "100,0@0x1\n"
                 "3254,1@0x1\n"
                 "3754,0@0x1\n"
                 "5004,2@0x1\n"
                 "5104,\n");
}

/* TI-5. */
TEST(dlas_gpu_aborts_over_a_job_that_waits_and_is_to_end)
{
    const struct oracle_job jobs[] = {job_of(0, 0, 99999, 1, 5000), job_of(1, 100, 99999, 1, 3000),
                                      job_of(2, 5004, 99999, 1, 100)};

    /* TI-Q11 */
    check_abort(run_on(ORACLE_DLAS_GPU, &one_gpu, jobs, COUNT(jobs)), ORACLE_NOT_RUNNING);
}

/* PL-1: two nodes of the id 0, one of each switch. */
TEST(dlas_gpu_releases_ends_first_and_the_rest_in_the_order_of_the_round_before)
{
    static const struct oracle_cluster two_switches = {2, 1, 1};
    const struct oracle_job jobs[] = {job_of(0, 0, 99999, 1, 10000),
                                      job_of(1, 1000, 99999, 1, 8000)};

    check_result(run_on(ORACLE_DLAS_GPU, &two_switches, jobs, COUNT(jobs)), 2, 0,
                 JOBS("9004,b,1,1000,1000,9004,99999,0\n"
                      "10004,a,1,0,0,10004,99999,0\n"),
                 "time,layout\n"
                 "0,0@0x1\n"
                 "1000,1@0x1 0@1x1\n"
                 "3254,1@0x1 0@1x1\n"
                 "4254,1@0x1 0@1x1\n"
                 "7204,1@0x1 0@1x1\n"
                 "8204,1@0x1 0@1x1\n"
                 "9004,0@0x1\n"
                 "10004,\n");
}

/* The example TH-1. */
static const struct oracle_job starving[] = {
    {"a", 0, false, 0, 4000, 700, "bert", 64, 4, 387},
    {"b", 1, false, 0, 700, 400, "vgg16", 64, 1, 139},
    {"c", 2, false, 30, 900, 600, "resnet50", 64, 1, 132},
    {"d", 3, false, 100, 500, 350, "gpt2", 128, 2, 42},
};

/* TH-1, whose ends are all rounded up to the slot (TH-Q6). */
TEST(themis_lets_a_large_job_starve)
{
    /* TH-Q5 */
    check_run(ORACLE_THEMIS, starving, COUNT(starving), 4, 0,
              JOBS("180,b,1,0,0,180,400,0\n"
                   "180,d,2,100,120,180,350,0\n"
                   "240,c,1,30,60,240,600,0\n"
                   "660,a,4,0,240,660,700,0\n"),
              "time,layout\n"
              "0,1@0x1\n"
              "60,1@0x1 2@1x1\n"
              "120,3@0x2 1@2x1 2@3x1\n"
              "180,2@0x1\n"
              "240,0@0x4\n"
              "300,0@0x4\n"
              "360,0@0x4\n"
              "420,0@0x4\n"
              "480,0@0x4\n"
              "540,0@0x4\n"
              "600,0@0x4\n"
              "660,\n");
}

TEST(repaired_themis_knows_the_exact_end)
{
    /* TH-Q6 */
    check_repaired(ORACLE_CLEAN_TH_Q6, ORACLE_THEMIS, starving, COUNT(starving), 4, 0,
                   JOBS("139,b,1,0,0,139,400,0\n"
                        "162,d,2,100,120,162,350,0\n"
                        "192,c,1,30,60,192,600,0\n"
                        "627,a,4,0,240,627,700,0\n"),
                   "time,layout\n"
                   "0,1@0x1\n"
                   "60,1@0x1 2@1x1\n"
                   "120,3@0x2 1@2x1 2@3x1\n"
                   "180,2@0x1\n"
                   "240,0@0x4\n"
                   "300,0@0x4\n"
                   "360,0@0x4\n"
                   "420,0@0x4\n"
                   "480,0@0x4\n"
                   "540,0@0x4\n"
                   "600,0@0x4\n"
                   "660,\n");
}

/* TH-2: at 180 the capacity decides, before that the job that is worst off. */
TEST(themis_takes_turns_among_identical_jobs)
{
    static const struct oracle_job jobs[] = {
        {"a", 0, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"b", 1, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"c", 2, false, 0, 900, 200, "resnet50", 64, 2, 77},
        {"d", 3, false, 0, 800, 260, "vgg16", 64, 1, 159},
    };

    check_run(ORACLE_THEMIS, jobs, COUNT(jobs), 1, 3,
              JOBS("180,d,1,0,0,180,260,0\n"
                   "240,c,2,0,120,240,200,0\n"
                   "240,b,2,0,60,240,200,0\n"
                   "300,a,2,0,0,300,200,0\n"),
              "time,layout\n"
              "0,0@0x2 3@2x1\n"
              "60,1@0x2 3@2x1\n"
              "120,2@0x2 3@2x1\n"
              "180,2@0x2 1@2x2\n"
              "240,0@0x2\n"
              "300,\n");
}

TEST(themis_takes_the_seconds_where_the_iterations_last_longer)
{
    static const struct oracle_job job = {"a", 0, false, 0, 1500, 70, "resnet50", 64, 2, 65};

    /* TH-Q6 */
    check_run(ORACLE_THEMIS, &job, 1, 1, 0, JOBS("65,a,2,0,0,65,70,0\n"),
              "time,layout\n0,0@0x2\n60,0@0x2\n120,\n");
}

/* One job that is late and one that has no deadline. */
TEST(best_effort_is_not_counted)
{
    struct oracle_job jobs[] = {job_of(0, 0, 5, 4, 30), job_of(1, 0, 5, 1, 30)};

    jobs[1].best_effort = true;
    for (int policy = ORACLE_GANDIVA; policy <= ORACLE_THEMIS; policy++) {
        struct oracle_run_result result =
            run_on((enum oracle_policy)policy, &two_nodes, jobs, COUNT(jobs));

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

    return run_on(policy, &two_nodes, &job, 1);
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
    return run_on(policy, &two_nodes, &job, 1);
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
