/* oracle_test.c - the oracle against the worked examples of the behavioural specification (section
 * 20), which the reference itself has computed, and against the ends a run can come to. */
#include "oracle.h"

#include "tests/support/test.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define CELL(rate) {.kind = ORACLE_CELL_NUMBER, .iters_per_s = (rate)}
#define NAN_CELL   {.kind = ORACLE_CELL_NAN}
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
static const struct oracle_cell cifar10_2048[] = {CELL(0.7124343161725541), CELL(1.193356620784188),
                                                  CELL(2.53513302294422),   CELL(3.847153187748904),
                                                  CELL(6.476614781000862),  CELL(4.513036285022453),
                                                  CELL(3.7141412985765436)};
static const struct oracle_cell cifar10_4096[] = {
    CELL(0.3562865663863035), CELL(0.5970961534737874), CELL(1.2660132732806406),
    CELL(2.225403358223051),  CELL(4.474389622278112),  CELL(4.4402673517382),
    CELL(3.314559828091601)};
static const struct oracle_cell yolov3_64[] = {CELL(0.43805962058835995),
                                               CELL(0.828799432511257),
                                               CELL(1.3152121172616016),
                                               CELL(0.6109512985005995),
                                               CELL(0.8514782062868322),
                                               NAN_CELL,
                                               NAN_CELL};
static const struct oracle_cell ncf_32768[] = {CELL(46.914146350193334), CELL(37.6167335622182),
                                               CELL(56.34158886973979),  CELL(23.22881167731976),
                                               CELL(32.486770504915164), CELL(26.05323201698794),
                                               CELL(22.47946282244047)};

static const struct oracle_row vgg16[] = {{128, vgg16_128}};
static const struct oracle_row resnet50[] = {{128, resnet50_128}};
static const struct oracle_row bert[] = {{64, bert_64}};
static const struct oracle_row gpt2[] = {{128, gpt2_128}};
static const struct oracle_row inception3[] = {{128, inception3_128}};
static const struct oracle_row deepspeech2[] = {{32, deepspeech2_32}};
static const struct oracle_row resnet50_cifar10[] = {{64, resnet50_cifar10_64}};
static const struct oracle_row cifar10[] = {{2048, cifar10_2048}, {4096, cifar10_4096}};
static const struct oracle_row yolov3[] = {{64, yolov3_64}};
static const struct oracle_row ncf[] = {{32768, ncf_32768}};

static const struct oracle_table a100_at[] = {
    TABLE(vgg16),       TABLE(resnet50),        TABLE(bert), TABLE(gpt2), TABLE(inception3),
    TABLE(deepspeech2), TABLE(resnet50_cifar10)};
static const struct oracle_table t4_at[] = {TABLE(cifar10), TABLE(yolov3), TABLE(ncf)};
static const struct oracle_tables a100 = {a100_at, COUNT(a100_at)};
static const struct oracle_tables t4 = {t4_at, COUNT(t4_at)};

/* Timelines and plans are written `TIME:GPUS, TIME:GPUS` here. */

#define STEPS_MAX 8

static size_t steps_parse(const char *text, struct oracle_step steps[STEPS_MAX])
{
    size_t count = 0;

    while (*text != '\0') {
        char *end;

        assert_true(count < STEPS_MAX);
        steps[count].time_s = strtod(text, &end);
        steps[count++].gpus = (int)strtol(end + 1, &end, 10);
        text = end + strspn(end, ", ");
    }
    return count;
}

static void steps_print(char *text, size_t room, const struct oracle_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        int length = snprintf(text, room, "%s%.0f:%d", i > 0 ? ", " : "", steps->at[i].time_s,
                              steps->at[i].gpus);

        assert_true(length > 0 && (size_t)length < room);
        text += length;
        room -= (size_t)length;
    }
}

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

