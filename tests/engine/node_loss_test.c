/* node_loss_test.c - of 6 nodes one is gone in the middle of a run: jobs that stood on the others
 * stay on their GPUs, under every policy and so under each placement scheme; and it may come
 * back. */
#include "scheduler/engine/engine.h"
#include "scheduler/plan/plan.h"
#include "scheduler/reference/leasing.h"
#include "scheduler/reference/quirks.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <string.h>

#define NODES_MAX 8
#define PER_NODE  4
#define GPUS_MAX  (NODES_MAX * PER_NODE)
#define JOBS      9
#define LOSS_S    1310 /* off the full minute, on which gandiva has jobs take turns */
#define SLOT_S    60
#define BATCH     64

static tables_t *a100;

/* GPUs asked for, when, and how long: the first ends early and leaves a hole. Chronus starts jobs
 * as late as it can, and so has less time. */
static const struct {
    int gpus;
    int submit_s;
    int seconds;
} stated[JOBS] = {{4, 0, 200},    {8, 0, 9000},   {2, 60, 9000},  {1, 60, 9000}, {4, 120, 9000},
                  {2, 180, 9000}, {1, 240, 2000}, {1, 300, 9000}, {2, 360, 9000}};

struct run {
    struct variant variant;
    struct leasing leasing;
    struct submission submissions[JOBS];
    struct job_level levels[JOBS];
    engine_t *engine;
    struct decision decision;
};

/* What each job holds, as far as the decision says. */
struct holdings {
    int gpus[JOBS];
    int ranks[JOBS][GPUS_MAX];
};

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

static void state_jobs(struct run *run)
{
    const struct throughput_row *row = tables_row(a100, "resnet50", BATCH);

    for (size_t i = 0; i < JOBS; i++) {
        double rate = 0;

        for (int k = 0; k < row->level_count; k++)
            rate = row->gpus[k] == stated[i].gpus ? row->iters_per_s[k] : rate;
        run->levels[i] = (struct job_level){
            run->variant.policy.reads_no_tables ? 2000 + stated[i].seconds : 40000,
            LEVEL_VALUE_FULL};
        run->submissions[i] =
            (struct submission){.id = "job",
                                .number = i,
                                .throughput = run->variant.policy.reads_no_tables ? NULL : row,
                                .model = "resnet50",
                                .submit_s = stated[i].submit_s,
                                .deadline_s = run->levels[i].deadline_s,
                                .iterations = (int64_t)(stated[i].seconds * rate),
                                .batch_size = BATCH,
                                .gpus_requested = stated[i].gpus,
                                .duration_s = stated[i].seconds,
                                .levels = &run->levels[i],
                                .level_count = 1};
    }
}

static void step(struct run *run, int64_t now_s, const struct occurrence occurrences[],
                 size_t count)
{
    struct error error;

    if (engine_step(run->engine, now_s, occurrences, count, &run->decision, &error) < 0)
        fail_msg("%s: %s", run->variant.policy.name, error.text);
}

static void begin(struct run *run, const char *policy, const char *scheme,
                  const struct cluster_spec *cluster)
{
    struct occurrence announced[JOBS];
    struct engine_setting setting = {.policy = &run->variant.policy,
                                     .placement = placement_find(scheme),
                                     .cluster = *cluster,
                                     .gpu_type = "A100",
                                     .slot_s = SLOT_S,
                                     .restart_threshold = 100,
                                     .lists_holdings = true};
    struct error error;

    if (policy_with_rules(policy_find(policy), NULL, &run->variant, &error) < 0)
        fail_msg("%s", error.text);
    run->leasing = (struct leasing)LEASING_DEFAULT;
    assert_int_equal(leasing_settle(&run->leasing, SLOT_S, &error), 0);
    setting.options = run->variant.policy.reads_no_tables ? &run->leasing : NULL;
    state_jobs(run);
    run->engine = engine_new(&setting, &error);
    assert_non_null(run->engine);
    for (size_t i = 0; i < JOBS; i++)
        announced[i] =
            (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &run->submissions[i]};
    step(run, 0, announced, JOBS);
}

