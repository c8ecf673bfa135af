/* rubato_turns_test.c - under rubato jobs that no deadline drives share what is left: whatever jobs
 * come, the first of them that waits does so for at most 20 slots, of 30 s at least, while others
 * keep GPUs that would do for it. No promise is broken for that.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "common/memory.h"
#include "common/rng.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS      1000
#define JOBS       60
#define RANKS_MAX  256
#define WAIT_SLOTS 20
#define SLOT_S_MIN 30

static uint64_t seed;

/* ---- what is drawn ---- */

struct play {
    struct cluster_spec cluster;
    int64_t slot_s;
    struct throughput_row rows[JOBS];
    struct submission jobs[JOBS];
    struct job_level levels[JOBS];
    char ids[JOBS][16];
};

/* Of a model that runs on 1 to 32 GPUs at least, and on all of them at most or on few. */
static void pick_row(rng_t *rng, struct throughput_row *row)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const int least = test_pick(rng, 2) ? 1 : 1 << test_pick(rng, 6);
    const int most = test_pick(rng, 3) ? 0 : least << test_pick(rng, 2);

    do {
        *row = *throughput_row_at(table, rng_below(rng, throughput_count(table)));
        throughput_limit(row, least, most);
    } while (row->level_count == 0 || !(row->iters_per_s[0] > 0));
}

/* Most have no deadline, some are late from the first moment on, some can be in time. */
static void pick_job(rng_t *rng, struct play *play, size_t i, int64_t submit_s)
{
    const double duration_s = rng_log_uniform(rng, 5, test_pick(rng, 3) ? 4000 : 200000);
    struct throughput_row *row = &play->rows[i];
    struct submission *job = &play->jobs[i];
    const int kind = test_pick(rng, 4);

    pick_row(rng, row);
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
                               .best_effort = kind > 1};
    if (job->best_effort)
        return;
    job->deadline_s =
        submit_s + (int64_t)(duration_s * (kind == 0 ? 0.01 : 0.5 + 4 * rng_unit(rng)));
    play->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &play->levels[i];
    job->level_count = 1;
}

static void pick_play(rng_t *rng, struct play *play)
{
    static const struct cluster_spec clusters[] = {
        CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 1, 1), CLUSTER_OF(1, 4, 8), CLUSTER_OF(2, 2, 4),
        CLUSTER_OF(1, 3, 8), CLUSTER_OF(1, 5, 4), CLUSTER_OF(1, 16, 8)};
    static const int slots[] = {0, 1, 30, 60, 240};
    const int gap_s = 1 + test_pick(rng, 2000);
    int64_t at_s = 0;

    play->cluster = clusters[test_pick(rng, COUNT(clusters))];
    play->slot_s = slots[test_pick(rng, COUNT(slots))];
    for (size_t i = 0; i < JOBS; i++) {
        at_s += test_pick(rng, 3) ? test_pick(rng, gap_s) : 0;
        pick_job(rng, play, i, at_s);
    }
}

/* ---- what is looked at ---- */

struct stretch {
    int64_t waits_s; /* since when it waits, and no deadline drives it; NEVER_S: it does not */
    int64_t fits_s;  /* since when it would fit beside those that a deadline drives */
    int64_t first_s; /* since when it is the first of those that wait and would fit */
    int64_t holds_s; /* since when it holds GPUs, and no deadline drives it */
    bool was_promised;
};

struct watch {
    const struct play *play;
    struct stretch stretches[JOBS];
    int waits; /* that ended, so that the test looks at some */
};

static double fastest(const struct job *job)
{
    double best = 0;

    for (int level = 1; level <= job->scaling->reach; level++)
        best = fmax(best, job->scaling->rate[level]);
    return best;
}

/* A job with a deadline is left out as long as it might be in time. */
static bool is_undriven(const struct job *job, int64_t now_s)
{
    if (job->promise.state == PROMISE_STANDS || job->submission->promise_or_decline)
        return false;
    return job->submission->best_effort || (double)now_s + job->iterations_left / fastest(job) >
                                               (double)job->submission->deadline_s;
}

/* Who holds each GPU, counted as the policy does. */
struct seats {
    const struct job *holders[RANKS_MAX];
    int count;
};

static struct seats seats_of(const struct decision *decision)
{
    struct seats seats = {.count = cluster_gpus(decision->cluster)};

    for (size_t i = 0; i < decision->live_count; i++)
        for (int k = 0; k < job_gpus(decision->live[i]); k++)
            seats.holders[decision->live[i]->seat.rank + k] = decision->live[i];
    return seats;
}

/* The most GPUs, a power of two of them side by side from a multiple of that on, that none holds
 * whom a deadline drives. */
static int largest_block(const struct seats *seats, int64_t now_s)
{
    int best = 0;

    for (int size = 1; size <= seats->count; size *= 2)
        for (int first = 0; first + size <= seats->count; first += size) {
            int k = first;

            while (k < first + size &&
                   (!seats->holders[k] || is_undriven(seats->holders[k], now_s)))
                k++;
            best = k == first + size ? size : best;
        }
    return best;
}

static int least_gpus(const struct job *job)
{
    return job->submission->throughput->gpus[0];
}

/* Sets `since_s` to `now_s` where something begins, and to NEVER_S where it is not so. */
static void note(int64_t *since_s, bool is_so, int64_t now_s)
{
    if (!is_so)
        *since_s = NEVER_S;
    else if (*since_s == NEVER_S)
        *since_s = now_s;
}

static bool is_before(const struct watch *watch, const struct job *a, const struct job *b)
{
    const struct stretch *first = &watch->stretches[a->number];
    const struct stretch *second = &watch->stretches[b->number];

    if (first->was_promised != second->was_promised)
        return first->was_promised;
    return first->waits_s != second->waits_s ? first->waits_s < second->waits_s
                                             : a->arrival < b->arrival;
}

