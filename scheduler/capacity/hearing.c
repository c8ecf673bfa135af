/* hearing.c - what the source says of nodes and jobs, as the state of capacity. */
#include "scheduler/capacity/capacity_state.h"

#include "common/clock.h"
#include "common/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void wake(const capacity_t *self)
{
    if (self->setting.wake)
        self->setting.wake(self->setting.owner);
}

/* ---- the source itself ---- */

void capacity_hear_welcome(capacity_t *self, const struct msg_scheduler_welcome *welcome)
{
    self->is_attached = true;
    self->welcome_s = clock_s();
    self->heard_parts = self->heard_steps = false;
    self->expected = welcome->workers_expected;
    self->hold_s = (double)welcome->hold_ms / 1000;
    self->heartbeat_ms = welcome->heartbeat_ms;
    self->sent_anew = self->has_plan;
    trained_jobs_unname(self->jobs);
}

void capacity_hear_away(capacity_t *self)
{
    self->is_attached = false;
}

/* ---- nodes ---- */

/* Counts a node that its owner may not use as down. */
static void leave_out(const capacity_t *self, struct capacity_node *node)
{
    char why[sizeof(node->cause) - 66];

    if (!node->up || !self->setting.may_use ||
        self->setting.may_use(self->setting.owner, node, why, sizeof(why)))
        return;
    node->up = false;
    (void)snprintf(node->cause, sizeof(node->cause), "%.63s: %s", node->name, why);
    log_event(&LOG_ABOUT_NOTHING, "not-used", "cause=%s", log_text(node->cause));
}

/* Remembers the loss of a node, even if the node is back before the engine is told. */
static void note_gone(capacity_t *self, struct capacity_node *node)
{
    node->went = true;
    node->left = ++self->departures;
    memcpy(node->why_went, node->cause, sizeof(node->why_went));
    self->changed = self->changed || node < self->nodes + self->cluster_nodes;
}

/* Takes a node as lost that the source does not know any more. */
static void lose_node(capacity_t *self, struct capacity_node *node, const char *cause)
{
    if (!node->up)
        return;
    node->up = false;
    (void)snprintf(node->cause, sizeof(node->cause), "%s", cause);
    note_gone(self, node);
    places_give(self, node);
}

static void update_node(capacity_t *self, struct capacity_node *node, const struct msg_node *from)
{
    const bool was_up = node->up;

    (void)snprintf(node->name, sizeof(node->name), "%s", from->name);
    node->up = from->up;
    node->gpus = from->gpus;
    node->first_rank = from->first_rank;
    (void)snprintf(node->type, sizeof(node->type), "%s", from->type ? from->type : "");
    (void)snprintf(node->user, sizeof(node->user), "%s", from->user ? from->user : "");
    (void)snprintf(node->only, sizeof(node->only), "%s", from->only ? from->only : "");
    (void)snprintf(node->cause, sizeof(node->cause), "%s%s%s", from->name, *from->cause ? ": " : "",
                   from->cause);
    leave_out(self, node);
    if (was_up && !node->up)
        note_gone(self, node);
}

static int compare_numbers(const void *number, const void *node)
{
    return *(const int32_t *)number - ((const struct msg_node *)node)->node;
}

static bool is_among(const struct msg_nodes *nodes, int32_t number)
{
    return nodes->count > 0 &&
           bsearch(&number, nodes->nodes, nodes->count, sizeof(*nodes->nodes), compare_numbers);
}

/* Loses the nodes that a restarted source has not heard of. */
static void miss_nodes(capacity_t *self, const struct msg_nodes *nodes)
{
    for (int i = 0; i < self->node_count; i++)
        if (!is_among(nodes, self->nodes[i].number))
            lose_node(self, &self->nodes[i], "its worker has not come back");
}

