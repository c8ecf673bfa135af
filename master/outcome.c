/* outcome.c - the news that the dispatch tells of incarnations and nodes. */
#include "master/plan_run_state.h"

static int64_t begin_step(void *owner, const struct incarnation *incarnation)
{
    (void)owner;
    return job_step(incarnation->item);
}

/* Ends a job that is done. `step` is where the job's trainers were at `done_us`, -1 if they did
 * not say. The end is reported even if the job was told to stop a moment before. */
static void on_done(plan_run_t *self, struct planned_job *job, int64_t step, int64_t done_us,
                    int64_t now_us)
{
    job->done = true;
    job->done_step = step;
    job->done_us = done_us;
    job->lost = false;
    job_stop(self, job, &(struct ending){STOP_DONE, -1, -1, "done"}, now_us);
    report_done(self, job);
}

/* The reason why the work of an incarnation is lost, if the incarnation was to save its state
 * when told to stop and did not; NULL if no work is lost. Fast-forwarded steps are credited: any
 * checkpoint makes up for the missing steps. */
static const char *why_unsaved(const struct planned_job *job, const struct incarnation *incarnation)
{
    const int64_t known = incarnation_first(incarnation)->step;
    const int64_t reached = incarnation->ending.step > known ? incarnation->ending.step : known;

    if (incarnation->begun_us < 0 || incarnation->fault != FAULT_NONE ||
        incarnation->ending.why != STOP_PAUSED || job_step(job) >= reached ||
        (incarnation->checkpointed && incarnation->run.fast_forward))
        return NULL;
    if (incarnation->cause[0])
        return incarnation->cause;
    return incarnation->checkpointed ? "it stopped after its last checkpoint"
                                     : "it stopped without a checkpoint";
}

static void on_over(plan_run_t *self, struct planned_job *job, struct incarnation *incarnation,
                    int64_t now_us)
{
    const char *unsaved = why_unsaved(job, incarnation);

    job->alive--;
    if (incarnation->fault == FAULT_NONE &&
        (incarnation->checkpointed || incarnation_is_done(incarnation)))
        health_ended_well(job, incarnation);
    if (job->current == incarnation)
        job->current = NULL;
    if (incarnation_is_done(incarnation))
        on_done(self, job, incarnation_first(incarnation)->step, incarnation->done_us, now_us);
    else if (unsaved && job->planned && !job->lost && job->current)
        report_state(self, job, JOB_REPORT_LOST, job_step(job), unsaved);
    if (job->alive == 0 && job->stop_due) {
        job->stop_due = false;
        report_state(self, job, JOB_REPORT_STOPPED, job_step(job), unsaved ? unsaved : "");
    }
}

static void on_changed(void *owner, struct incarnation *incarnation, int64_t now_us)
{
    plan_run_t *self = owner;
    struct planned_job *job = incarnation->item;
    /* An incarnation that ends only after this stop is told of once more. */
    const bool over = incarnation->phase == INCARNATION_OVER;

    if (incarnation->checkpoint > job->checkpoint)
        job->checkpoint = incarnation->checkpoint;
    if (!job->orphan)
        job_look_for_faults(self, job, incarnation, now_us);
    if (job->current == incarnation && incarnation_is_stable(incarnation) &&
        job->told_stable != incarnation->number)
        report_stable(self, job);
    if (over)
        on_over(self, job, incarnation, now_us);
    if (over && job_is_out_of_plan(job))
        health_untested(self, job);
    report_if_waiting(self, job);
    planned_jobs_settle(&self->jobs, job);
    report_if_settled(self);
    if (!job_is_worth_keeping(job))
        planned_jobs_drop(&self->jobs, job);
}

static void on_done_late(void *owner, uint64_t number, int64_t step, int64_t done_us,
                         int64_t now_us)
{
    plan_run_t *self = owner;
    struct planned_job *job = planned_jobs_find(&self->jobs, number);

    if (!job || job->done)
        return;
    on_done(self, job, step, done_us, now_us);
    planned_jobs_settle(&self->jobs, job);
    report_if_settled(self);
}

static void on_node_changed(void *owner, const struct worker_node *node, int64_t now_us)
{
    (void)node;
    (void)now_us;
    report_nodes(owner);
}

const struct dispatch_watch plan_run_watch = {.changed = on_changed,
                                              .done_late = on_done_late,
                                              .node_changed = on_node_changed,
                                              .begin_step = begin_step};
