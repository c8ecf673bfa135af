/* chains_test.c - jobs that wait for others, under every policy: a child starts only once its
 * parents have ended as it wants, and ends with a cause that names the parent where they did not.
 * One node of 4 GPUs; a job does 10 iterations/s on its 4 GPUs. */
#include "scheduler/engine/engine.h"
#include "scheduler/reference/leasing.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define JOBS_MAX 4
#define RATE     10
#define STEPS    1000

static const struct throughput_row row = {.model = "model",
                                          .batch_size = 64,
                                          .level_count = 3,
                                          .gpus = {1, 2, 4},
                                          .iters_per_s = {4, 7, RATE}};

static const char *const ids[JOBS_MAX] = {"first", "second", "third", "fourth"};
static struct submission submissions[JOBS_MAX];
static struct job_level levels[JOBS_MAX];
static struct parent parents[JOBS_MAX][JOBS_MAX];
static engine_t *engine;
static struct decision decision;
static struct error error;

/* How the jobs ended; what was told of them. */
static int64_t started_s[JOBS_MAX];
static int64_t ended_s[JOBS_MAX];
static char causes[JOBS_MAX][128];

static void start(const char *policy)
{
    static struct leasing leasing = LEASING_DEFAULT;
    const struct policy *found = policy_find(policy);
    const struct engine_setting setting = {
        .policy = found,
        .placement = placement_find(found->placement ? found->placement : "best-fit"),
        .options = strcmp(policy, "chronus") == 0 ? &leasing : NULL,
        .cluster = CLUSTER_OF(1, 1, 4),
        .gpu_type = "A100",
        .slot_s = 60,
        .lists_holdings = true};

    assert_int_equal(leasing_settle(&leasing, setting.slot_s, &error), 0);
    engine = engine_new(&setting, &error);
    assert_non_null(engine);
    memset(causes, 0, sizeof(causes));
    for (int i = 0; i < JOBS_MAX; i++)
        started_s[i] = ended_s[i] = -1;
}

FIXTURE(tear_down)
{
    engine_destroy(&engine);
    return 0;
}

static void note(void)
{
    for (size_t i = 0; i < decision.holding_count; i++) {
        const uint64_t number = decision.holdings[i].job->number;

        if (started_s[number] < 0)
            started_s[number] = decision.now_s;
    }
    for (size_t i = 0; i < decision.retired_count; i++)
        ended_s[decision.retired[i].job->number] = decision.retired[i].job->end_s;
    for (size_t i = 0; i < decision.disturbance_count; i++)
        if (decision.disturbances[i].kind == DISTURBANCE_ORPHANED)
            (void)snprintf(causes[decision.disturbances[i].job->number], sizeof(causes[0]), "%s",
                           decision.disturbances[i].cause);
}

static void step(int64_t now_s, const struct occurrence occurrences[], size_t count)
{
    if (engine_step(engine, now_s, occurrences, count, &decision, &error) < 0)
        fail_msg("%s", error.text);
    note();
}

#define STEP(now_s, ...)                                                                           \
    step(now_s, (const struct occurrence[]){__VA_ARGS__},                                          \
         COUNT(((const struct occurrence[]){__VA_ARGS__})))

static const struct occurrence as_expected = {.kind = OCCURRENCE_EXPECTED};

/* Until nothing is due any more. */
static void run(void)
{
    for (int i = 0; i < STEPS && decision.next_s != NEVER_S; i++)
        STEP(decision.next_s, as_expected);
    assert_true(decision.next_s == NEVER_S);
    assert_int_equal(engine_status(engine).settled, engine_status(engine).jobs);
}

/* Job `number`, a minute of work on 4 GPUs, without parents. */
static struct occurrence submitted(uint64_t number, int64_t submit_s)
{
    levels[number] = (struct job_level){submit_s + 100000, LEVEL_VALUE_FULL};
    submissions[number] = (struct submission){.id = ids[number],
                                              .number = number,
                                              .throughput = &row,
                                              .model = row.model,
                                              .submit_s = submit_s,
                                              .deadline_s = levels[number].deadline_s,
                                              .iterations = INT64_C(60) * RATE,
                                              .duration_s = 60,
                                              .batch_size = row.batch_size,
                                              .gpus_requested = 4,
                                              .levels = &levels[number],
                                              .level_count = 1};
    return (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &submissions[number]};
}

/* The same, after job `parent`, too. */
static struct occurrence waits_for(uint64_t number, uint64_t parent, bool any)
{
    struct submission *job = &submissions[number];

    parents[number][job->parent_count++] =
        (struct parent){.number = parent, .id = ids[parent], .any = any};
    job->parents = parents[number];
    return (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = job};
}

static struct occurrence about(enum occurrence_kind kind, uint64_t number)
{
    return (struct occurrence){.kind = kind, .row = UINT32_MAX, .job = number};
}

