/* plain_stages_test.c - the plain stages of a round where a cluster does otherwise than expected:
 * fifo on one node of 4 GPUs, in slots of a minute. A job does 10 iterations/s on its 4 GPUs, and
 * its start costs 8 s. */
#include "scheduler/engine/engine.h"
#include "scheduler/plan/plan.h"
#include "tests/support/test.h"

#include <string.h>

#define JOBS_MAX 4
#define RATE     10

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 3,
                                          .gpus = {1, 2, 4},
                                          .iters_per_s = {4, 7, RATE}};

static struct submission submissions[JOBS_MAX];
static engine_t *engine;
static struct decision decision;
static struct error error;

static void start(const struct policy *policy)
{
    const struct engine_setting setting = {.policy = policy,
                                           .placement = placement_find("best-fit"),
                                           .cluster = CLUSTER_OF(1, 1, 4),
                                           .gpu_type = "A100",
                                           .slot_s = 60,
                                           .lists_holdings = true};

    engine = engine_new(&setting, &error);
    assert_non_null(engine);
}

FIXTURE(tear_down)
{
    engine_destroy(&engine);
    return 0;
}

static void step(int64_t now_s, const struct occurrence occurrences[], size_t count)
{
    if (engine_step(engine, now_s, occurrences, count, &decision, &error) < 0)
        fail_msg("%s", error.text);
}

#define STEP(now_s, ...)                                                                           \
    step(now_s, (const struct occurrence[]){__VA_ARGS__},                                          \
         COUNT(((const struct occurrence[]){__VA_ARGS__})))

/* Job `number`, of so many seconds on 4 GPUs. */
static struct occurrence submitted(uint64_t number, int64_t submit_s, int seconds,
                                   int64_t deadline_s)
{
    submissions[number] = (struct submission){.id = "job",
                                              .number = number,
                                              .throughput = &row,
                                              .model = row.model,
                                              .submit_s = submit_s,
                                              .deadline_s = deadline_s,
                                              .iterations = (int64_t)seconds * RATE,
                                              .batch_size = row.batch_size,
                                              .gpus_requested = 4};
    return (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &submissions[number]};
}

static const struct occurrence as_expected = {.kind = OCCURRENCE_EXPECTED};

static struct occurrence about(enum occurrence_kind kind, uint64_t number)
{
    return (struct occurrence){.kind = kind, .row = UINT32_MAX, .job = number};
}

static struct occurrence done(uint64_t number, double iterations, int64_t ended_s)
{
    struct occurrence occurrence = about(OCCURRENCE_PROGRESS, number);

    occurrence.pace = 1;
    occurrence.progress = (struct progress){.iterations = iterations,
                                            .worked_s = (int64_t)(iterations / RATE),
                                            .done = true,
                                            .ended_s = ended_s};
    return occurrence;
}

static void check_holds(uint64_t number, int overhead_s)
{
    assert_int_equal(decision.holding_count, 1);
    assert_int_equal(decision.holdings[0].job->submission->number, number);
    assert_int_equal(decision.holdings[0].grant.gpus, 4);
    assert_int_equal(decision.holdings[0].overhead_s, overhead_s);
    assert_true(decision.holdings[0].grant.rate == RATE);
}

#define STEPPED(name) TEST_WITH(name, NULL, tear_down)

STEPPED(a_job_comes_runs_and_ends)
{
    start(policy_find("fifo"));
    STEP(5, submitted(0, 5, 100, 1000));
    assert_int_equal(decision.round, 1);
    check_holds(0, 8);
    assert_int_equal(decision.next_s, 113);
    STEP(113, as_expected);
    assert_int_equal(decision.retired_count, 1);
    assert_int_equal(decision.retired[0].job->end_s, 113);
    assert_int_equal(decision.retired[0].on_record_s, 113);
    assert_int_equal(decision.retired[0].job->gpu_seconds, 432);
    assert_int_equal(decision.retired[0].job->attained_s, 100);
    assert_false(decision.retired[0].late);
    assert_int_equal(decision.released_count, 1);
    assert_int_equal(decision.released[0].why, FREED_DONE);
    assert_true(decision.next_s == NEVER_S);
    assert_int_equal(engine_status(engine).settled, 1);
}

