/* metrics_test.c - preemptions, migrations, resizes, queueing delays, finish-time fairness and
 * service by queue: of layouts made by hand, and of the worked examples of the behavioural
 * specification, all counted by hand. */
#include "scheduler/run/metrics.h"
#include "scheduler/run/simulation.h"
#include "tests/support/folder.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>

#define NODES         9
#define GPUS_PER_NODE 4
#define GPUS          16 /* that shares are of; layouts have more */

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 4,
                                          .gpus = {1, 2, 4, 8},
                                          .iters_per_s = {1, 2, 4, NAN}};

static int queues[2]; /* of the two jobs, by row */

static int queue_of(void *memory, const struct job *job)
{
    return ((const int *)memory)[job->row];
}

static const struct policy by_iterations = {.name = "by iterations"};
static const struct policy by_duration = {.name = "by duration",
                                          .stages = {.measure = MEASURE_SECONDS}};
static const struct policy by_either = {.name = "by either", .stages = {.measure = MEASURE_EITHER}};
static const struct policy with_queues = {.name = "with queues", .queues = 2, .queue_of = queue_of};

static allocation_changes_t *changes;
static metrics_t *metrics;
static cluster_t *empty;
static struct retirement retired;
static struct decision next; /* what is said of the next step */
static struct submission submitted_a;
static struct submission submitted_b;
static struct scaling unmeasured; /* without rates */
static struct job a;
static struct job b;

FIXTURE(set_up)
{
    changes = allocation_changes_new("", NULL);
    empty = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, NODES, GPUS_PER_NODE));
    submitted_a = (struct submission){.id = "a", .number = 0, .throughput = &row};
    submitted_b = (struct submission){.id = "b", .number = 1, .throughput = &row};
    scaling_init_fixed(&unmeasured, 1);
    a = (struct job){.submission = &submitted_a, .row = 0, .scaling = &unmeasured, .held = -1};
    b = (struct job){
        .submission = &submitted_b, .arrival = 1, .row = 1, .scaling = &unmeasured, .held = -1};
    next = (struct decision){.cluster = empty};
    return 0;
}

FIXTURE(tear_down)
{
    metrics_destroy(&metrics);
    allocation_changes_destroy(&changes);
    cluster_destroy(&empty);
    return 0;
}

/* The next step comes so late, and so many jobs were live until then. */
static void step_at(int64_t now_s, int64_t elapsed_s, size_t live_before)
{
    next.now_s = now_s;
    next.elapsed_s = elapsed_s;
    next.live_before = live_before;
}

static void step(void)
{
    size_t changed_count;
    const struct allocation_change *changed =
        allocation_changes_step(changes, &next, &changed_count);

    metrics_step(metrics, &next, changed, changed_count, queues);
    next = (struct decision){.now_s = next.now_s, .cluster = empty};
}

/* A run with both jobs in it. */
static void start(const struct policy *policy)
{
    const struct decided decided[] = {{.job = &a, .verdict = {.kind = VERDICT_BEST_EFFORT}},
                                      {.job = &b, .verdict = {.kind = VERDICT_BEST_EFFORT}}};

    metrics = metrics_new(policy, GPUS);
    next.decided = decided;
    next.decided_count = COUNT(decided);
    step();
}

/* `job` is done in the next step. */
static void retire(struct job *job)
{
    retired = (struct retirement){.job = job};
    next.retired = &retired;
    next.retired_count = 1;
}

/* `job` arrives in the next step, which is held. */
static void admit(struct job *job)
{
    const struct decided decided = {.job = job, .verdict = {.kind = VERDICT_BEST_EFFORT}};

    next.decided = &decided;
    next.decided_count = 1;
    step();
}

/* GPUs of a job, from `rank` on. */
struct standing {
    struct job *job;
    int rank;
    int gpus;
    int other_node; /* on which it holds some, -1 for none */
};

static void step_with(cluster_t *cluster)
{
    next.cluster = cluster;
    step();
    cluster_vacate(cluster); /* as before each layout that is made anew */
    cluster_destroy(&cluster);
}

/* The layout of the next step. */
static void place(const struct standing standings[], size_t count)
{
    cluster_t *cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, NODES, GPUS_PER_NODE));
    struct layout *layout = cluster_clear(cluster, count);
    int nodes[NODES][2];
    static int64_t number;

    layout->number = ++number;
    for (size_t i = 0; i < count; i++) {
        const struct standing *standing = &standings[i];

        nodes[i][0] = standing->rank / GPUS_PER_NODE;
        nodes[i][1] = standing->other_node;
        layout->sets[layout->set_count++] =
            (struct node_set){.nodes = nodes[i],
                              .node_count = standing->other_node < 0 ? 1 : 2,
                              .used = standing->rank % GPUS_PER_NODE,
                              .first_held = -1,
                              .last_held = -1};
        layout_hold(layout, layout->set_count - 1, standing->job, standing->gpus);
    }
    step_with(cluster);
}