/* A step at `now_s`: all goes as expected, and `kind` happens to `node`. */
static void go_on_with(struct run *run, int64_t now_s, enum occurrence_kind kind, int node)
{
    struct occurrence *progress;
    struct occurrence all[JOBS + 1];
    struct error error;
    const long count = engine_expect(run->engine, now_s, &progress, &error);

    assert_in_range(count, 0, JOBS);
    if (count > 0)
        memcpy(all, progress, (size_t)count * sizeof(*all));
    all[count] = (struct occurrence){.kind = kind, .node = node, .until_s = NEVER_S};
    step(run, now_s, all, (size_t)count + (kind != OCCURRENCE_PROGRESS));
}

static void go_on_until(struct run *run, int64_t until_s)
{
    while (run->decision.next_s < until_s)
        go_on_with(run, run->decision.next_s, OCCURRENCE_PROGRESS, -1);
}

static void note(const struct run *run, struct holdings *holdings)
{
    memset(holdings, 0, sizeof(*holdings));
    for (size_t i = 0; i < run->decision.holding_count; i++) {
        const struct job *job = run->decision.holdings[i].job;
        const size_t number = job->submission->number;

        holdings->gpus[number] = run->decision.holdings[i].grant.gpus;
        assert_int_equal(cluster_ranks(run->decision.cluster, job, holdings->ranks[number]),
                         holdings->gpus[number]);
    }
}

static bool stands_on(const struct holdings *holdings, int job, int node)
{
    for (int i = 0; i < holdings->gpus[job]; i++)
        if (holdings->ranks[job][i] / PER_NODE == node)
            return true;
    return false;
}

static bool same_gpus(const struct holdings *a, const struct holdings *b, int job)
{
    return memcmp(a->ranks[job], b->ranks[job], sizeof(a->ranks[job])) == 0;
}

/* Nothing is given out twice, or on `lost`. */
static void check_sound(const struct holdings *now, int lost)
{
    bool taken[GPUS_MAX] = {false};

    for (int job = 0; job < JOBS; job++)
        for (int i = 0; i < now->gpus[job]; i++) {
            assert_in_range(now->ranks[job][i], 0, GPUS_MAX - 1);
            assert_false(taken[now->ranks[job][i]]);
            assert_true(lost < 0 || now->ranks[job][i] / PER_NODE != lost);
            taken[now->ranks[job][i]] = true;
        }
}

/* Jobs that hold as many GPUs as before hold the same ones, unless they stood on `lost`. Returns
 * how many these are. */
static int check_stayed(const char *policy, const struct holdings *before,
                        const struct holdings *now, int lost)
{
    int stayed = 0;

    for (int job = 0; job < JOBS; job++) {
        if (before->gpus[job] == 0 || before->gpus[job] != now->gpus[job] ||
            stands_on(before, job, lost))
            continue;
        if (!same_gpus(before, now, job))
            fail_msg("%s: node %d is gone, and job %d moved", policy, lost, job);
        stayed++;
    }
    return stayed;
}

/* Jobs that held GPUs of other nodes hold as many as before. */
static void check_all_stayed(const char *policy, const struct holdings *before,
                             const struct holdings *now, int lost)
{
    for (int job = 0; job < JOBS; job++)
        if (before->gpus[job] > 0 && !stands_on(before, job, lost) &&
            before->gpus[job] != now->gpus[job])
            fail_msg("%s: node %d is gone, and job %d holds %d GPUs instead of %d", policy, lost,
                     job, now->gpus[job], before->gpus[job]);
}

struct trial {
    const char *policy;
    const char *scheme;
    struct cluster_spec cluster;
    bool keeps; /* every job of the other nodes goes on as it is */
    bool lasts; /* rounds that come later move no job either: neither policy nor scheme moves any on
                   its own */
    bool alone; /* one job holds all GPUs, so that none stays */
};