TEST_WITH(a_child_starts_once_its_parents_are_done, NULL, tear_down)
{
    for (size_t i = 0; policy_at(i); i++) {
        struct occurrence told[3];

        if (policy_at(i)->command)
            continue;
        start(policy_at(i)->name);
        told[0] = submitted(0, 5);
        (void)submitted(1, 5);
        told[1] = waits_for(1, 0, false);
        (void)submitted(2, 5);
        (void)waits_for(2, 0, true);
        told[2] = waits_for(2, 1, false);
        step(5, told, 3);
        run();
        for (int k = 0; k < 3; k++)
            if (started_s[k] < 0 || ended_s[k] < 0)
                fail_msg("%s: job %s does not run", policy_at(i)->name, ids[k]);
        if (started_s[1] < ended_s[0] || started_s[2] < ended_s[1])
            fail_msg("%s: a child starts before its parent has ended", policy_at(i)->name);
        engine_destroy(&engine);
    }
}

TEST_WITH(children_of_a_parent_that_failed_are_told_why, NULL, tear_down)
{
    static const struct {
        enum occurrence_kind kind;
        const char *cause;
    } ends[] = {{OCCURRENCE_FAILED, "its parent first failed"},
                {OCCURRENCE_CANCELLED, "its parent first was cancelled"}};

    for (size_t i = 0; policy_at(i); i++)
        for (size_t k = 0; k < COUNT(ends); k++) {
            struct occurrence told[4];

            if (policy_at(i)->command)
                continue;
            start(policy_at(i)->name);
            told[0] = submitted(0, 5);
            (void)submitted(1, 5);
            told[1] = waits_for(1, 0, false);
            (void)submitted(2, 5);
            told[2] = waits_for(2, 1, false);
            (void)submitted(3, 5);
            told[3] = waits_for(3, 0, true);
            step(5, told, 4);
            STEP(20, as_expected, about(ends[k].kind, 0));
            assert_string_equal(causes[1], ends[k].cause);
            assert_string_equal(causes[2], policy_at(i)->plans_chains
                                               ? "its parent second was cancelled"
                                               : "its parent second was declined");
            run();
            assert_int_equal(started_s[1], -1);
            assert_int_equal(started_s[2], -1);
            assert_true(ended_s[3] > 0);
            engine_destroy(&engine);
        }
}

/* The engine forgets a job that is suspended; its children do not. */
TEST_WITH(a_suspended_parent_is_waited_for, NULL, tear_down)
{
    start("fifo");
    STEP(5, submitted(0, 5));
    (void)submitted(1, 5);
    STEP(6, as_expected, waits_for(1, 0, false));
    STEP(20, as_expected, about(OCCURRENCE_SUSPENDED, 0));
    assert_true(engine_awaits(engine, 0));
    assert_true(decision.next_s == NEVER_S);
    STEP(100, submitted(0, 100));
    run();
    assert_true(started_s[1] >= ended_s[0]);
}

TEST_WITH(a_suspended_parent_may_be_cancelled, NULL, tear_down)
{
    start("fifo");
    STEP(5, submitted(0, 5));
    (void)submitted(1, 5);
    STEP(20, as_expected, about(OCCURRENCE_SUSPENDED, 0));
    STEP(30, about(OCCURRENCE_CANCELLED, 0), waits_for(1, 0, false));
    assert_string_equal(causes[1], "its parent first was cancelled");
    run();
}

TEST_WITH(a_child_that_waits_may_be_cancelled, NULL, tear_down)
{
    start("fifo");
    STEP(5, submitted(0, 5));
    (void)submitted(1, 5);
    STEP(6, as_expected, waits_for(1, 0, false));
    STEP(20, as_expected, about(OCCURRENCE_CANCELLED, 1));
    assert_false(engine_awaits(engine, 0));
    run();
    assert_int_equal(started_s[1], -1);
}

/* What is known when the engine is told of a child needs no wait. */
TEST_WITH(parents_may_be_over_before, NULL, tear_down)
{
    struct occurrence told;

    start("fifo");
    (void)submitted(1, 5);
    told = waits_for(1, 0, false);
    parents[1][0].end = PARENT_DONE;
    STEP(5, told);
    assert_int_equal(started_s[1], 5);
    (void)submitted(2, 70);
    told = waits_for(2, 0, false);
    parents[2][0].end = PARENT_LOST;
    STEP(70, as_expected, told);
    assert_string_equal(causes[2], "its parent first was cancelled");
    run();
}

/* A job whose trace submits it later is told then. */
TEST_WITH(no_job_is_declined_before_its_submission, NULL, tear_down)
{
    struct occurrence told[2];

    start("fifo");
    told[0] = submitted(0, 5);
    (void)submitted(1, 1000);
    told[1] = waits_for(1, 0, false);
    step(5, told, 2);
    STEP(20, as_expected, about(OCCURRENCE_FAILED, 0));
    assert_int_equal(decision.next_s, 1000);
    assert_string_equal(causes[1], "");
    STEP(1000, as_expected);
    assert_string_equal(causes[1], "its parent first failed");
    run();
}

int main(void)
{
    return tests_run(NULL, NULL);
}
