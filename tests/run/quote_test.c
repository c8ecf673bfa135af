/* quote_test.c - in random states of a live engine the deadline that is named is promised to the
 * job that comes next, at any of the moments that were asked for, and a second less is refused at
 * one of these; an easier deadline is never refused; and questions at the arrival of a job change
 * nothing.
 *
 * RUBATO_SEED chooses the first seed, RUBATO_TIMES how many there are. */
#include "scheduler/run/quote.h"

#include "common/memory.h"
#include "common/processes.h"
#include "common/rng.h"
#include "scheduler/placement/placement.h"
#include "scheduler/policies/promising.h"
#include "tests/support/seed.h"
#include "tests/support/tables.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATES   60
#define JOBS_MAX 60
#define ASKED    7  /* deadlines of a job */
#define COMPARED 60 /* likewise, of which none may be refused after an earlier one */

struct world {
    struct inputs inputs;
    struct promising promising;
    engine_t *engine;
    struct decision decision;
    struct submission jobs[JOBS_MAX + 1];
    struct job_level levels[JOBS_MAX + 1];
    struct throughput_row rows[JOBS_MAX + 1];
    size_t count; /* that came */
};

/* ---- what is drawn ---- */

static const struct throughput_row *pick_row(rng_t *rng)
{
    const throughput_table_t *table = tables_for_engine(tables_a100());
    const struct throughput_row *row;

    do /* one model has no rates beyond 8 GPUs */
        row = throughput_row_at(table, rng_below(rng, throughput_count(table)));
    while (!strcmp(row->model, "resnet50_cifar10"));
    return row;
}

/* A job that comes now. */
static struct submission *pick_job(rng_t *rng, struct world *world, int64_t now_s)
{
    const size_t i = world->count;
    const double alone_s = rng_log_uniform(rng, 60, 20000);
    struct throughput_row *row = &world->rows[i];
    struct submission *job = &world->jobs[i];

    *row = *pick_row(rng);
    if (test_pick(rng, 4) == 0)
        throughput_limit(row, 0, 1 << test_pick(rng, 4));
    *job = (struct submission){.id = "job",
                               .number = 1 + i,
                               .throughput = row,
                               .model = row->model,
                               .batch_size = row->batch_size,
                               .submit_s = now_s,
                               .duration_s = (int64_t)alone_s,
                               .gpus_requested = row->gpus[0],
                               .iterations = 1 + (int64_t)(alone_s * row->iters_per_s[0]),
                               .deadline_s = DEADLINE_NONE_S,
                               .best_effort = test_pick(rng, 6) == 0};
    if (job->best_effort)
        return job;
    job->deadline_s = now_s + (int64_t)ceil(alone_s * rng_log_uniform(rng, 0.2, 6));
    job->promise_or_decline = test_pick(rng, 4) == 0;
    world->levels[i] = (struct job_level){job->deadline_s, LEVEL_VALUE_FULL};
    job->levels = &world->levels[i];
    job->level_count = 1;
    return job;
}

static void open_world(rng_t *rng, struct world *world)
{
    static const int slots[] = {0, 1, 30, 60, 240};
    static const struct cluster_spec clusters[] = {CLUSTER_OF(1, 1, 8), CLUSTER_OF(1, 4, 4),
                                                   CLUSTER_OF(2, 4, 8), CLUSTER_OF(1, 16, 8)};
    struct engine_setting *setting = &world->inputs.setting;
    struct error error;

    memset(world, 0, sizeof(*world));
    *setting = (struct engine_setting){.policy = policy_find("rubato"),
                                       .placement = placement_find("best-fit"),
                                       .cluster = clusters[test_pick(rng, COUNT(clusters))],
                                       .gpu_type = "A100",
                                       .slot_s = slots[test_pick(rng, COUNT(slots))],
                                       .restart_threshold = test_pick(rng, 2) ? 100 : 0,
                                       .lists_holdings = true,
                                       .options = &world->promising};
    world->inputs.options = &world->promising;
    world->promising = (struct promising){
        .objective = (enum promise_objective)test_pick(rng, 3),
        .node_loss_s = 700,
        .confidence = test_pick(rng, 3) == 0 ? 95 : 0,
        .spare_nodes = cluster_spec_nodes(&setting->cluster) > 1 && test_pick(rng, 3) == 0};
    world->inputs.throughputs[0] = tables_for_engine(tables_a100());
    world->engine = engine_new(setting, &error);
    assert_non_null(world->engine);
}

static void step(struct world *world, int64_t at_s, const struct occurrence told[], size_t count)
{
    struct error error;

    if (engine_step(world->engine, at_s, told, count, &world->decision, &error) < 0)
        fail_msg("%s", error.text);
}

