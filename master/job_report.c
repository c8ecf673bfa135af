/* job_report.c - reports to the scheduler about jobs and nodes. */
#include "common/log.h"
#include "common/memory.h"
#include "master/dispatch_state.h"
#include "master/lineage.h"
#include "master/node_gpus.h"
#include "master/plan_run_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A message has room for far more progress reports than these. */
#define PROGRESS_MAX ((size_t)8192)

static void say(plan_run_t *self, struct planned_job *job, const struct msg_job_report *report)
{
    /* `cause` may be the text that is kept already. */
    if (report->cause != job->cause)
        (void)snprintf(job->cause, sizeof(job->cause), "%s", report->cause);
    job->said = *report;
    job->said.cause = job->cause;
    if (self->present)
        self->calls->job_report(self->calls_owner, &job->said);
}

void report_state(plan_run_t *self, struct planned_job *job, enum job_report_state state,
                  int64_t step, const char *cause)
{
    const struct msg_job_report report = {
        .round = self->round,
        .job = job->number,
        .incarnation = job->last_number,
        .state = state,
        .step = step,
        .cause = cause,
    };

    if (job->orphan)
        return;
    say(self, job, &report);
}

void report_done(plan_run_t *self, struct planned_job *job)
{
    const struct msg_job_report report = {
        .round = self->round,
        .job = job->number,
        .incarnation = job->last_number,
        .state = JOB_REPORT_DONE,
        .step = job->done_step,
        .ended_us = job->done_us,
        .cause = "",
    };

    if (!job->orphan)
        say(self, job, &report);
}

void report_stable(plan_run_t *self, struct planned_job *job)
{
    const struct incarnation *incarnation = job->current;
    const struct remote_part *first = incarnation_first(incarnation);
    struct msg_job_report report = {
        .round = self->round,
        .job = job->number,
        .incarnation = incarnation->number,
        .state = JOB_REPORT_STABLE,
        .step = first->step >= 0 ? first->step : incarnation->step,
        .rate = first->rate,
        .cause = "",
    };

    /* The job trains when its slowest part does. */
    for (size_t i = 0; i < incarnation->part_count; i++) {
        const struct remote_part *part = &incarnation->parts[i];

        report.emulated = report.emulated || part->emulated;
        if (part->overhead_ms > report.overhead_ms)
            report.overhead_ms = part->overhead_ms;
    }
    job->told_stable = incarnation->number;
    say(self, job, &report);
}

void report_if_waiting(plan_run_t *self, struct planned_job *job)
{
    const struct worker_node *node = job->current ? lineage_awaited_node(job->current) : NULL;
    char cause[NODE_CAUSE_MAX];

    if (!node || job->orphan || job->told_waiting == job->current->number)
        return;
    job->told_waiting = job->current->number;
    (void)snprintf(cause, sizeof(cause), "it waits for the lease of what worker %.80s held of it",
                   node->name);
    report_state(self, job, JOB_REPORT_WAITING, job_step(job), cause);
}

/* Whether the job's last report holds in the plan in force: a job that trains since an earlier
 * plan does so in this plan too, unless other trainers are to begin. */
static bool still_holds(const plan_run_t *self, const struct planned_job *job)
{
    if (job->said.state == JOB_REPORT_STABLE)
        return job->current && job->current->number == job->said.incarnation;
    return job->said.round == self->round;
}

void report_again(plan_run_t *self, struct planned_job *job)
{
    struct msg_job_report again = job->said;

    if (again.round == 0 || !still_holds(self, job))
        return;
    again.round = self->round;
    if (self->present)
        self->calls->job_report(self->calls_owner, &again);
}

void report_stopped_unknown(plan_run_t *self, const struct msg_planned_stop *stop)
{
    const struct msg_job_report report = {
        .round = self->round,
        .job = stop->job,
        .state = JOB_REPORT_STOPPED,
        .step = stop->step,
        .cause = "",
    };

    if (self->present)
        self->calls->job_report(self->calls_owner, &report);
}