/* Nothing is there when the engine begins; a job that comes at the very same time runs at once. One
 * that comes in the second of a round waits for the next. */
STEPPED(an_engine_begins_without_jobs)
{
    start(policy_find("fifo"));
    step(7, NULL, 0);
    assert_int_equal(decision.round, 0);
    assert_true(decision.next_s == NEVER_S);
    STEP(7, submitted(0, 7, 100, 1000));
    assert_int_equal(decision.round, 1);
    check_holds(0, 8);
    assert_int_equal(decision.next_s, 115);
    STEP(115, as_expected);
    STEP(115, submitted(1, 115, 100, 1000));
    assert_int_equal(decision.round, 0);
    assert_int_equal(decision.next_s, 175);
    STEP(175, as_expected);
    check_holds(1, 2);
}

/* The start took 3 s, not 8: the end comes as much earlier. A start that took longer puts it
 * off. */
STEPPED(what_a_start_really_cost_moves_the_end)
{
    struct occurrence paid = about(OCCURRENCE_PAID, 0);

    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 1000));
    paid.overhead_s = 3;
    STEP(0, paid);
    assert_int_equal(decision.round, 0);
    assert_int_equal(decision.next_s, 103);
    paid.overhead_s = 20;
    STEP(0, paid);
    assert_int_equal(decision.next_s, 120);
    STEP(120, as_expected);
    assert_int_equal(decision.retired[0].job->end_s, 120);
    assert_int_equal(decision.retired[0].job->attained_s, 100);
}

/* At 60 it did 260 iterations of the 520 that were expected, and none of the overhead is left. It
 * is planned anew, and pays nothing for that. */
STEPPED(a_job_that_is_slow_is_planned_anew)
{
    struct occurrence slow = about(OCCURRENCE_PROGRESS, 0);

    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 110));
    assert_int_equal(decision.next_s, 108);
    slow.deviates = true;
    slow.pace = 0.5;
    slow.progress = (struct progress){.iterations = 260, .worked_s = 52};
    STEP(60, slow);
    check_holds(0, 0);
    assert_int_equal(decision.next_s, 60 + 74);
    assert_int_equal(decision.disturbance_count, 2);
    assert_int_equal(decision.disturbances[0].kind, DISTURBANCE_BEHIND);
    assert_int_equal(decision.disturbances[1].kind, DISTURBANCE_SLIPS);
    assert_int_equal(decision.disturbances[1].foreseen_s, 60 + 148); /* at that pace */
    STEP(134, as_expected);
    assert_int_equal(decision.retired[0].job->end_s, 134);
    assert_true(decision.retired[0].late);
}

/* At 60 it did 2 iterations of the 520 that were expected: its node is silent, which is no speed.
 * A node that is known to be gone is the cause. */
STEPPED(a_job_that_is_silent_is_not_said_to_run_slowly)
{
    struct occurrence silent = about(OCCURRENCE_PROGRESS, 0);
    const struct occurrence gone = {
        .kind = OCCURRENCE_NODE_GONE, .node = 0, .cause = "it is silent"};

    silent.deviates = true;
    silent.pace = 0.004;
    silent.cause = "its trainers are at step 2";
    silent.progress = (struct progress){.iterations = 2, .worked_s = 52};
    for (int tells_node = 0; tells_node < 2; tells_node++) {
        const struct occurrence told[] = {silent, gone};
        const struct disturbance *slips;

        start(policy_find("fifo"));
        STEP(0, submitted(0, 0, 100, 110));
        step(60, told, 1 + (size_t)tells_node);
        slips = &decision.disturbances[decision.disturbance_count - 1];
        assert_int_equal(slips->kind, DISTURBANCE_SLIPS);
        assert_memory_equal(slips->cause,
                            tells_node ? "it stood still: node 0 left: it is silent;"
                                       : "it stood still: its trainers are at step 2;",
                            37);
        assert_int_equal(slips->why, tells_node ? WITHDRAWN_FOR_NODE : WITHDRAWN_FOR_STANDSTILL);
        engine_destroy(&engine);
    }
}

/* The job is done before its planned end, with fewer iterations than its trace states: the driver
 * knows best. */
