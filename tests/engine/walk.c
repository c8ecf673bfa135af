/* walk.c - see walk.h. */
#include "tests/engine/walk.h"

#include "common/memory.h"
#include "scheduler/reference/lease_stages.h"
#include "scheduler/reference/quirks.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct variant variant; /* the policy under the rules of this run */
    submissions_t *jobs;
    struct job *records; /* copies, by number: those of jobs that are over stay */
    engine_t *engine;
    struct decision decision;
    scripted_cluster_t *cluster; /* that says what happens; NULL: all goes as expected */
    struct happening next;       /* as it says */
    char text[400];
};

static void add_job(const struct world *world, const struct oracle_job *given, submissions_t *jobs)
{
    const struct submission job = {
        .id = given->id,
        .throughput = tables_row(world->tables, given->model, (int)given->batch_size),
        .model = given->model,
        .submit_s = (int64_t)given->submit_s,
        .deadline_s = given->best_effort ? DEADLINE_NONE_S : (int64_t)given->deadline_s,
        .iterations = (int64_t)given->iterations,
        .number = submissions_count(jobs),
        .batch_size = (int)given->batch_size,
        .gpus_requested = (int)given->num_gpu,
        .duration_s = (int64_t)given->duration_s,
        .best_effort = given->best_effort};

    submissions_append(jobs, &job);
}

walk_t *walk_of(const char *policy, const char *rules, const struct engine_setting *setting,
                submissions_t *jobs, scripted_cluster_t *cluster)
{
    walk_t *self = xcalloc(1, sizeof(*self));
    struct engine_setting own = *setting;
    struct error error;

    if (policy_with_rules(policy_find(policy), rules, &self->variant, &error) < 0)
        fail_msg("%s", error.text);
    own.policy = &self->variant.policy;
    own.lists_holdings = true;
    own.placement = placement_find(own.policy->placement ? own.policy->placement : "best-fit");
    self->jobs = jobs;
    submissions_sort(self->jobs);
    self->engine = engine_new(&own, &error);
    if (!self->engine)
        fail_msg("%s", error.text);
    self->cluster = cluster;
    if (cluster)
        scripted_cluster_open(cluster, &own);
    return self;
}

walk_t *walk_new(const struct world *world)
{
    const struct engine_setting setting = {.cluster = CLUSTER_OF(world->cluster.switches,
                                                                 world->cluster.nodes_per_switch,
                                                                 world->cluster.gpus_per_node),
                                           .gpu_type = tables_gpu_type(world->tables),
                                           .slot_s = world->slot_s,
                                           .restart_threshold = world->restart_threshold};
    submissions_t *jobs = submissions_new();

    for (size_t i = 0; i < world->job_count; i++)
        add_job(world, &world->jobs[i], jobs);
    return walk_of(world->policy, world->rules, &setting, jobs, NULL);
}

void walk_destroy(walk_t **self)
{
    if (!*self)
        return;
    engine_destroy(&(*self)->engine);
    submissions_destroy(&(*self)->jobs);
    free((*self)->records);
    free(*self);
    *self = NULL;
}

static void step(walk_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count)
{
    struct error error;

    if (engine_step(self->engine, now_s, occurrences, count, &self->decision, &error) < 0)
        fail_msg("%s", error.text);
    for (size_t row = 0; row < submissions_count(self->jobs); row++) {
        const struct job *job = engine_job(self->engine, row);

        if (job)
            self->records[row] = *job;
    }
}

/* All jobs are announced. */
static void begin(walk_t *self)
{
    const size_t count = submissions_count(self->jobs);
    struct occurrence *announced = xcalloc(count, sizeof(*announced));

    for (size_t i = 0; i < count; i++)
        announced[i] = (struct occurrence){.kind = OCCURRENCE_SUBMITTED,
                                           .submission = submissions_at(self->jobs, i)};
    self->records = xcalloc(count, sizeof(*self->records));
    step(self, announced[0].submission->submit_s, announced, count);
    free(announced);
    if (self->cluster)
        scripted_cluster_meet(self->cluster, self->engine, 0);
}