/* Makes the plan and compares all of it with `MET | PLAN | E | R | FREE`. */
static void check_plan(double now_s, const char *timeline, double work_iters, double deadline_s,
                       const char *expected)
{
    struct oracle_plan_query query = vgg16_query(now_s, work_iters, deadline_s);
    struct oracle_step timeline_at[STEPS_MAX];
    struct oracle_plan_result result;
    char plan[200] = "";
    char left[200] = "";
    char found[500];

    query.timeline = timeline_at;
    query.timeline_count = steps_parse(timeline, timeline_at);
    oracle_plan(&query, &result);
    assert_string_equal(result.status.text, "");
    steps_print(plan, sizeof(plan), &result.plan);
    steps_print(left, sizeof(left), &result.timeline);
    snprintf(found, sizeof(found), "%s | %s | %.0f | %.0f | %s", result.met ? "yes" : "no", plan,
             result.end_s, result.real_end_s, left);
    assert_string_equal(found, expected);
    oracle_plan_result_clear(&result);
}

TEST(a_distant_deadline_takes_one_gpu)
{
    check_plan(0, "0:8", 1000, 600, "yes | 0:1 | 420 | 381 | 0:7, 420:8");
}

TEST(a_nearer_deadline_takes_the_next_level)
{
    check_plan(0, "0:8", 1000, 290, "yes | 0:2 | 240 | 206 | 0:6, 240:8");
}

TEST(a_level_that_does_not_fit_yet_is_used_once_it_fits)
{
    check_plan(0, "0:2, 120:8", 1800, 300, "yes | 0:2, 120:4 | 300 | 260 | 0:0, 120:4, 300:8");
}

TEST(a_job_shrinks_while_less_is_free)
{
    check_plan(0, "0:8, 120:2, 240:8", 1800, 360,
               "yes | 0:4, 120:2, 240:4 | 300 | 260 | 0:4, 120:0, 240:4, 300:8");
}

TEST(a_job_pauses_while_nothing_is_free)
{
    check_plan(0, "0:8, 120:0, 240:8", 2400, 360,
               "yes | 0:8, 120:0, 240:8 | 300 | 297 | 0:0, 300:8");
}

TEST(before_the_latest_start_a_job_runs_one_level_below)
{
    check_plan(0, "0:4, 120:8", 2000, 600, "yes | 0:1, 120:2 | 480 | 466 | 0:3, 120:6, 480:8");
}

TEST(a_zero_after_the_end_stays_in_the_plan)
{
    /* EF-Q12 */
    check_plan(0, "0:4, 240:6, 480:8", 1000, 600,
               "yes | 0:1, 480:0 | 420 | 381 | 0:3, 240:5, 420:6, 480:8");
}

TEST(a_late_job_takes_all_that_fits)
{
    /* EF-Q28 */
    check_plan(0, "0:2, 120:8", 6000, 300, "no | 0:2, 120:8 | 540 | 519 | 0:0, 540:8");
}

TEST(a_late_job_gets_nothing_done_between_deadline_and_slot_end)
{
    /* EF-Q41 */
    check_plan(0, "0:2, 120:8", 6000, 290, "no | 0:2, 120:8 | 540 | 529 | 0:0, 540:8");
}

TEST(a_late_job_with_the_cluster_to_itself_takes_all_of_it)
{
    check_plan(0, "0:8", 2000, 70, "no | 0:8 | 240 | 198 | 0:0, 240:8");
}

TEST(a_late_job_ends_before_the_last_change)
{
    check_plan(0, "0:2, 120:4, 600:8", 2000, 100,
               "no | 0:2, 120:4 | 300 | 294 | 0:0, 300:4, 600:8");
}

TEST(a_job_whose_deadline_has_passed_may_end_at_the_first_change)
{
    check_plan(100, "100:4, 220:8", 1000, 50, "no | 100:4 | 220 | 215 | 100:0, 220:8");
}

TEST(a_job_whose_deadline_has_passed_grows_at_the_first_change)
{
    check_plan(100, "100:4, 220:8", 2000, 90, "no | 100:4, 220:8 | 340 | 291 | 100:0, 340:8");
}

TEST(best_effort_is_planned_after_the_last_entry)
{
    /* EF-Q43 */
    check_plan(0, "0:2, 120:8", 1000, ORACLE_FOREVER_S,
               "yes | 0:0, 120:1 | 540 | 501 | 0:2, 120:7, 540:8");
}

TEST(best_effort_on_an_idle_cluster_takes_one_gpu)
{
    check_plan(0, "0:8", 1000, ORACLE_FOREVER_S, "yes | 0:1 | 420 | 381 | 0:7, 420:8");
}