STEPPED(a_job_is_done_when_it_says_so)
{
    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 80), submitted(1, 10, 100, 1000));
    STEP(60, as_expected);
    STEP(90, done(0, 250, 79));
    assert_int_equal(decision.retired_count, 1);
    assert_int_equal(decision.retired[0].job->end_s, 79);
    assert_int_equal(decision.retired[0].on_record_s, 90);
    assert_false(decision.retired[0].late);
    check_holds(1, 2); /* the same GPUs ran together before */
    assert_int_equal(decision.next_s, 90 + 2 + 100);
}

/* The end of a job may be heard after its node was given up. A job that has no work left, but is
 * not said to be done, is planned anew. */
STEPPED(a_job_that_was_done_before_it_lost_its_gpus_is_over)
{
    static const struct occurrence gone = {.kind = OCCURRENCE_NODE_GONE, .until_s = NEVER_S};
    struct occurrence all = done(0, 1000, 0);

    all.progress.done = false;
    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 80));
    STEP(60, all, gone);
    assert_int_equal(decision.holding_count, 0);
    STEP(120, as_expected);
    assert_int_equal(decision.retired_count, 0);
    STEP(180, done(0, 0, 58));
    assert_int_equal(decision.retired_count, 1);
    assert_int_equal(decision.retired[0].job->end_s, 58);
    assert_int_equal(decision.retired[0].on_record_s, 180);
    assert_false(decision.retired[0].late);
    assert_int_equal(engine_status(engine).live, 0);
}

/* The one that runs is not tried again, the next has its GPUs at once; the third never arrives. */
STEPPED(jobs_fail_and_are_cancelled)
{
    struct occurrence failed = about(OCCURRENCE_FAILED, 0);

    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 1000), submitted(1, 0, 50, 1000), submitted(2, 400, 50, 1000));
    failed.cause = "its trainer cannot be started";
    STEP(30, as_expected, failed);
    assert_int_equal(decision.released_count, 1);
    assert_int_equal(decision.released[0].why, FREED_FAILED);
    assert_int_equal(decision.disturbance_count, 1);
    assert_int_equal(decision.disturbances[0].kind, DISTURBANCE_HELD);
    assert_string_equal(decision.disturbances[0].cause, "its trainer cannot be started");
    check_holds(1, 2);
    STEP(40, as_expected, about(OCCURRENCE_CANCELLED, 2));
    check_holds(1, 0);
    assert_int_equal(decision.next_s, 82); /* its end: a round that comes early delays no other */
    STEP(60, as_expected, about(OCCURRENCE_CANCELLED, 1));
    assert_int_equal(decision.released[0].why, FREED_CANCELLED);
    assert_true(decision.next_s == NEVER_S);
    assert_int_equal(engine_status(engine).settled, 3);
    assert_int_equal(engine_status(engine).declined, 1);
    assert_null(engine_job(engine, 0));
    STEP(70, as_expected, done(1, 1, 69)); /* news of the past */
    assert_int_equal(decision.retired_count, 0);
}

/* An overhead that an interval is too short for is paid on, and not twice. */
STEPPED(what_is_owed_is_paid_on)
{
    const struct occurrence timer = {.kind = OCCURRENCE_TIMER};

    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 1000));
    STEP(5, as_expected, timer);
    check_holds(0, 3);
    STEP(5, as_expected, timer);
    check_holds(0, 3);
    STEP(65, as_expected);
    check_holds(0, 0);
    assert_int_equal(decision.live[0]->attained_s, 57);
    assert_int_equal(decision.next_s, 125);
    STEP(125, as_expected);
    assert_int_equal(decision.retired[0].job->end_s, 108);
    assert_int_equal(decision.retired[0].job->gpu_seconds,
                     500); /* held until the round that saw its end */
}

STEPPED(a_number_is_used_once)
{
    struct submission again;
    struct occurrence twice;

    start(policy_find("fifo"));
    STEP(0, submitted(0, 0, 100, 1000));
    again = submissions[0];
    twice = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &again};
    assert_int_equal(engine_step(engine, 1, &twice, 1, &decision, &error), -1);
    assert_string_equal(error.text, "job job: there is a job with the number 0 already");
}

