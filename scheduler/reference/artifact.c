/* artifact.c - the memory of the artifact's stages, and the jobs that a round is about. */
#include "scheduler/reference/artifact.h"

#include "scheduler/reference/rules.h"

#include <stdlib.h>

/* Whether a layout depends on the order in which jobs are taken off their GPUs. With a single
 * switch nodes are given out in the order of their positions. With a power of two of GPUs on each
 * node a set is always found again (EF-Q23). A policy may also choose its nodes itself, and a
 * scheme may leave jobs where they are. */
static bool order_matters(const engine_t *self, const struct loop_rules *rules)
{
    const int per_node = cluster_gpus_per_node(self->cluster);
    const bool plain_nodes = (per_node & (per_node - 1)) == 0;

    return self->setting.placement->place &&
           (cluster_switches(self->cluster) > 1 || (!plain_nodes && rules->loses_sets));
}

void *artifact_open(engine_t *self)
{
    const struct reference_rules *rules = self->setting.policy->rules;
    struct artifact *memory = xcalloc(1, sizeof(*memory));

    memory->events = event_queue_new();
    aside_open(&memory->aside);
    memory->work_ends = side_table_new(sizeof(int64_t));
    memory->wake_s = NEVER_S;
    memory->rules = &rules->loop;
    memory->order_matters = order_matters(self, memory->rules);
    memory->jobs_stay = !self->setting.placement->place;
    return memory;
}

void artifact_close(void *opened)
{
    struct artifact *memory = opened;

    aside_close(&memory->aside);
    free(memory->forecast.items);
    free(memory->placed.items);
    free(memory->stale);
    side_table_destroy(&memory->work_ends);
    event_queue_destroy(&memory->events);
    free(memory);
}

void artifact_announce(engine_t *self, struct job *job, int64_t at_s)
{
    event_queue_add_start(artifact_of(self)->events, job, at_s > self->now_s ? at_s : self->now_s);
}

void artifact_forget(engine_t *self, struct job *job)
{
    struct error none; /* nothing aborts in a run that ends a job early */

    (void)artifact_release(self, job, &none);
    if (job->state == JOB_SUBMITTED)
        event_queue_drop_start(artifact_of(self)->events, job);
    else
        event_queue_drop_end(artifact_of(self)->events, job);
}

/* Collects the due jobs as the event has them now. */
int artifact_collect(engine_t *self, struct error *error)
{
    const struct event *event = event_queue_catch_up(artifact_of(self)->events, self->now_s);

    (void)error;
    self->arrivals.count = self->due.count = 0;
    if (!event || event->at_s > self->now_s)
        return 0; /* nothing is due, the clock alone has called */
    for (const struct due *due = event->starts; due; due = due->next)
        jobs_append(&self->arrivals, due->job);
    for (const struct due *due = event->ends; due; due = due->next)
        jobs_append(&self->due, due->job);
    self->to_come -= self->arrivals.count;
    return 0;
}

int artifact_collect_first(engine_t *self, struct error *error)
{
    (void)artifact_collect(self, error);
    event_queue_remove(artifact_of(self)->events, self->now_s);
    return 0;
}

int64_t artifact_restart_by_slot(const engine_t *self)
{
    return self->setting.slot_s; /* EF-Q3, CO-Q1 */
}