/* The work is that of 61 seconds on one GPU. Summed up from the deadline backwards the two pieces
 * make it; taken off it from the front, they leave some 5e-15 of an iteration. */
TEST(what_rounding_leaves_over_is_done_after_the_deadline)
{
    /* EF-Q26 */
    check_plan(0, "0:1, 60:8", 160.1113615239559, 61, "no | 0:1 | 180 | 121 | 0:0, 60:7, 180:8");
}

/* Grows the job to `forced` GPUs; compares with `MET | PLAN | E | R | FREE | GAIN`. */
static void check_growth(const char *timeline, double work_iters, double deadline_s, int held,
                         const char *held_plan, double held_end_s, int forced, const char *expected)
{
    struct oracle_plan_query query = vgg16_query(0, work_iters, deadline_s);
    struct oracle_step timeline_at[STEPS_MAX];
    struct oracle_step held_at[STEPS_MAX];
    struct oracle_plan_result result;
    char plan[200] = "";
    char left[200] = "";
    char found[500];

    query.timeline = timeline_at;
    query.timeline_count = steps_parse(timeline, timeline_at);
    query.forced_gpus = forced;
    query.held_gpus = held;
    query.held_plan = held_at;
    query.held_plan_count = steps_parse(held_plan, held_at);
    query.held_end_s = held_end_s;
    oracle_plan(&query, &result);
    assert_string_equal(result.status.text, "");
    steps_print(plan, sizeof(plan), &result.plan);
    steps_print(left, sizeof(left), &result.timeline);
    snprintf(found, sizeof(found), "%s | %s | %.0f | %.0f | %s | %g", result.met ? "yes" : "no",
             plan, result.end_s, result.real_end_s, left, result.gain_s);
    assert_string_equal(found, expected);
    oracle_plan_result_clear(&result);
}

TEST(a_grown_job_that_ends_before_any_change_keeps_its_size)
{
    check_growth("0:8", 1000, 600, 1, "0:1", 420, 2, "yes | 0:2 | 240 | 206 | 0:6, 240:8 | 60");
}

TEST(the_rest_of_a_grown_job_is_as_small_as_its_deadline_allows)
{
    check_growth("0:6, 60:8", 2000, 400, 2, "0:2", 420, 4,
                 "yes | 0:4, 60:2 | 420 | 364 | 0:2, 60:6, 420:8 | 60");
}

TEST(growing_a_job_can_put_off_its_end)
{
    /* EF-Q42 */
    check_growth("0:6, 120:8", 2000, 600, 2, "0:2", 420, 4,
                 "yes | 0:4, 120:1 | 540 | 484 | 0:2, 120:7, 540:8 | 30");
}

TEST(a_nearer_deadline_does_not_change_what_a_grown_job_gains)
{
    check_growth("0:8", 1000, 300, 1, "0:1", 420, 2, "yes | 0:2 | 240 | 206 | 0:6, 240:8 | 60");
}

/* Makes the plan of the EDF policies from 0 on; compares with `MET | PLAN | E | FREE`. */
static void check_edf(const char *timeline, double work_iters, double deadline_s,
                      const char *expected)
{
    struct oracle_plan_query query = vgg16_query(0, work_iters, deadline_s);
    struct oracle_step timeline_at[STEPS_MAX];
    struct oracle_plan_result result;
    char plan[200] = "";
    char left[200] = "";
    char found[500];

    query.timeline = timeline_at;
    query.timeline_count = steps_parse(timeline, timeline_at);
    oracle_edf_plan(&query, &result);
    assert_string_equal(result.status.text, "");
    steps_print(plan, sizeof(plan), &result.plan);
    steps_print(left, sizeof(left), &result.timeline);
    snprintf(found, sizeof(found), "%s | %s | %.0f | %s", result.met ? "yes" : "no", plan,
             result.end_s, left);
    assert_string_equal(found, expected);
    oracle_plan_result_clear(&result);
}

TEST(edf_takes_all_there_is)
{
    /* EF-Q10 */
    check_edf("0:8", 1000, 600, "yes | 0:8 | 74 | 0:0, 120:8");
}