#define PLACE(...)                                                                                 \
    place((const struct standing[]){__VA_ARGS__}, COUNT(((const struct standing[]){__VA_ARGS__})))

static struct figures count(void)
{
    struct figures figures = {.jobs = 2};

    metrics_count(metrics, &figures);
    return figures;
}

static void check_interruptions(const struct figures *figures, int64_t preemptions,
                                int64_t migrations, int64_t resizes)
{
    assert_int_equal(figures->preemptions, preemptions);
    assert_int_equal(figures->migrations, migrations);
    assert_int_equal(figures->resizes, resizes);
}

static void check_counted(int64_t preemptions, int64_t migrations, int64_t resizes)
{
    const struct figures figures = count();

    check_interruptions(&figures, preemptions, migrations, resizes);
}

static void check_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", found, expected);
}

#define IN_TURN(name) TEST_WITH(name, set_up, tear_down)

IN_TURN(a_job_that_loses_its_gpus_before_its_end_is_preempted)
{
    start(&by_iterations);
    PLACE({&a, 0, 2, -1}, {&b, 4, 2, -1});
    PLACE({&b, 4, 2, -1});
    check_counted(1, 0, 0);
    place(NULL, 0);
    check_counted(2, 0, 0);
    place(NULL, 0);
    check_counted(2, 0, 0);
}

IN_TURN(a_job_that_is_done_is_not_preempted)
{
    start(&by_iterations);
    PLACE({&a, 0, 2, -1}, {&b, 4, 2, -1});
    retire(&a);
    PLACE({&b, 0, 2, -1});
    check_counted(0, 1, 0);
    retire(&b);
    place(NULL, 0);
    check_counted(0, 1, 0);
}

IN_TURN(a_job_that_is_retired_while_it_waits_was_preempted_once)
{
    start(&by_iterations);
    PLACE({&a, 0, 2, -1}, {&b, 4, 2, -1});
    PLACE({&b, 4, 2, -1});
    retire(&a);
    PLACE({&b, 4, 2, -1});
    check_counted(1, 0, 0);
}

IN_TURN(as_many_gpus_elsewhere_are_a_migration)
{
    start(&by_iterations);
    PLACE({&a, 0, 2, -1});
    PLACE({&a, 0, 2, -1});
    check_counted(0, 0, 0);
    PLACE({&a, 2, 2, -1}); /* of the same node */
    check_counted(0, 1, 0);
    PLACE({&a, 12, 2, -1});
    check_counted(0, 2, 0);
}

IN_TURN(all_nodes_of_a_job_count_and_their_order_does_not)
{
    start(&by_iterations);
    PLACE({&a, 0, 8, 1});
    PLACE({&a, 4, 8, 0});
    check_counted(0, 0, 0);
    PLACE({&a, 4, 8, 2});
    check_counted(0, 1, 0);
    PLACE({&a, 12, 8, 3});
    check_counted(0, 2, 0);
}

/* Nodes 4 and 8, and GPUs 8 and 4. */
IN_TURN(a_node_is_not_taken_for_a_gpu_of_its_number)
{
    start(&by_iterations);
    PLACE({&a, 16, 5, 2});
    PLACE({&a, 32, 5, 1});
    check_counted(0, 1, 0);
}

/* The layout of the next round, in which `a` holds these GPUs, each a part of its own. */
static void place_in_parts(const int ranks[], size_t count)
{
    cluster_t *cluster = cluster_new(&(struct cluster_spec)CLUSTER_OF(1, NODES, GPUS_PER_NODE));
    struct layout *layout = cluster_revise(cluster);
    int nodes[NODES * GPUS_PER_NODE];
    static int64_t number = 1000;

    layout->number = ++number;
    for (size_t i = 0; i < count; i++) {
        const int part = (int)i;

        nodes[i] = ranks[i] / GPUS_PER_NODE;
        layout->sets[i] = (struct node_set){
            .nodes = &nodes[i], .node_count = 1, .first_held = -1, .last_held = -1};
        assert_int_equal(layout_hold_part(layout, part, &a, ranks[i] % GPUS_PER_NODE, 1), part);
        if (i > 0)
            layout->held[part - 1].more = part;
    }
    a.held = 0;
    step_with(cluster);
}