/* EDF plans on powers of two of GPUs only. */
static const struct trial trials[] = {
    {"fifo", "best-fit", CLUSTER_OF(1, 6, 4), .keeps = true, .lasts = true},
    {"fifo-first-fit", "best-fit", CLUSTER_OF(2, 3, 4), .keeps = true, .lasts = true},
    {"srtf", "best-fit", CLUSTER_OF(1, 6, 4), .lasts = true},
    {"ef", "elastic", CLUSTER_OF(1, 6, 4), .lasts = false},
    {"ef", "elastic", CLUSTER_OF(2, 3, 4), .lasts = false},
    {"ef-accessctrl", "elastic", CLUSTER_OF(1, 6, 4), .lasts = false},
    {"ef-accessctrl", "best-fit", CLUSTER_OF(1, 6, 4), .lasts = true},
    {"edf", "elastic", CLUSTER_OF(2, 4, 4), .alone = true},
    {"edf-accessctrl", "elastic", CLUSTER_OF(1, 8, 4), .alone = true},
    {"dlas-gpu", "elastic", CLUSTER_OF(2, 3, 4), .lasts = false},
    {"themis", "elastic", CLUSTER_OF(1, 6, 4), .lasts = false},
    {"gandiva", "gandiva", CLUSTER_OF(1, 6, 4), .lasts = false},
    {"chronus", "best-fit", CLUSTER_OF(1, 6, 4), .lasts = true},
};

static int lose_a_node(const struct trial *trial, int node)
{
    struct run run;
    struct holdings before;
    struct holdings now;
    int stayed;

    begin(&run, trial->policy, trial->scheme, &trial->cluster);
    go_on_until(&run, LOSS_S);
    note(&run, &before);
    go_on_with(&run, LOSS_S, OCCURRENCE_NODE_GONE, node);
    note(&run, &now);
    check_sound(&now, node);
    stayed = check_stayed(trial->policy, &before, &now, node);
    if (trial->keeps)
        check_all_stayed(trial->policy, &before, &now, node);
    for (int i = 0; i < 40 && run.decision.next_s != NEVER_S; i++) {
        before = now;
        go_on_with(&run, run.decision.next_s, OCCURRENCE_PROGRESS, -1);
        note(&run, &now);
        check_sound(&now, node);
        if (trial->lasts)
            (void)check_stayed(trial->policy, &before, &now, node);
    }
    engine_destroy(&run.engine);
    return stayed;
}

TEST(a_node_that_is_gone_moves_no_job_of_the_others)
{
    for (size_t i = 0; i < COUNT(trials); i++) {
        const int nodes = cluster_spec_nodes(&trials[i].cluster);
        int stayed = 0;

        for (int node = 0; node < nodes; node++)
            stayed += lose_a_node(&trials[i], node);
        print_message("%s on %s: %d jobs stayed\n", trials[i].policy, trials[i].scheme, stayed);
        assert_true(stayed >= 2 * nodes || trials[i].alone);
    }
}

/* A node that drains is left by its jobs; once it is back it is given out again. */
TEST(a_node_drains_and_comes_back)
{
    const struct cluster_spec cluster = CLUSTER_OF(1, 6, PER_NODE);
    struct run run;
    struct holdings before;
    struct holdings now;

    begin(&run, "fifo", "best-fit", &cluster);
    go_on_until(&run, LOSS_S);
    note(&run, &before);
    go_on_with(&run, LOSS_S, OCCURRENCE_NODE_DRAINING, 2);
    note(&run, &now);
    check_sound(&now, 2);
    check_all_stayed("fifo", &before, &now, 2);
    assert_int_equal(cluster_gpus_up(run.decision.cluster), 5 * PER_NODE);
    go_on_with(&run, LOSS_S + 10, OCCURRENCE_NODE_GONE, 2);
    note(&run, &before);
    go_on_with(&run, LOSS_S + 20, OCCURRENCE_NODE_UP, 2);
    note(&run, &now);
    assert_int_equal(cluster_gpus_up(run.decision.cluster), 6 * PER_NODE);
    check_sound(&now, -1);
    check_all_stayed("fifo", &before, &now, 2);
    engine_destroy(&run.engine);
}

int main(void)
{
    return tests_run(set_up, tear_down);
}