static void go_on(struct world *world, int64_t at_s)
{
    const struct occurrence expected = {.kind = OCCURRENCE_EXPECTED};

    while (world->decision.next_s < at_s)
        step(world, world->decision.next_s, &expected, 1);
}

/* Jobs of many users come, and now and then a node drains, is gone or is back. */
static void run_world(rng_t *rng, struct world *world)
{
    const int nodes = cluster_spec_nodes(&world->inputs.setting.cluster);
    const double gap_s = rng_log_uniform(rng, 1, 4000);
    const size_t count = (size_t)test_pick(rng, JOBS_MAX);
    int64_t now_s = 0;

    step(world, 0, NULL, 0);
    while (world->count < count) {
        struct occurrence told[3] = {{.kind = OCCURRENCE_SUBMITTED},
                                     {.kind = OCCURRENCE_EXPECTED},
                                     {.until_s = NEVER_S, .cause = "drawn"}};
        size_t more = 2;

        now_s += 1 + (int64_t)(-gap_s * log(1 - rng_unit(rng)));
        go_on(world, now_s);
        told[0].submission = pick_job(rng, world, now_s);
        told[0].job = told[0].submission->number;
        world->count++;
        if (nodes > 1 && test_pick(rng, 8) == 0) {
            told[more++].kind = OCCURRENCE_NODE_UP + (unsigned)test_pick(rng, 3);
            told[2].node = 1 + test_pick(rng, nodes - 1);
        }
        step(world, now_s, told, more);
    }
    if (test_pick(rng, 2))
        go_on(world, now_s + test_pick(rng, 500));
}

/* ---- the next submission, told apart from what quotes do ---- */

struct next {
    struct world *world;
    struct submission job;
    struct job_level level;
};

static void submit_next(void *argument, void *answer)
{
    struct next *next = argument;
    struct world *world = next->world;
    struct occurrence told[2] = {
        {.kind = OCCURRENCE_SUBMITTED, .job = next->job.number, .submission = &next->job},
        {.kind = OCCURRENCE_EXPECTED}};

    go_on(world, next->job.submit_s);
    if (next->job.submit_s == world->decision.now_s)
        told[1].kind = OCCURRENCE_TIMER;
    step(world, next->job.submit_s, told, 2);
    *(int *)answer = 0;
    for (size_t i = 0; i < world->decision.decided_count; i++)
        if (world->decision.decided[i].job->submission->number == next->job.number)
            *(int *)answer = world->decision.decided[i].verdict.kind == VERDICT_PROMISED;
}

static bool is_promised_next(struct world *world, const struct submission *job, int64_t at_s,
                             int64_t deadline_s)
{
    struct next next = {.world = world, .job = *job, .level = {deadline_s, LEVEL_VALUE_FULL}};
    struct error error;
    int answer;

    next.job.submit_s = at_s;
    next.job.deadline_s = deadline_s;
    next.job.best_effort = false;
    next.job.levels = &next.level;
    next.job.level_count = 1;
    if (processes_try(submit_next, &next, &answer, sizeof(answer), &error) < 0)
        fail_msg("%s", error.text);
    return answer;
}

/* ---- tests ---- */

static bool is_promised_throughout(struct world *world, const struct submission *job,
                                   int64_t first_s, int64_t last_s, int64_t deadline_s)
{
    for (int64_t at_s = first_s; at_s <= last_s; at_s++)
        if (!is_promised_next(world, job, at_s, deadline_s))
            return false;
    return true;
}

