/* rubato_idle_test.c - rounds that look at no job that can hold nothing decide as those that look
 * at all: two engines are told the same, and their decisions are compared as text.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "scheduler/record/decision_text.h"
#include "scheduler/record/record.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS     200
#define JOBS      120
#define ROWS      24
#define STEPS_MAX 400
#define NODES     4

/* ---- what is drawn: most jobs have no deadline, and come faster than they end ---- */

struct play {
    struct throughput_row rows[ROWS];
    struct submission jobs[JOBS];
    struct job_level levels[JOBS];
    char ids[JOBS][16];
    bool away[NODES];
};

static void pick_row(rng_t *rng, struct throughput_row *row)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const int least = 1 << test_pick(rng, 5);

    do {
        *row = *throughput_row_at(table, rng_below(rng, throughput_count(table)));
        throughput_limit(row, least, test_pick(rng, 2) * 16);
    } while (row->level_count == 0);
}

static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s)
{
    const struct throughput_row *row = &play->rows[test_pick(rng, ROWS)];
    const double duration_s = rng_log_uniform(rng, 60, 20000);
    struct submission *job = &play->jobs[i];

    (void)snprintf(play->ids[i], sizeof(play->ids[i]), "job-%zu", i);
    *job = (struct submission){.id = play->ids[i],
                               .number = i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = submit_s,
                               .duration_s = -1,
                               .iterations = 1 + (int64_t)(duration_s * row->iters_per_s[0]),
                               .gpus_requested = row->gpus[0],
                               .deadline_s = DEADLINE_NONE_S,
                               .best_effort = test_pick(rng, 4) > 0};
    if (job->best_effort)
        return;
    job->deadline_s = submit_s + (int64_t)(duration_s * (0.5 + 3 * rng_unit(rng)));
    job->promise_or_decline = test_pick(rng, 4) == 0;
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

static void pick_play(rng_t *rng, struct play *play)
{
    const int gap_s = 1 + test_pick(rng, 600);
    int64_t at_s = 0;

    for (size_t i = 0; i < ROWS; i++)
        pick_row(rng, &play->rows[i]);
    for (size_t i = 0; i < JOBS; i++) {
        at_s += test_pick(rng, gap_s);
        pick_job(rng, play, i, at_s);
    }
}

/* ---- two runs in step ---- */

struct side {
    struct promising options;
    engine_t *engine;
    struct decision decision;
    decision_text_t *written;
    struct text text;
};

static void open_side(struct side *side, int slot_s, uint64_t fails_each, bool looks_at_all)
{
    const struct engine_setting setting = {.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = CLUSTER_OF(1, NODES, 8),
                                           .gpu_type = "A100",
                                           .slot_s = slot_s,
                                           .options = &side->options,
                                           .lists_holdings = true};
    struct error error;

    *side = (struct side){
        .options = {.node_loss_s = 700, .fails_each = fails_each, .looks_at_all = looks_at_all},
        .written = decision_text_new(RECORD_VERSION)};
    side->engine = engine_new(&setting, &error);
    assert_non_null(side->engine);
}

static void close_side(struct side *side)
{
    engine_destroy(&side->engine);
    decision_text_destroy(&side->written);
    text_free(&side->text);
}

static void step(struct side *side, int64_t now_s, const struct occurrence told[], size_t count)
{
    struct error error;

    if (engine_step(side->engine, now_s, told, count, &side->decision, &error) < 0)
        fail_msg("%s", error.text);
    side->text.used = 0;
    decision_text_write(side->written, &side->decision, &side->text);
}

static void step_both(struct side sides[2], int64_t now_s, const struct occurrence told[],
                      size_t count, uint64_t seed)
{
    step(&sides[0], now_s, told, count);
    step(&sides[1], now_s, told, count);
    if (sides[0].text.used != sides[1].text.used ||
        memcmp(sides[0].text.bytes, sides[1].text.bytes, sides[0].text.used) != 0)
        fail_msg("seed %" PRIu64 ", at %" PRId64 " s:\n%.*s\nand\n%.*s", seed, now_s,
                 (int)sides[0].text.used, sides[0].text.bytes, (int)sides[1].text.used,
                 sides[1].text.bytes);
}

/* A job is cancelled, or a node leaves or comes back. */
static struct occurrence pick_trouble(rng_t *rng, struct play *play,
                                      const struct decision *decision)
{
    const int node = test_pick(rng, NODES);

    if (decision->live_count > 0 && test_pick(rng, 2) == 0)
        return (struct occurrence){
            .kind = OCCURRENCE_CANCELLED,
            .row = UINT32_MAX,
            .job = decision->live[test_pick(rng, (int)decision->live_count)]->submission->number};
    play->away[node] = !play->away[node];
    return (struct occurrence){.kind = play->away[node] ? OCCURRENCE_NODE_GONE : OCCURRENCE_NODE_UP,
                               .node = node,
                               .until_s = NEVER_S,
                               .cause = "it left"};
}

static void run(rng_t *rng, struct play *play, struct side sides[2], uint64_t seed)
{
    const struct decision *decision = &sides[0].decision;
    struct occurrence told[JOBS + 2];

    for (size_t i = 0; i < JOBS; i++)
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    step_both(sides, 0, told, JOBS, seed);
    for (int i = 0; i < STEPS_MAX && decision->next_s != NEVER_S; i++) {
        size_t count = 1;

        told[0] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
        if (test_pick(rng, 8) == 0)
            told[count++] = pick_trouble(rng, play, decision);
        step_both(sides, decision->next_s, told, count, seed);
    }
}

TEST(what_is_not_looked_at_changes_nothing)
{
    static const int slots[] = {0, 30, 240};
    static const uint64_t fails[] = {0, 0, 3};
    const uint64_t first = test_seed();

    for (uint64_t seed = first; seed < first + (uint64_t)test_times(SEEDS); seed++) {
        rng_t rng = rng_new(seed, "idle");
        struct play *play = xcalloc(1, sizeof(*play));
        const int slot_s = slots[test_pick(&rng, COUNT(slots))];
        const uint64_t fails_each = fails[test_pick(&rng, COUNT(fails))];
        struct side sides[2];

        pick_play(&rng, play);
        open_side(&sides[0], slot_s, fails_each, false);
        open_side(&sides[1], slot_s, fails_each, true);
        run(&rng, play, sides, seed);
        close_side(&sides[0]);
        close_side(&sides[1]);
        free(play);
    }
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