static void hear_node(capacity_t *self, const struct msg_node *from)
{
    struct capacity_node *node = places_find(self, from->node);
    bool is_new;

    if (node && !places_suits(self, node, from))
        lose_node(self, node, "another node has its number");
    node = places_take(self, from);
    is_new = node && !node->known;
    self->heard_nodes = true;
    if (!node)
        return;
    if (node < self->nodes + self->cluster_nodes &&
        (node->up != from->up || node->gpus != from->gpus))
        self->changed = true;
    node->known = true;
    update_node(self, node, from);
    if (is_new && node >= self->nodes + self->cluster_nodes)
        log_event(&LOG_ABOUT_NOTHING, "waits-for-place", "name=%s type=%s places=%d",
                  log_text(from->name), *node->type ? log_text(node->type) : "-",
                  self->cluster_nodes);
    if (!node->up)
        places_give(self, node);
}

int capacity_hear_nodes(capacity_t *self, const struct msg_nodes *nodes, struct error *error)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->nodes[i].node < 0 || nodes->nodes[i].node >= NODES_MAX)
            return error_set(error, "node %d is beyond the %d that there may be",
                             nodes->nodes[i].node, NODES_MAX);
    if (nodes->complete)
        miss_nodes(self, nodes);
    for (size_t i = 0; i < nodes->count; i++)
        hear_node(self, &nodes->nodes[i]);
    if (self->round == 0 && capacity_nodes_up(self) < self->expected)
        log_event(&LOG_ABOUT_NOTHING, "waiting", "workers=%d of=%" PRId64, capacity_nodes_up(self),
                  self->expected);
    wake(self);
    return 0;
}

void capacity_hear_until(capacity_t *self, int32_t number, int64_t until_s)
{
    struct capacity_node *node = places_find(self, number);

    if (!node || node->until_s == until_s)
        return;
    node->until_s = until_s;
    self->changed = true;
    wake(self);
}

/* ---- jobs ---- */

/* Whether the report calls for a step at once: a job failed for good, or, in real time, a program
 * ended and perhaps too early. */
static bool calls_for_step(const capacity_t *self, const struct msg_job_report *report)
{
    const struct trained_job *job = trained_jobs_find(self->jobs, report->job);

    if (report->state == JOB_REPORT_DONE)
        return !self->setting.fast_forward && job && !job->done && !job->emulated;
    return report->state == JOB_REPORT_HELD;
}

/* Tells the owner of a report. A loss that the source reports again is told once. */
static void tell_owner(capacity_t *self, const struct msg_job_report *report)
{
    struct trained_job *job = trained_jobs_find(self->jobs, report->job);
    const bool lost = report->state == JOB_REPORT_LOST;

    if (!self->setting.heard || !job || (lost && job->told_lost == report->incarnation))
        return;
    if (lost)
        job->told_lost = report->incarnation;
    self->setting.heard(self->setting.owner, report);
    if (lost)
        wake(self);
}

void capacity_hear_report(capacity_t *self, const struct msg_job_report *report, double ago_s)
{
    const struct run_clock *clock = self->setting.clock;

    self->changed = self->changed || calls_for_step(self, report);
    tell_owner(self, report);
    trained_jobs_report(self->jobs, report, run_clock_now(clock) - ago_s * clock->scale);
    self->paid = self->paid || report->state == JOB_REPORT_STABLE;
    if (self->changed || report->state == JOB_REPORT_DONE || report->state == JOB_REPORT_STABLE)
        wake(self);
}

static void hear_of(capacity_t *self, uint64_t job)
{
    if (self->setting.knows && !self->setting.knows(self->setting.owner, job))
        self->unknown = job;
}

void capacity_hear_heartbeat(capacity_t *self, const struct msg_master_heartbeat *heartbeat)
{
    for (size_t i = 0; i < heartbeat->count; i++) {
        hear_of(self, heartbeat->progress[i].job);
        trained_jobs_progress(self->jobs, &heartbeat->progress[i]);
    }
    if (!self->heard_parts)
        wake(self);
    self->heard_steps = self->heard_parts;
    self->heard_parts = true;
}

void capacity_hear_settled(capacity_t *self, uint64_t round)
{
    self->settled = round;
    wake(self);
}