IN_TURN(a_job_in_parts_is_one_job_and_all_its_gpus_count)
{
    start(&by_iterations);
    place_in_parts((const int[]){1, 5, 7}, 3);
    place_in_parts((const int[]){1, 5, 7}, 3);
    check_counted(0, 0, 0);
    place_in_parts((const int[]){1, 6, 7}, 3);
    check_counted(0, 1, 0);
    place_in_parts((const int[]){1, 6}, 2);
    check_counted(0, 1, 1);
    PLACE({&a, 1, 2, -1});
    check_counted(0, 2, 1);
    place(NULL, 0);
    check_counted(1, 2, 1);
}

IN_TURN(another_number_of_gpus_is_a_resize_wherever_they_are)
{
    start(&by_iterations);
    PLACE({&a, 0, 4, -1});
    PLACE({&a, 0, 2, -1});
    check_counted(0, 0, 1);
    PLACE({&a, 8, 8, 3});
    check_counted(0, 0, 2);
}

IN_TURN(who_comes_back_later_neither_moved_nor_changed_size)
{
    start(&by_iterations);
    PLACE({&a, 0, 4, -1});
    place(NULL, 0);
    PLACE({&a, 8, 2, -1});
    check_counted(1, 0, 0);
}

IN_TURN(a_job_waits_until_it_first_holds_gpus)
{
    struct figures figures;

    start(&by_iterations);
    submitted_a.submit_s = 100;
    submitted_b.submit_s = 110;
    step_at(120, 0, 0);
    PLACE({&a, 0, 2, -1});
    step_at(180, 60, 2);
    PLACE({&b, 0, 2, -1});
    step_at(240, 60, 2);
    PLACE({&a, 0, 2, -1});
    figures = count();
    check_near(figures.queueing_delay_mean_s, 45); /* 20 and 70 */
    check_near(figures.queueing_delay_p99_s, 70);
}

IN_TURN(nobody_waited_who_never_held_gpus)
{
    struct figures figures;

    start(&by_iterations);
    figures = count();
    assert_true(figures.queueing_delay_mean_s == 0 && figures.queueing_delay_p99_s == 0);
    assert_int_equal(figures.finish_time_fairness_jobs, 0);
}

/* `a` is there from 0 to 100, `b` from 20 on: 1.8 jobs on average. It asks for 4 of 16 GPUs, and
 * with as many on average as fit four times, has more than its share. */
static void retire_at_100(struct job *job, size_t others)
{
    step_at(0, 0, 0);
    admit(job);
    step_at(20, 20, 1);
    step();
    step_at(100, 80, 1 + others);
    retire(job);
    step();
}

IN_TURN(a_job_alone_on_what_it_asked_for_has_its_share)
{
    struct figures figures;

    start(&by_iterations);
    submitted_a.gpus_requested = 4;
    submitted_a.iterations = 320; /* 80 s at 4 a second */
    a.end_s = 100;
    retire_at_100(&a, 1);
    figures = count();
    assert_int_equal(figures.finish_time_fairness_jobs, 1);
    check_near(figures.finish_time_fairness_mean, 100.0 / 80);
    assert_true(figures.fair_share == 0);
}

/* With 8 others for 80 of 100 s there are 7.4 jobs, of which 4 would fit. */
IN_TURN(the_share_shrinks_with_the_jobs_that_are_there)
{
    struct figures figures;

    start(&by_iterations);
    submitted_a.gpus_requested = 4;
    submitted_a.iterations = 320;
    a.end_s = 100;
    retire_at_100(&a, 8);
    figures = count();
    check_near(figures.finish_time_fairness_max, 100.0 / (80 * 7.4 * 4 / 16));
    assert_true(figures.fair_share == 1);
}

static double fairness_under(const struct policy *policy, int64_t iterations, int64_t duration_s)
{
    struct figures figures;

    start(policy);
    submitted_a.gpus_requested = 2;
    submitted_a.iterations = iterations;
    submitted_a.duration_s = duration_s;
    a.end_s = 100;
    retire_at_100(&a, 0);
    figures = count();
    metrics_destroy(&metrics);
    return figures.finish_time_fairness_jobs == 1 ? figures.finish_time_fairness_mean : -1;
}

IN_TURN(the_run_time_alone_is_by_what_the_policy_counts)
{
    check_near(fairness_under(&by_iterations, 100, 25), 2);
    check_near(fairness_under(&by_duration, 100, 25), 4);
    check_near(fairness_under(&by_either, 100, 25), 4);
    check_near(fairness_under(&by_either, 20, 25), 10);
}