static void check_named(rng_t *rng, struct world *world, const struct submission *job,
                        const char *which)
{
    const int64_t first_s = world->decision.now_s + test_pick(rng, 50);
    const int64_t last_s = first_s + test_pick(rng, 7);
    struct quote quote;
    struct error error;
    quotes_t *quotes =
        quotes_of(&world->inputs, world->engine, &world->decision, job->number, &error);

    assert_non_null(quotes);
    quotes_set_moments(quotes, first_s, last_s);
    if (quotes_find(quotes, job, 0, &quote, &error) < 0)
        fail_msg("%s: %s", which, error.text);
    quotes_destroy(&quotes);
    if (!quote.promised)
        return;
    if (!is_promised_throughout(world, job, first_s, last_s, quote.deadline_s))
        fail_msg("%s: %" PRId64 " s is named, and refused", which, quote.deadline_s);
    if (is_promised_throughout(world, job, first_s, last_s, quote.deadline_s - 1))
        fail_msg("%s: %" PRId64 " s is named, and a second less is promised", which,
                 quote.deadline_s);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Questions of a copy in which the job comes, and then the verdict. */
struct session {
    struct world *world;
    struct next next;
    int count;
    int64_t deadlines[COMPARED];
    int64_t last_s;
    bool promised[COMPARED + 1]; /* the last one by the round itself */
};

static void ask_all(void *owner)
{
    struct session *self = owner;
    struct verdict verdict;
    struct error error;

    for (int i = 0; i <= self->count; i++) {
        const int64_t deadline_s = i < self->count ? self->deadlines[i] : self->last_s;

        self->next.job.deadline_s = self->next.level.deadline_s = deadline_s;
        if (engine_ask(self->world->engine, &verdict, &error) < 0)
            fail_msg("%s", error.text);
        if (i < self->count)
            self->promised[i] = verdict.kind == VERDICT_PROMISED;
    }
}

static void hold_session(void *argument, void *answer)
{
    struct session *self = argument;

    engine_ask_at_arrival(self->world->engine, self->next.job.number, ask_all, self);
    submit_next(&self->next, &(int){0});
    for (size_t i = 0; i < self->world->decision.decided_count; i++)
        if (self->world->decision.decided[i].job->submission->number == self->next.job.number)
            self->promised[self->count] =
                self->world->decision.decided[i].verdict.kind == VERDICT_PROMISED;
    memcpy(answer, self->promised, sizeof(self->promised));
}

/* The job comes soon, and is asked about by `count` deadlines from tight to easy ones. */
static struct session open_session(rng_t *rng, struct world *world, const struct submission *job,
                                   int count)
{
    struct session session = {
        .world = world, .next = {.world = world, .job = *job}, .count = count};

    session.next.job.submit_s = world->decision.now_s + test_pick(rng, 50);
    session.next.job.best_effort = false;
    session.next.level.value = LEVEL_VALUE_FULL;
    for (int i = 0; i < count; i++)
        session.deadlines[i] = session.next.job.submit_s +
                               (int64_t)((double)job->duration_s * rng_log_uniform(rng, 0.2, 20));
    session.last_s = session.deadlines[test_pick(rng, count)];
    return session;
}

static void ask_in_copy(struct session *session, bool promised[])
{
    struct error error;

    session->next.job.levels = &session->next.level;
    session->next.job.level_count = 1;
    if (processes_try(hold_session, session, promised, sizeof(session->promised), &error) < 0)
        fail_msg("%s", error.text);
}

/* Half of the deadlines are near one of the others, where answers change. */
static void check_easier(rng_t *rng, struct world *world, const struct submission *job,
                         const char *which)
{
    struct session session = open_session(rng, world, job, COMPARED);
    const int64_t around_s = session.deadlines[0] - session.next.job.submit_s;
    bool promised[COMPARED + 1];
    int64_t promised_s = 0;

    for (int i = 1; i < COMPARED; i += 2)
        session.deadlines[i] = session.next.job.submit_s +
                               (int64_t)((double)around_s * rng_log_uniform(rng, 0.8, 1.25));
    qsort(session.deadlines, COMPARED, sizeof(*session.deadlines), compare);
    ask_in_copy(&session, promised);
    for (int i = 0; i < COMPARED; i++)
        if (promised[i])
            promised_s = session.deadlines[i];
        else if (promised_s > 0)
            fail_msg("%s: %" PRId64 " s is promised, and %" PRId64 " s is refused", which,
                     promised_s, session.deadlines[i]);
}

static void check_asked(rng_t *rng, struct world *world, const struct submission *job,
                        const char *which)
{
    struct session session = open_session(rng, world, job, ASKED);
    bool promised[COMPARED + 1];

    ask_in_copy(&session, promised);
    for (int i = 0; i <= ASKED; i++) {
        const int64_t deadline_s = i < ASKED ? session.deadlines[i] : session.last_s;

        if (is_promised_next(world, job, session.next.job.submit_s, deadline_s) != promised[i])
            fail_msg("%s: question %d: %" PRId64 " s is %s when it is submitted", which, i,
                     deadline_s, promised[i] ? "refused" : "promised");
    }
}

typedef void check_fn(rng_t *rng, struct world *world, const struct submission *job,
                      const char *which);

static void check_states(check_fn *check)
{
    const long times = test_times(STATES);
    struct world *world = xcalloc(1, sizeof(*world));

    for (long i = 0; i < times; i++) {
        rng_t rng = rng_new(test_seed() + (uint64_t)i, "quotes");
        char which[64];

        (void)snprintf(which, sizeof(which), "seed %" PRIu64, test_seed() + (uint64_t)i);
        open_world(&rng, world);
        run_world(&rng, world);
        check(&rng, world, pick_job(&rng, world, world->decision.now_s), which);
        engine_destroy(&world->engine);
    }
    free(world);
}

TEST(the_deadline_that_is_named_is_promised_next)
{
    check_states(check_named);
}

TEST(an_easier_deadline_is_not_refused)
{
    check_states(check_easier);
}

/* And the round in which they are asked decides as if none had been. */
TEST(questions_at_arrival_have_the_answers_of_submissions)
{
    check_states(check_asked);
}

int main(void)
{
    return tests_run(tables_set_up, tables_tear_down);
}