/* Rows of jobs that are over are used again: more jobs than ever are there together. */
STEPPED(jobs_come_and_go_for_ever)
{
    int64_t now_s = 0;

    start(policy_find("fifo"));
    for (uint64_t number = 0; number < 1000; number++) {
        struct occurrence next = submitted(number % 2, now_s, 100, now_s + 108);

        submissions[number % 2].number = (uint64_t)1 << 40 | number;
        STEP(now_s, as_expected, next);
        assert_int_equal(decision.holding_count, 1);
        assert_in_range(decision.holdings[0].job->row, 0, 1);
        now_s = decision.next_s;
        STEP(now_s, as_expected);
        assert_int_equal(decision.retired_count, 1);
        assert_false(decision.retired[0].late);
        now_s += 60;
    }
    assert_int_equal(engine_status(engine).accepted, 1000);
}

/* A policy that gives every job all GPUs. */
static int give_all(const struct view *view, plan_t *plan, struct error *ignored)
{
    (void)ignored;
    plan_reset(plan, view);
    for (size_t i = 0; i < view->job_count; i++)
        plan_allocate(plan, view, i, view->jobs[i]->scaling->top);
    return 0;
}

STEPPED(a_policy_that_gives_out_too_many_gpus_is_told_so)
{
    static const struct policy lavish = {.name = "lavish",
                                         .admission = &admission_everyone,
                                         .gpus_max = policy_gpus_requested,
                                         .allocate = give_all};
    struct occurrence second;

    start(&lavish);
    STEP(0, submitted(0, 0, 100, 1000));
    second = submitted(1, 60, 100, 1000);
    STEP(10, as_expected, second);
    assert_int_equal(engine_step(engine, decision.next_s, &as_expected, 1, &decision, &error), -1);
    assert_string_equal(error.text, "policy lavish gave out 8 of 4 GPUs in round 3");
}

/* A policy that gives nothing, not even later. */
static int give_nothing(const struct view *view, plan_t *plan, struct error *ignored)
{
    (void)ignored;
    plan_reset(plan, view);
    return 0;
}

STEPPED(a_policy_that_leaves_jobs_waiting_for_ever_is_told_so)
{
    static const struct policy idle = {.name = "idle",
                                       .admission = &admission_everyone,
                                       .gpus_max = policy_gpus_requested,
                                       .allocate = give_nothing};
    const struct occurrence both[] = {submitted(0, 0, 100, 1000), submitted(1, 0, 100, 1000)};

    start(&idle);
    assert_int_equal(engine_step(engine, 0, both, 2, &decision, &error), -1);
    assert_string_equal(error.text, "policy idle gives job job no GPU, and plans none for later, "
                                    "nor for 1 more: the run never ends");
}

/* A policy that has each job start at 100, and hold 2 GPUs until 300 and 4 from then on. */
static int give_by_the_clock(const struct view *view, plan_t *plan, struct error *ignored)
{
    (void)ignored;
    plan_reset(plan, view);
    for (size_t i = 0; i < view->job_count; i++) {
        struct share *share = &plan->shares[i];

        if (view->now_s < 100) {
            share->start_s = 100;
            continue;
        }
        plan_allocate(plan, view, i, view->now_s < 300 ? 2 : 3);
        if (view->now_s < 300)
            share->change_s = 300;
    }
    return 0;
}

/* The job does 7 iterations/s on 2 GPUs from 106 on, and pays 8 s to grow. */
STEPPED(planned_changes_are_waited_for)
{
    static const struct policy clock = {.name = "clock",
                                        .admission = &admission_everyone,
                                        .gpus_max = policy_gpus_requested,
                                        .allocate = give_by_the_clock};

    start(&clock);
    STEP(0, submitted(0, 0, 500, 1000));
    assert_int_equal(decision.holding_count, 0);
    assert_int_equal(decision.next_s, 100);
    STEP(100, as_expected);
    assert_int_equal(decision.holdings[0].grant.gpus, 2);
    assert_int_equal(decision.holdings[0].overhead_s, 6);
    assert_int_equal(decision.next_s, 300);
    STEP(300, as_expected);
    check_holds(0, 8);
    assert_int_equal(decision.next_s, 300 + 8 + 365); /* 5000 less 194 x 7 iterations */
    STEP(673, as_expected);
    assert_int_equal(decision.retired[0].job->end_s, 673);
}

int main(void)
{
    return tests_run(NULL, NULL);
}