TEST(edf_takes_what_fits_if_that_lasts_until_the_end)
{
    check_edf("0:4, 240:8", 1000, 600, "yes | 0:4 | 115 | 0:0, 120:4, 240:8");
}

TEST(edf_forgets_gpus_that_become_free_at_the_aligned_end)
{
    /* EF-Q37 */
    check_edf("0:4, 120:8", 1000, 600, "yes | 0:4 | 115 | 0:0, 120:4");
}

TEST(edf_takes_gpus_for_free_that_are_not_after_the_aligned_end)
{
    /* EF-Q37 */
    check_edf("0:4, 60:0, 240:8", 400, 600, "yes | 0:4 | 46 | 0:0, 60:4, 240:8");
}

TEST(edf_grows_a_late_job_when_gpus_become_free)
{
    check_edf("0:3, 120:8", 5000, 300, "no | 0:2, 120:8 | 446 | 0:1, 120:0, 480:8");
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

static struct oracle_run_result run_five(enum oracle_policy policy)
{
    const struct oracle_setting setting = {policy, 60, "A100", 0};
    struct oracle_run_result result;

    oracle_run(&setting, &eight_gpus, &a100, five_jobs, COUNT(five_jobs), ROUNDS_MAX, &result);
    return result;
}

static const struct oracle_cluster two_nodes = {1, 2, 2};
static const struct oracle_job six_jobs[] = {
    {"p", 0, false, 0, 200, 200, "cifar10", 2048, 1, 0},
    {"q", 1, true, 0, 60, 50, "yolov3", 64, 1, 0},
    {"r", 2, false, 10, 3000, 100, "ncf", 32768, 1, 0},
    {"s", 3, false, 12, 100, 60, "cifar10", 4096, 1, 0},
    {"u", 4, false, 70, 1500, 200, "ncf", 32768, 1, 0},
    {"v", 5, true, 150, 2000, 160, "ncf", 32768, 1, 0},
};

static struct oracle_run_result run_six(enum oracle_policy policy)
{
    const struct oracle_setting setting = {policy, 30, "T4", 0};
    struct oracle_run_result result;

    oracle_run(&setting, &two_nodes, &t4, six_jobs, COUNT(six_jobs), ROUNDS_MAX, &result);
    return result;
}

static void check_run(struct oracle_run_result *result, long accepted, long declined,
                      const char *jobs_csv)
{
    assert_string_equal(result->status.text, "");
    assert_int_equal(result->status.outcome, ORACLE_DONE);
    assert_int_equal(result->accepted, accepted);
    assert_int_equal(result->declined, declined);
    assert_string_equal(result->jobs_csv.text, jobs_csv);
    assert_int_equal(result->jobs_csv.length, strlen(jobs_csv));
    oracle_run_result_clear(result);
}

TEST(ef_accessctrl_runs_five_jobs_as_the_reference_does)
{
    struct oracle_run_result result = run_five(ORACLE_EF_ACCESSCTRL);

    check_run(&result, 4, 1,
              JOBS("242,a,4,0,0,242,700,0\n"
                   "304,d,4,130,180,304,500,0\n"
                   "304,b,4,20,60,304,400,0\n"
                   "522,e,8,400,400,522,900,0\n"));
}

/* Round by round: arrivals are seen a slot later (EF-Q16), the job that lost a second at 221 is
 * pushed from 242 to 304 (EF-Q14, EF-Q27), jobs that were to wait grow first (EF-Q31). */
TEST(ef_accessctrl_lays_five_jobs_out_as_the_reference_does)
{
    struct oracle_run_result result = run_five(ORACLE_EF_ACCESSCTRL);

    assert_string_equal(result.rounds_csv.text, "time,layout\n"
                                                "0,0@0x8\n"
                                                "60,0@0x4 1@4x4\n"
                                                "120,0@0x4 1@4x4\n"
                                                "180,0@0x4 3@4x2 1@6x2\n"
                                                "242,3@0x4 1@4x4\n"
                                                "304,\n"
                                                "400,4@0x8\n"
                                                "522,\n");
    oracle_run_result_clear(&result);
}

TEST(ef_runs_five_jobs_as_the_reference_does)
{
    struct oracle_run_result result = run_five(ORACLE_EF);

    check_run(&result, 1, 4,
              JOBS("462,c,8,100,120,462,300,0\n"
                   "524,b,8,20,60,524,400,0\n"
                   "646,d,8,130,524,646,500,0\n"
                   "768,a,8,0,0,768,700,0\n"
                   "890,e,8,400,768,890,900,0\n"));
}

TEST(edf_runs_five_jobs_as_the_reference_does)
{
    struct oracle_run_result result = run_five(ORACLE_EDF);

    check_run(&result, 2, 3,
              JOBS("392,c,8,100,120,392,300,0\n"
                   "452,b,8,20,60,423,400,0\n"
                   "517,d,8,130,452,517,500,0\n"
                   "605,a,8,0,0,605,700,0\n"
                   "688,e,8,400,605,688,900,0\n"));
}

TEST(edf_accessctrl_runs_five_jobs_as_the_reference_does)
{
    struct oracle_run_result result = run_five(ORACLE_EDF_ACCESSCTRL);

    check_run(&result, 4, 1,
              JOBS("180,b,8,20,60,155,400,0\n"
                   "247,d,8,130,180,247,500,0\n"
                   "347,a,8,0,0,347,700,0\n"
                   "485,e,8,400,400,485,900,0\n"));
}

TEST(ef_accessctrl_runs_best_effort_as_the_reference_does)
{
    struct oracle_run_result result = run_six(ORACLE_EF_ACCESSCTRL);

    check_run(&result, 2, 2,
              JOBS("104,q,1,0,0,104,9223372036854775807,1\n"
                   "136,u,1,70,70,136,200,0\n"
                   "198,p,2,0,0,198,200,0\n"
                   "232,v,1,150,166,232,9223372036854775807,1\n"));
}

/* Best effort gets the spare GPUs first (EF-Q31), and the order of the jobs, which shows in their
 * places, outlives the round. */
TEST(ef_accessctrl_lays_best_effort_out_as_the_reference_does)
{
    struct oracle_run_result result = run_six(ORACLE_EF_ACCESSCTRL);

    assert_string_equal(result.rounds_csv.text, "time,layout\n"
                                                "0,1@0x2 0@2x2\n"
                                                "30,1@0x2 0@2x2\n"
                                                "70,0@0x2 1@2x1 4@3x1\n"
                                                "104,0@0x2 4@2x1\n"
                                                "136,0@0x4\n"
                                                "166,0@0x2 5@2x1\n"
                                                "198,5@0x1\n"
                                                "232,\n");
    oracle_run_result_clear(&result);
}

TEST(ef_runs_best_effort_as_the_reference_does)
{
    struct oracle_run_result result = run_six(ORACLE_EF);

    check_run(&result, 1, 3,
              JOBS("132,s,4,12,30,132,60,0\n"
                   "194,u,1,70,132,194,200,0\n"
                   "226,r,1,10,132,226,100,0\n"
                   "258,p,4,0,0,258,200,0\n"
                   "320,q,2,0,0,320,9223372036854775807,1\n"
                   "320,v,1,150,258,320,9223372036854775807,1\n"));
}

TEST(edf_runs_best_effort_as_the_reference_does)
{
    struct oracle_run_result result = run_six(ORACLE_EDF);

    check_run(&result, 0, 4,
              JOBS("109,s,4,12,30,109,60,0\n"
                   "180,r,4,10,109,163,100,0\n"
                   "229,p,4,0,0,229,200,0\n"
                   "256,u,4,70,229,256,200,0\n"
                   "302,q,4,0,256,302,9223372036854775807,1\n"
                   "338,v,4,150,302,338,9223372036854775807,1\n"));
}

TEST(edf_accessctrl_runs_best_effort_as_the_reference_does)
{
    struct oracle_run_result result = run_six(ORACLE_EDF_ACCESSCTRL);

    check_run(&result, 3, 2,
              JOBS("100,r,4,10,30,88,100,0\n"
                   "161,p,4,0,0,161,200,0\n"
                   "190,u,4,70,161,190,200,0\n"
                   "238,q,4,0,190,238,9223372036854775807,1\n"));
}

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