IN_TURN(a_job_whose_run_time_alone_is_unknown_is_left_out)
{
    check_near(fairness_under(&by_duration, 100, -1), -1);
    start(&by_iterations);
    submitted_a.iterations = submitted_b.iterations = 100;
    submitted_a.gpus_requested = 0; /* not stated */
    submitted_b.gpus_requested = 8; /* nothing was measured */
    retire_at_100(&a, 1);
    retire(&b);
    step();
    assert_int_equal(count().finish_time_fairness_jobs, 0);
}

/* 200 jobs that ran alone in 1 s each ended 1, 2 ... 200 s after their submission. */
IN_TURN(unfairness_is_ranked)
{
    const struct submission submission = {.throughput = &row, .iterations = 1, .gpus_requested = 1};
    struct figures figures;

    metrics = metrics_new(&by_iterations, 16);
    for (uint32_t i = 200; i > 0; i--) {
        struct job job = {.submission = &submission, .arrival = i, .end_s = i};

        admit(&job);
        retire(&job);
        step();
    }
    figures = count();
    check_near(figures.finish_time_fairness_mean, 100.5);
    check_near(figures.finish_time_fairness_p99, 198);
    check_near(figures.finish_time_fairness_max, 200);
    check_near(figures.fair_share, 1.0 / 200);
}

/* `a` works 60 s on 2 GPUs in the first queue, 30 s in the second; `b`, demoted at once, waits and
 * then works 30 s on one. */
IN_TURN(service_is_told_apart_by_queue)
{
    struct scaling scaling;
    struct error error;
    const struct job *const jobs[] = {&a, &b};
    struct figures figures;

    assert_int_equal(scaling_init(&scaling, &row, 4, 16, &error), 0);
    start(&with_queues);
    a.scaling = b.scaling = &scaling;
    a.grant.gpus = a.scaling->gpus[2];
    queues[0] = queues[1] = 0;
    next.live = jobs;
    step_at(0, 0, 0);
    next.live_count = 1;
    step();
    queues[0] = queues[1] = 1;
    b.grant.gpus = b.scaling->gpus[1];
    next.live = jobs;
    step_at(60, 60, 1);
    next.live_count = 2;
    step();
    step_at(90, 30, 2);
    step();
    step_at(100, 10, 0);
    step();
    figures = count();
    assert_int_equal(figures.queues, 2);
    assert_int_equal(figures.attained_service_gpu_s[0], 120);
    assert_int_equal(figures.attained_service_gpu_s[1], 60 + 30);
    assert_int_equal(figures.demotions, 2);
}

#define HEADER "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n"

/* The figures of a whole run on two nodes of two GPUs, in slots of 60 s. */
static struct figures figures_of(const char *policy, const char *trace)
{
    folder_t *folder = folder_new();
    const struct simulation simulation = {
        .policy = policy,
        .trace = folder_write(folder, "trace.csv", trace),
        .cluster = folder_write(folder, "cluster.csv",
                                "num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,"
                                "mem_p_node\n1,2,2,64,256\n"),
        .throughputs = tables_folder(),
        .gpu_type = "A100",
        .slot_s = 60};
    struct simulation_result result;
    struct error error;

    if (simulation_run(&simulation, &result, &error) != 0)
        fail_msg("%s", error.text);
    json_decref(result.summary);
    folder_destroy(&folder);
    return result.figures;
}

/* GA-1: at 60 the set of `a` is given up, which moves to the node of `b`; at 300 `c` moves there,
 * too, after both, which are done. It came at 10 and was seen at 60. */
TEST(gandiva_moves_jobs_from_sets_that_it_gives_up)
{
    const struct figures figures =
        figures_of("gandiva", HEADER "a,0,1000,resnet50,400,64,1,200\n"
                                     "b,0,1000,resnet50,400,64,1,200\n"
                                     "c,10,1000,resnet50,400,64,1,200\n"
                                     "d,300,1000,resnet50,900,64,2,100\n");

    check_interruptions(&figures, 0, 2, 0);
    check_near(figures.queueing_delay_mean_s, 50.0 / 4);
    check_near(figures.queueing_delay_p99_s, 50);
}

/* GA-2: `b` and `c` take turns on a node, minute by minute, until `b` is done: at 60, 120, 180 and
 * 240 one gives way to the other. `c` has a place from 0 on, but holds GPUs only from 60 on. */
TEST(gandiva_preempts_whose_turn_is_over)
{
    const struct figures figures = figures_of("gandiva", HEADER "a,0,1000,resnet50,500,64,2,150\n"
                                                                "b,0,1000,resnet50,500,64,2,150\n"
                                                                "c,0,1000,resnet50,500,64,2,150\n");

    check_interruptions(&figures, 4, 0, 0);
    check_near(figures.queueing_delay_mean_s, 60.0 / 3);
}

