/* faulty_run.c - see faulty_run.h. */
#include "tests/replay/faulty_run.h"

#include "scheduler/plan/timeline.h"
#include "scheduler/record/record.h"
#include "scheduler/run/inputs.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define JOBS       8
#define TOLD_MAX   64
#define ROUNDS_MAX 2000

struct faulty {
    struct inputs inputs;
    engine_t *engine;
    record_t *record;
    struct submission submissions[JOBS];
    struct job_level levels[JOBS];
    char ids[JOBS][32];
    struct occurrence told[TOLD_MAX];
    size_t count;
    struct decision decision;
    int64_t steps;
};

static void describe(struct faulty *self, const tables_t *tables)
{
    for (int i = 0; i < JOBS; i++) {
        const bool best_effort = i % 4 == 3;
        const int64_t submit_s = 70 * (int64_t)i;

        (void)snprintf(self->ids[i], sizeof(self->ids[i]), "job \"%d\"\\", i);
        self->levels[i] = (struct job_level){
            submit_s + (i % 4 == 1 ? 2600 : 4000) + 900 * (int64_t)i, LEVEL_VALUE_FULL};
        self->submissions[i] = (struct submission){
            .id = self->ids[i],
            .number = (uint64_t)i,
            .throughput = tables_row(tables, i % 2 ? "vgg16" : "resnet50", 128),
            .model = i % 2 ? "vgg16" : "resnet50",
            .submit_s = submit_s,
            .deadline_s = best_effort ? DEADLINE_NONE_S : self->levels[i].deadline_s,
            .iterations = 4000 + 1700 * (int64_t)i,
            .line = (uint32_t)i + 2,
            .batch_size = 128,
            .gpus_requested = 1 << i % 3,
            .duration_s = 500 + 90 * (int64_t)i,
            .best_effort = best_effort,
            .levels = best_effort ? NULL : &self->levels[i],
            .level_count = best_effort ? 0 : 1};
    }
}

static struct occurrence *tell(struct faulty *self, enum occurrence_kind kind)
{
    struct occurrence *occurrence = &self->told[self->count++];

    assert_true(self->count <= TOLD_MAX);
    *occurrence =
        (struct occurrence){.kind = kind, .row = UINT32_MAX, .node = -1, .until_s = NEVER_S};
    return occurrence;
}

static void tell_node(struct faulty *self, enum occurrence_kind kind, int node, const char *cause)
{
    struct occurrence *occurrence = tell(self, kind);

    occurrence->node = node;
    occurrence->cause = cause;
}

static void slow_down(struct occurrence *progress)
{
    progress->deviates = true;
    progress->pace = 0.7;
    progress->progress.iterations *= 0.7;
    progress->progress.done = progress->progress.iterations_done = false;
    progress->cause = "it runs on a \"slow\" node";
}

/* As expected in every other step; else now and then the third of those that hold GPUs is slow. */
static void tell_progress(struct faulty *self, int64_t now_s)
{
    struct occurrence *expected;
    struct error error;
    long count;

    if (self->steps % 2 == 1) {
        tell(self, OCCURRENCE_EXPECTED);
        return;
    }
    count = engine_expect(self->engine, now_s, &expected, &error);
    assert_in_range(count, 0, TOLD_MAX / 2);
    for (long i = 0; i < count; i++) {
        if (i == 2 && self->steps % 5 == 1)
            slow_down(&expected[i]);
        self->told[self->count++] = expected[i];
    }
}

static void tell_faults(struct faulty *self)
{
    switch (self->steps) {
    case 3:
        tell_node(self, OCCURRENCE_NODE_GONE, 1, "no sign of life\nfor 8 s");
        break;
    case 5:
        tell(self, OCCURRENCE_CANCELLED)->job = 2;
        tell(self, OCCURRENCE_TIMER);
        break;
    case 6:
        tell_node(self, OCCURRENCE_NODE_UP, 1, NULL);
        self->told[self->count - 1].gpus = 2;
        break;
    case 8:
        tell(self, OCCURRENCE_FAILED)->job = 1;
        self->told[self->count - 1].cause = "it ended with status 3, three times";
        break;
    case 9:
        tell_node(self, OCCURRENCE_NODE_DRAINING, 0, "on request");
        break;
    case 11:
        tell_node(self, OCCURRENCE_NODE_UP, 0, NULL);
        break;
    default:
        break;
    }
}

static int64_t step(struct faulty *self, int64_t now_s)
{
    const struct occurrence *told =
        record_occurrences(self->record, self->engine, now_s, self->told, self->count);
    struct error error;
    const int status = engine_step(self->engine, now_s, told, self->count, &self->decision, &error);

    if (status < 0)
        print_message("%s\n", error.text);
    assert_int_equal(status, 0);
    record_decision(self->record, &self->decision, false, NULL);
    self->steps++;
    self->count = 0;
    return self->decision.next_s;
}

/* One that holds GPUs pays more than was foreseen. */
static void tell_payment(struct faulty *self)
{
    struct occurrence *paid;

    if (self->decision.holding_count == 0)
        return;
    paid = tell(self, OCCURRENCE_PAID);
    paid->job = self->decision.holdings[0].job->submission->number;
    paid->overhead_s = 23;
}

static void open_run(struct faulty *self, const char *policy, const char *path)
{
    struct simulation simulation = SIMULATION_DEFAULT;
    policy_values_t *values = policy_values_new('-');
    struct record_setting setting;
    struct error error;

    simulation.policy = policy;
    simulation.described = (struct cluster_spec)CLUSTER_OF(1, 4, 4);
    policy_values_set(values, "solver", "none");
    simulation.values = values;
    simulation.shares_values = true;
    assert_int_equal(inputs_settle(&self->inputs, &simulation, &error), 0);
    policy_values_destroy(&values);
    self->inputs.setting.lists_holdings = true;
    setting = inputs_recorded(&self->inputs, &simulation);
    self->inputs.setting.lists_holdings = true;
    self->engine = engine_new(&self->inputs.setting, &error);
    self->record = record_new(path, true, &setting, true, &error);
    assert_non_null(self->engine);
    assert_non_null(self->record);
}

/* Some jobs are known from the beginning, the others come while it runs. */
static void run(struct faulty *self)
{
    int64_t next_s = 0;
    int64_t now_s = 0;
    int submitted = 0;

    while (next_s != NEVER_S || submitted < JOBS) {
        now_s = next_s != NEVER_S && next_s > now_s ? next_s : now_s + 60;
        if (self->steps > 0)
            tell_progress(self, now_s);
        for (; submitted < JOBS && (submitted < 5 || self->steps > 3); submitted++)
            tell(self, OCCURRENCE_SUBMITTED)->submission = &self->submissions[submitted];
        tell_faults(self);
        next_s = step(self, now_s);
        if (self->steps == 4) {
            tell_payment(self);
            next_s = step(self, now_s);
        }
        assert_true(self->steps < ROUNDS_MAX);
    }
}

int64_t faulty_run(const char *policy, const char *path)
{
    struct faulty self = {.count = 0};
    tables_t *tables = tables_new("A100");
    struct error error;

    describe(&self, tables);
    open_run(&self, policy, path);
    run(&self);
    assert_int_equal(record_commit(&self.record, RECORD_OVER, NULL, &error), 0);
    engine_destroy(&self.engine);
    inputs_free(&self.inputs);
    tables_destroy(&tables);
    return self.steps;
}