static void note_first(struct watch *watch, const struct decision *decision)
{
    const struct job *first = NULL;

    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        const struct stretch *stretch = &watch->stretches[job->number];

        if (stretch->waits_s != NEVER_S && stretch->fits_s != NEVER_S &&
            (!first || is_before(watch, job, first)))
            first = job;
    }
    for (size_t i = 0; i < decision->live_count; i++)
        note(&watch->stretches[decision->live[i]->number].first_s, decision->live[i] == first,
             decision->now_s);
}

static void note_stretches(struct watch *watch, const struct decision *decision,
                           const struct seats *seats)
{
    const int block = largest_block(seats, decision->now_s);

    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        struct stretch *stretch = &watch->stretches[job->number];
        const bool is_free = is_undriven(job, decision->now_s);
        const bool waited = stretch->waits_s != NEVER_S;

        note(&stretch->waits_s, is_free && !job_holds(job), decision->now_s);
        note(&stretch->holds_s, is_free && job_holds(job), decision->now_s);
        note(&stretch->fits_s, least_gpus(job) <= block, decision->now_s);
        watch->waits += waited && job_holds(job);
    }
    note_first(watch, decision);
}

static bool has_lasted(const struct watch *watch, int64_t since_s, int64_t now_s)
{
    const int64_t slot_s = watch->play->slot_s > SLOT_S_MIN ? watch->play->slot_s : SLOT_S_MIN;

    return since_s != NEVER_S && now_s - since_s > WAIT_SLOTS * slot_s;
}

/* Whether some jobs keep `gpus` GPUs, side by side, that would do for another. */
static bool is_kept(const struct watch *watch, const struct seats *seats, int gpus, int64_t now_s)
{
    for (int first = 0; first + gpus <= seats->count; first += gpus) {
        int kept = 0;
        int k = first;

        for (; k < first + gpus; k++) {
            const struct job *job = seats->holders[k];

            if (job && !has_lasted(watch, watch->stretches[job->number].holds_s, now_s))
                break;
            kept += job != NULL;
        }
        if (k == first + gpus && kept > 0)
            return true;
    }
    return false;
}

static void check_stretches(const struct watch *watch, const struct decision *decision,
                            const struct seats *seats)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        const struct stretch *stretch = &watch->stretches[job->number];

        if (has_lasted(watch, stretch->first_s, decision->now_s) &&
            is_kept(watch, seats, least_gpus(job), decision->now_s))
            fail_msg("seed %" PRIu64 ", at %" PRId64 " s: %s is the first that waits since %" PRId64
                     " s, while others keep %d GPUs",
                     seed, decision->now_s, job->submission->id, stretch->first_s, least_gpus(job));
    }
}

static void check_promises(struct watch *watch, const struct decision *decision)
{
    for (size_t i = 0; i < decision->live_count; i++) {
        const struct job *job = decision->live[i];
        struct stretch *stretch = &watch->stretches[job->number];

        stretch->was_promised = stretch->was_promised || job->promise.state == PROMISE_STANDS;
        if (stretch->was_promised && job->promise.state != PROMISE_STANDS)
            fail_msg("seed %" PRIu64 ": the promise of %s is withdrawn", seed, job->submission->id);
    }
    for (size_t i = 0; i < decision->retired_count; i++) {
        const struct job *job = decision->retired[i].job;

        if (watch->stretches[job->number].was_promised &&
            job_ended_s(job) > (double)job->submission->deadline_s)
            fail_msg("seed %" PRIu64 ": the promise of %s is broken", seed, job->submission->id);
    }
}

/* ---- a run ---- */

static void run(struct play *play, struct watch *watch)
{
    const struct promising options = PROMISING_DEFAULT;
    const struct engine_setting setting = {.policy = policy_find("rubato"),
                                           .placement = placement_find("best-fit"),
                                           .cluster = play->cluster,
                                           .gpu_type = "A100",
                                           .slot_s = play->slot_s,
                                           .restart_threshold = 100,
                                           .options = &options};
    struct occurrence told[JOBS];
    struct seats seats;
    struct decision decision = {.next_s = 0};
    size_t count = JOBS;
    struct error error;
    engine_t *engine = engine_new(&setting, &error);

    assert_non_null(engine);
    *watch = (struct watch){.play = play, .waits = watch->waits};
    for (size_t i = 0; i < JOBS; i++) {
        watch->stretches[i] = (struct stretch){NEVER_S, NEVER_S, NEVER_S, NEVER_S, false};
        told[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED, .submission = &play->jobs[i]};
    }
    while (decision.next_s != NEVER_S) {
        if (engine_step(engine, decision.next_s, told, count, &decision, &error) < 0)
            fail_msg("seed %" PRIu64 ": %s", seed, error.text);
        seats = seats_of(&decision);
        note_stretches(watch, &decision, &seats);
        check_stretches(watch, &decision, &seats);
        check_promises(watch, &decision);
        told[0] = (struct occurrence){.kind = OCCURRENCE_EXPECTED};
        count = 1;
    }
    engine_destroy(&engine);
}

TEST(no_job_waits_while_another_keeps_what_it_needs)
{
    const uint64_t first = test_seed();
    const long seeds = test_times(SEEDS);
    struct play *play = xcalloc(1, sizeof(*play));
    struct watch *watch = xcalloc(1, sizeof(*watch));

    for (seed = first; seed < first + (uint64_t)seeds; seed++) {
        rng_t rng = rng_new(seed, "turns");

        pick_play(&rng, play);
        run(play, watch);
    }
    assert_true(watch->waits > seeds);
    free(watch);
    free(play);
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