/* What the cluster makes of the decision. Returns whether the run goes on. */
static bool look_ahead(walk_t *self)
{
    struct error error;
    int more;

    if (!self->cluster)
        return self->decision.next_s != NEVER_S;
    more = scripted_cluster_next(self->cluster, self->engine, &self->decision, &self->next, &error);
    if (more < 0)
        fail_msg("%s", error.text);
    return more > 0;
}

/* Everything goes as expected. */
static void go_on(walk_t *self)
{
    const int64_t now_s = self->decision.next_s;
    struct occurrence *progress;
    struct error error;
    const long count = engine_expect(self->engine, now_s, &progress, &error);

    if (count < 0)
        fail_msg("%s", error.text);
    step(self, now_s, progress, (size_t)count);
}

bool walk_round(walk_t *self)
{
    bool more;

    if (!self->records)
        begin(self);
    else if (self->cluster)
        step(self, self->next.now_s, self->next.items, self->next.count);
    else
        go_on(self);
    more = look_ahead(self);
    return self->decision.round == 0 ? walk_round(self) : more;
}

int64_t walk_now_s(const walk_t *self)
{
    return self->decision.now_s;
}

const struct job *walk_job(const walk_t *self, size_t row)
{
    if (row >= submissions_count(self->jobs))
        fail_msg("the trace has no row %zu", row);
    return &self->records[row];
}

size_t walk_job_count(const walk_t *self)
{
    return submissions_count(self->jobs);
}

int walk_gpus_up(const walk_t *self)
{
    return cluster_gpus_up(self->decision.cluster);
}

lease_book_t *walk_leases(const walk_t *self)
{
    const struct chronus_memory *memory = engine_policy_memory(self->engine);

    return memory->book;
}

static int queue_of(const walk_t *self, const struct job *job)
{
    const struct policy *policy = &self->variant.policy;

    return policy->queue_of ? policy->queue_of(engine_policy_memory(self->engine), job) : 0;
}

/* Whether the decision has it hold GPUs: what a policy changes after it, for the next round, is not
 * seen. */
static bool is_holding(const walk_t *self, const struct job *job)
{
    for (size_t i = 0; i < self->decision.holding_count; i++)
        if (self->decision.holdings[i].job->number == job->number)
            return true;
    return false;
}

static void show_job(walk_t *self, const struct job *job)
{
    const size_t used = strlen(self->text);
    char owed[20] = "";
    char queue[20] = "";

    if (job->overhead_s > 0)
        (void)snprintf(owed, sizeof(owed), "+%d", job->overhead_s);
    if (queue_of(self, job) > 0)
        (void)snprintf(queue, sizeof(queue), "Q%d", queue_of(self, job));
    (void)snprintf(self->text + used, sizeof(self->text) - used, "%s%s%c[%" PRId64 "]%s%s",
                   used > 0 ? " " : "", job->submission->id, is_holding(self, job) ? 'R' : 'p',
                   job->attained_s, owed, queue);
}

const char *walk_show(walk_t *self)
{
    self->text[0] = '\0';
    for (size_t row = 0; row < walk_job_count(self); row++) {
        const struct job *job = walk_job(self, row);

        if (job->state == JOB_PENDING || job->state == JOB_RUNNING)
            show_job(self, job);
    }
    return self->text;
}

void walk_all(walk_t *self, const struct walk_step *steps, size_t count,
              const char *(*show)(walk_t *self))
{
    for (size_t i = 0; i < count; i++) {
        const bool more = walk_round(self);

        assert_int_equal(walk_now_s(self), steps[i].now_s);
        if (strcmp(show(self), steps[i].jobs) != 0)
            fail_msg("at %" PRId64 " s: %s, expected %s", steps[i].now_s, show(self),
                     steps[i].jobs);
        assert_int_equal(more, i + 1 < count);
    }
}

void walk_check(const struct world *world, const struct walk_step *steps, size_t count)
{
    walk_t *walk = walk_new(world);

    walk_all(walk, steps, count, walk_show);
    walk_destroy(&walk);
}