/* Writes why a node that is up has other GPUs than expected; "" if the GPUs are as expected. */
static void say_differing(const struct worker_node *node, char text[NODE_CAUSE_MAX])
{
    node_say_left_out(node, text, NODE_CAUSE_MAX);
    if (!text[0])
        (void)snprintf(text, NODE_CAUSE_MAX, "%s",
                       node->differs[0] || !node->made_up
                           ? node->differs
                           : "its GPUs are made up, as its worker found none");
}

void report_nodes(plan_run_t *self)
{
    const registry_t *registry = dispatch_registry(self->dispatch);
    struct msg_nodes nodes = {registry_count(registry), NULL, self->attached};
    char(*differing)[NODE_CAUSE_MAX];

    if (!self->present)
        return;
    nodes.nodes = xcalloc(nodes.count, sizeof(*nodes.nodes));
    differing = xcalloc(nodes.count, sizeof(*differing));
    for (size_t i = 0; i < nodes.count; i++) {
        const struct worker_node *node = registry_at(registry, i);
        const bool up =
            (node->state == WORKER_UP || node->state == WORKER_BROKEN) && !node->excluded;

        say_differing(node, differing[i]);
        nodes.nodes[i] = (struct msg_node){.node = node->number,
                                           .name = node->name,
                                           .gpus = node->gpus,
                                           .first_rank = node->first_rank,
                                           .up = up,
                                           .cause = up ? differing[i] : node->cause,
                                           .user = node->user,
                                           .only = node->only,
                                           .type = node->type};
    }
    self->calls->nodes(self->calls_owner, &nodes);
    free(nodes.nodes);
    free(differing);
}

/* Lists the parts that a master before this one left and that no plan has taken yet. */
static void list_remains(const plan_run_t *self, struct msg_master_heartbeat *held)
{
    const registry_t *registry = dispatch_registry(self->dispatch);

    for (size_t i = 0; i < registry_count(registry); i++) {
        const struct worker_node *node = registry_at(registry, i);

        for (size_t k = 0; k < node->stray_count && held->count < PROGRESS_MAX; k++)
            if (node->strays[k].remains && !node->strays[k].over)
                held->progress[held->count++] = (struct msg_progress){
                    node->strays[k].said.job, node->strays[k].said.incarnation, -1, 0};
    }
}

void report_held(plan_run_t *self)
{
    struct msg_progress *progress = xcalloc(PROGRESS_MAX, sizeof(*progress));
    struct msg_master_heartbeat held = {.progress = progress};
    const struct planned_job *job;

    for (job = self->jobs.by_number; job && held.count < PROGRESS_MAX; job = job->hh.next)
        if (job->current)
            progress[held.count++] =
                (struct msg_progress){job->number, job->current->number, -1, 0};
    list_remains(self, &held);
    self->calls->progress(self->calls_owner, &held);
    free(progress);
}

void plan_run_heartbeat(plan_run_t *self)
{
    struct msg_progress *progress = xcalloc(PROGRESS_MAX, sizeof(*progress));
    struct msg_master_heartbeat heartbeat = {.progress = progress};

    for (const struct planned_job *job = self->jobs.by_number; job && self->present;
         job = job->hh.next) {
        const struct incarnation *current = job->current;
        const struct remote_part *first = current ? incarnation_first(current) : NULL;

        if (!current || current->begun_us < 0)
            continue;
        progress[heartbeat.count++] =
            (struct msg_progress){job->number, current->number,
                                  first->step >= 0 ? first->step : current->step, first->rate};
        if (heartbeat.count == PROGRESS_MAX) {
            self->calls->progress(self->calls_owner, &heartbeat);
            heartbeat.count = 0;
        }
    }
    if (self->present)
        self->calls->progress(self->calls_owner, &heartbeat);
    free(progress);
}

/* ---- rounds ---- */

void report_if_settled(plan_run_t *self)
{
    if (self->jobs.unsettled > 0 || self->told_settled || self->round == 0)
        return;
    self->told_settled = true;
    log_event(&LOG_ABOUT_NOTHING, "settled", "round=%" PRIu64, self->round);
    if (self->present)
        self->calls->settled(self->calls_owner, &(struct msg_settled){self->round});
}
