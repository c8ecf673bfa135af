/* nodes.c - what becomes of jobs when nodes leave, drain or come back, and of those that end before they
 * are done. Only what stood on a node that is lost moves. */
#include "scheduler/engine/round.h"

#include <assert.h>
#include <stdio.h>

static void rescale(engine_t *self)
{
    self->usable_gpus = cluster_gpus_up(self->cluster);
    self->lost_nodes = true;
    for (size_t i = 0; i < self->scalings.count && self->usable_gpus > 0; i++) {
        struct scaling *scaling = self->scalings.items[i];
        struct error ignored; /* the row was good when the job came */

        if (scaling->row)
            (void)scaling_init(scaling, scaling->row, scaling->gpus_max,
                               round_usable_gpus(self, scaling->gpus_max), &ignored);
    }
}

/* A job that stood on the node holds nothing any more, whatever the policy makes of it. */
static void evict(engine_t *self, int node)
{
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        if (job->held >= 0 && job->level > 0 && cluster_stands_on(self->cluster, job, node))
            round_hold(self, job, 0);
    }
}

static void write_cause(char *text, size_t size, const struct occurrence *occurrence,
                        const char *what)
{
    const char *cause = occurrence->cause ? occurrence->cause : "";

    (void)snprintf(text, size, "node %d %s%s%s", occurrence->node, what, *cause ? ": " : "",
                   cause);
}

/* Draining is a loss that is announced: the node takes no job any more, and those on it go elsewhere. */
static void lose_node(engine_t *self, const struct occurrence *occurrence)
{
    const bool drains = occurrence->kind == OCCURRENCE_NODE_DRAINING;
    char text[256];

    if (!cluster_is_up(self->cluster, occurrence->node))
        return;
    if (self->stages.lose_node)
        self->stages.lose_node(self, occurrence->node);
    else
        evict(self, occurrence->node);
    cluster_set_up(self->cluster, occurrence->node, false);
    write_cause(text, sizeof(text), occurrence, drains ? "drains" : "left");
    round_disturb(self, drains ? DISTURBANCE_NODE_DRAINING : DISTURBANCE_NODE_DOWN, NULL,
                  occurrence->node, text);
}

static void gain_node(engine_t *self, const struct occurrence *occurrence)
{
    char text[256];

    if (cluster_is_up(self->cluster, occurrence->node))
        return;
    cluster_set_up(self->cluster, occurrence->node, true);
    if (self->stages.gain_node)
        self->stages.gain_node(self, occurrence->node);
    write_cause(text, sizeof(text), occurrence, "joined");
    round_disturb(self, DISTURBANCE_NODE_UP, NULL, occurrence->node, text);
}

/* ---- jobs that end before they are done ---- */

static bool arrives_now(const engine_t *self, const struct job *job)
{
    for (size_t i = 0; i < self->arrivals.count; i++)
        if (self->arrivals.items[i] == job)
            return true;
    return false;
}

static void end_early(engine_t *self, const struct occurrence *occurrence)
{
    const bool failed = occurrence->kind == OCCURRENCE_FAILED;
    struct job *job = job_table_find(self->jobs, occurrence->row, occurrence->job);
    struct findings *findings = &self->findings;

    if (!job || job_is_over(job))
        return;
    self->stages.forget(self, job);
    if (job->state == JOB_RUNNING)
        self->status.accepted -= !job->submission->best_effort;
    self->to_come -= job->state == JOB_SUBMITTED && !arrives_now(self, job);
    self->status.declined += failed;
    self->status.settled++;
    if (job->promise.state == PROMISE_STANDS)
        job->promise.state = failed ? PROMISE_BROKEN : PROMISE_WITHDRAWN;
    round_hold(self, job, 0);
    job->state = failed ? JOB_FAILED : JOB_CANCELLED;
    findings->over =
        grow_array(findings->over, findings->over_count, &findings->over_room, sizeof(job));
    findings->over[findings->over_count++] = job;
    if (failed)
        round_disturb(self, DISTURBANCE_HELD, job, -1, occurrence->cause ? occurrence->cause : "");
}

static bool is_about_node(const struct occurrence *occurrence)
{
    return occurrence->kind == OCCURRENCE_NODE_UP || occurrence->kind == OCCURRENCE_NODE_GONE ||
           occurrence->kind == OCCURRENCE_NODE_DRAINING;
}

static bool is_early_end(const struct occurrence *occurrence)
{
    return occurrence->kind == OCCURRENCE_FAILED || occurrence->kind == OCCURRENCE_CANCELLED;
}

static void drop_ended(engine_t *self)
{
    jobs_keep_live(&self->live);
    jobs_keep_live(&self->running);
    jobs_keep_live(&self->pending);
    jobs_keep(&self->arrivals, JOB_SUBMITTED);
}

void round_change_nodes(engine_t *self, const struct occurrence occurrences[], size_t count)
{
    size_t changes = 0;
    size_t ends = 0;

    for (size_t i = 0; i < count; i++)
        if (is_about_node(&occurrences[i])) {
            if (occurrences[i].kind == OCCURRENCE_NODE_UP)
                gain_node(self, &occurrences[i]);
            else
                lose_node(self, &occurrences[i]);
            changes++;
        }
    if (changes > 0) {
        self->layout_is_old = true;
        rescale(self);
    }
    for (size_t i = 0; i < count; i++)
        if (is_early_end(&occurrences[i])) {
            end_early(self, &occurrences[i]);
            ends++;
        }
    self->early_ends = ends;
    if (ends > 0)
        drop_ended(self);
}