/* TI-1: `a` is demoted and preempted at 2188 and resumes at 2596. `c` waits from 1020 to 2188, `d`
 * from 2300 to 2396. Of the first queue `a` has 2188 s on 2 GPUs, `b` 120 s, which it holds to the
 * end of the slot, `c` 208 s and `d` 200 s on 4; of the second `a` has 818 s. */
TEST(tiresias_demotes_and_preempts_who_had_much)
{
    const struct figures figures =
        figures_of("dlas-gpu", HEADER "a,0,1000,resnet50,4000,64,2,3000\n"
                                      "b,1000,1000,resnet50,1150,64,1,100\n"
                                      "c,1020,1000,resnet50,1500,64,4,200\n"
                                      "d,2300,1000,resnet50,2700,64,4,200\n");

    check_interruptions(&figures, 1, 0, 0);
    assert_int_equal(figures.demotions, 1);
    check_near(figures.queueing_delay_mean_s, (1168 + 96) / 4.0);
    check_near(figures.queueing_delay_p99_s, 1168);
    assert_int_equal(figures.queues, 3);
    assert_int_equal(figures.attained_service_gpu_s[0], 2188 * 2 + 120 + 208 * 4 + 200 * 4);
    assert_int_equal(figures.attained_service_gpu_s[1], 818 * 2);
    assert_int_equal(figures.attained_service_gpu_s[2], 0);
    /* `c` lives from 1060 to 2396, with `a`, for 60 s with `b` and for 96 s with `d`. */
    check_near(figures.finish_time_fairness_max,
               (2396 - 1020) / (200 * (2 * 1336 + 60 + 96) / 1336.0));
}

/* TH-1: of the four jobs there are 2 up to 60, 3 up to 120, 4 up to 180, 2 up to 240 and 1 up to
 * 660. `b`, the smallest, is there for 540 job seconds in 180, `c` for 540 in 180, `d` for 240 in
 * 60 and `a` for 1080 in 660. At 120 and 180 larger jobs take the GPUs of smaller ones. */
TEST(themis_is_judged_by_its_own_measure)
{
    const double b_s = 700 / 5.053019147087227;
    const double c_s = 900 / 6.8429775823889685;
    const double d_s = 500 / 11.945927661457464 * (240.0 / 60) * 2 / 4;
    const double a_s = 4000 / 10.356284859349557 * (1080.0 / 660);
    const struct figures figures = figures_of("themis", HEADER "a,0,4000,bert,700,64,4,387\n"
                                                               "b,0,700,vgg16,400,64,1,139\n"
                                                               "c,30,900,resnet50,600,64,1,132\n"
                                                               "d,100,500,gpt2,350,128,2,42\n");

    check_interruptions(&figures, 0, 3, 0);
    assert_int_equal(figures.finish_time_fairness_jobs, 4);
    check_near(figures.finish_time_fairness_max, 210 / c_s);
    check_near(figures.finish_time_fairness_mean,
               (660 / a_s + 180 / b_s + 210 / c_s + 80 / d_s) / 4);
    check_near(figures.fair_share, 0.25); /* `d` */
    assert_int_equal(figures.queues, 0);
}

/* TH-2: `a` and `b` lose their GPUs, at 60 and at 120. */
TEST(themis_preempts_who_has_no_turn)
{
    const struct figures figures = figures_of("themis", HEADER "a,0,900,resnet50,200,64,2,77\n"
                                                               "b,0,900,resnet50,200,64,2,77\n"
                                                               "c,0,900,resnet50,200,64,2,77\n"
                                                               "d,0,800,vgg16,260,64,1,159\n");

    check_interruptions(&figures, 2, 0, 0);
    check_near(figures.queueing_delay_mean_s, (60 + 120) / 4.0);
}

/* `a` has all 4 GPUs until `b` is seen at 60, then 2 until `b` is done. */
TEST(elastic_jobs_are_resized)
{
    const struct figures figures =
        figures_of("ef-accessctrl", "job_id,submit_time,iteration,model_name,ddl,batch_size\n"
                                    "a,0,4000,resnet50,900,64\n"
                                    "b,10,900,resnet50,260,64\n");

    check_interruptions(&figures, 0, 0, 2);
    assert_int_equal(figures.finish_time_fairness_jobs, 0); /* no num_gpu in this trace */
    assert_true(isnan(figures.finish_time_fairness_mean) && isnan(figures.fair_share));
}

int main(void)
{
    return tests_run(NULL, NULL);
}
