/* walk.c - see walk.h. */
#include "tests/engine/walk.h"

#include "common/memory.h"
#include "scheduler/engine/engine.h"
#include "scheduler/policies/quirks.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct policy policy; /* under the rules of this run */
    job_list_t *jobs;
    report_t *report;
    engine_t *engine;
    int64_t now_s;
    char text[400];
};

static void add_job(walk_t *self, const struct world *world, const struct oracle_job *given)
{
    const struct job job = {
        .id = given->id,
        .throughput = tables_row(world->tables, given->model, (int)given->batch_size),
        .model = given->model,
        .submit_s = (int64_t)given->submit_s,
        .deadline_s = given->best_effort ? DEADLINE_NONE_S : (int64_t)given->deadline_s,
        .iterations = (int64_t)given->iterations,
        .number = (uint32_t)job_list_count(self->jobs),
        .batch_size = (int)given->batch_size,
        .gpus_requested = (int)given->num_gpu,
        .duration_s = (int64_t)given->duration_s,
        .best_effort = given->best_effort};

    job_list_append(self->jobs, &job);
}

walk_t *walk_new(const struct world *world)
{
    walk_t *self = xcalloc(1, sizeof(*self));
    struct engine_setting setting = {
        .policy = &self->policy,
        .cluster = {.switches = world->cluster.switches,
                    .nodes_per_switch = world->cluster.nodes_per_switch,
                    .gpus_per_node = world->cluster.gpus_per_node},
        .gpu_type = tables_gpu_type(world->tables),
        .slot_s = world->slot_s,
        .restart_threshold = world->restart_threshold};
    struct error error;

    if (policy_with_rules(policy_find(world->policy), world->rules, &self->policy, &error) < 0)
        fail_msg("%s", error.text);
    setting.placement = placement_find(self->policy.placement ? self->policy.placement : "elastic");
    self->jobs = job_list_new();
    for (size_t i = 0; i < world->job_count; i++)
        add_job(self, world, &world->jobs[i]);
    job_list_sort(self->jobs);
    self->report = report_new(NULL, &error);
    self->engine = engine_new(&setting, self->jobs, self->report, &error);
    if (!self->engine)
        fail_msg("%s", error.text);
    return self;
}

void walk_destroy(walk_t **self)
{
    if (!*self)
        return;
    engine_destroy(&(*self)->engine);
    report_destroy(&(*self)->report);
    job_list_destroy(&(*self)->jobs);
    free(*self);
    *self = NULL;
}

bool walk_round(walk_t *self)
{
    struct error error;
    int more;

    self->now_s = engine_status(self->engine).now_s;
    more = engine_round(self->engine, &error);
    if (more < 0)
        fail_msg("%s", error.text);
    return more == 1;
}

int64_t walk_now_s(const walk_t *self)
{
    return self->now_s;
}

const struct job *walk_job(const walk_t *self, size_t row)
{
    for (size_t i = 0; i < job_list_count(self->jobs); i++)
        if (job_list_at(self->jobs, i)->number == row)
            return job_list_at(self->jobs, i);
    fail_msg("the trace has no row %zu", row);
    return NULL;
}

static void show_job(walk_t *self, const struct job *job)
{
    const size_t used = strlen(self->text);
    char owed[20] = "";
    char queue[20] = "";

    if (job->overhead_s > 0)
        (void)snprintf(owed, sizeof(owed), "+%d", job->overhead_s);
    if (job->note.queue > 0)
        (void)snprintf(queue, sizeof(queue), "Q%d", job->note.queue);
    (void)snprintf(self->text + used, sizeof(self->text) - used, "%s%s%c[%" PRId64 "]%s%s",
                   used > 0 ? " " : "", job->id, job->level > 0 ? 'R' : 'p', job->attained_s, owed,
                   queue);
}

const char *walk_show(walk_t *self)
{
    self->text[0] = '\0';
    for (size_t row = 0; row < job_list_count(self->jobs); row++) {
        const struct job *job = walk_job(self, row);

        if (job->state == JOB_PENDING || job->state == JOB_RUNNING)
            show_job(self, job);
    }
    return self->text;
}

void walk_check(const struct world *world, const struct walk_step *steps, size_t count)
{
    walk_t *walk = walk_new(world);

    for (size_t i = 0; i < count; i++) {
        const bool more = walk_round(walk);

        assert_int_equal(walk_now_s(walk), steps[i].now_s);
        if (strcmp(walk_show(walk), steps[i].jobs) != 0)
            fail_msg("at %" PRId64 " s: %s, expected %s", steps[i].now_s, walk_show(walk),
                     steps[i].jobs);
        assert_int_equal(more, i + 1 < count);
    }
    walk_destroy(&walk);
}
