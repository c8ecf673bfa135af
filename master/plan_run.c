/* plan_run.c - see plan_run.h: the present scheduler, and its plan in force. */
#include "master/plan_run.h"

#include "common/memory.h"
#include "master/lineage.h"
#include "master/plan_run_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct ending ending_paused = {STOP_PAUSED, -1, -1, "goodbye"};

plan_run_t *plan_run_new(const struct msg_scheduler_welcome *welcome,
                         const struct scheduler_calls *calls, void *owner)
{
    plan_run_t *self = xcalloc(1, sizeof(*self));

    self->welcome = *welcome;
    self->calls = calls;
    self->calls_owner = owner;
    self->check = plan_check_new();
    return self;
}

void plan_run_use(plan_run_t *self, dispatch_t *dispatch)
{
    self->dispatch = dispatch;
}

void plan_run_back_off(plan_run_t *self, int64_t retry_after_ms)
{
    self->retry_after_us = retry_after_ms * 1000;
}

void plan_run_exclude_after(plan_run_t *self, int failures)
{
    self->exclude_after = failures;
}

void plan_run_destroy(plan_run_t **self)
{
    if (!*self)
        return;
    planned_jobs_clear(&(*self)->jobs);
    reattach_drop_plan(*self);
    plan_check_destroy(&(*self)->check);
    programs_clear(&(*self)->programs);
    free((*self)->name);
    free(*self);
    *self = NULL;
}

/* ---- plans ---- */

/* Lets go of all jobs: the jobs of a scheduler that is gone do not belong to the next scheduler. */
static void start_from_nothing(plan_run_t *self, int64_t now_us)
{
    struct planned_job *job;
    struct planned_job *next;

    HASH_ITER(hh, self->jobs.by_number, job, next)
    {
        job_stop(self, job, &ending_paused, now_us);
        job->planned = job->stop_due = job->held = false;
        if (job->lineage)
            lineage_forget_late(job->lineage);
        if (job_is_out_of_plan(job))
            health_untested(self, job);
        planned_jobs_orphan(&self->jobs, job);
        if (!job_is_worth_keeping(job))
            planned_jobs_drop(&self->jobs, job);
    }
    programs_drop_old(&self->programs);
    self->round = 0;
    self->told_settled = true;
    assert(self->jobs.unsettled == 0);
}

/* Stops a job that the plan changes, so that workers hear of the stop before they hear of new
 * jobs. */
static void stop_changed(plan_run_t *self, const struct msg_plan *plan,
                         const struct msg_planned_job *planned, int64_t now_us)
{
    const struct ending ending = {STOP_PAUSED, plan->fast_forward ? planned->step : -1, -1,
                                  plan->restart ? "restart" : "plan"};
    struct planned_job *job = planned_jobs_find(&self->jobs, planned->job);

    if (!job)
        job = planned_jobs_add(&self->jobs, planned->job);
    job->planned = true;
    memset(&job->stop, 0, sizeof(job->stop));
    if (job->current && (plan->restart || !job_is_same(job, plan, planned)))
        job_stop(self, job, &ending, now_us);
    job_take_plan(job, plan, planned);
}

static void stop_dropped(plan_run_t *self, const struct msg_plan *plan,
                         const struct msg_planned_stop *stop, int64_t now_us)
{
    struct planned_job *job = planned_jobs_find(&self->jobs, stop->job);

    if (stop->why != STOP_PAUSED)
        programs_drop(&self->programs, stop->job);
    if (!job) {
        report_stopped_unknown(self, stop);
        return;
    }
    job->stop = *stop;
    job->stop_due = true;
    job_stop(self, job,
             &(struct ending){stop->why, plan->fast_forward ? stop->step : -1, -1, "plan"}, now_us);
}

/* Stops the jobs that the plan does not name. */
static void stop_unnamed(plan_run_t *self, int64_t now_us)
{
    struct planned_job *job;
    struct planned_job *next;

    HASH_ITER(hh, self->jobs.by_number, job, next)
    {
        if (job->planned)
            continue;
        job_stop(self, job, &(struct ending){STOP_PAUSED, -1, -1, "plan"}, now_us);
        job->lost = false;
        if (job->alive == 0 && job->stop_due) {
            job->stop_due = false;
            report_state(self, job, JOB_REPORT_STOPPED, job_step(job), "");
        }
    }
}

static void start_planned(plan_run_t *self, const struct msg_planned_job *planned, int64_t now_us)
{
    struct planned_job *job = planned_jobs_find(&self->jobs, planned->job);

    job->lost = false;
    job->stop_due = false;
    if (job->held)
        report_state(self, job, JOB_REPORT_HELD, job_step(job), job->cause);
    else if (job->done)
        report_done(self, job);
    else if (!job->current)
        job_start(self, job, now_us);
    else if (job->fast_forward)
        dispatch_update(self->dispatch, job->current, planned->step);
}

static void carry_out(plan_run_t *self, const struct msg_plan *plan, int64_t now_us)
{
    struct planned_job *job;
    struct planned_job *next;

    self->round = plan->round;
    self->told_settled = false;
    HASH_ITER(hh, self->jobs.by_number, job, next)
    {
        job->planned = false;
    }
    for (size_t i = 0; i < plan->job_count; i++)
        stop_changed(self, plan, &plan->jobs[i], now_us);
    for (size_t i = 0; i < plan->stop_count; i++)
        stop_dropped(self, plan, &plan->stops[i], now_us);
    stop_unnamed(self, now_us);
    if (plan->restart)
        dispatch_restart(self->dispatch);
    for (size_t i = 0; i < plan->job_count; i++)
        start_planned(self, &plan->jobs[i], now_us);
}

/* Counts all jobs anew, and forgets jobs of which nothing is left. */
static void review(plan_run_t *self)
{
    struct planned_job *job;
    struct planned_job *next;

    HASH_ITER(hh, self->jobs.by_number, job, next)
    {
        if (job_is_out_of_plan(job))
            health_untested(self, job);
        report_if_waiting(self, job);
        planned_jobs_settle(&self->jobs, job);
        if (!job_is_worth_keeping(job))
            planned_jobs_drop(&self->jobs, job);
    }
}

/* Answers the plan in force, which came again, perhaps because its answers were lost. */
static void answer_again(plan_run_t *self, const struct msg_plan *plan)
{
    for (size_t i = 0; i < plan->job_count; i++)
        if (planned_jobs_find(&self->jobs, plan->jobs[i].job))
            report_again(self, planned_jobs_find(&self->jobs, plan->jobs[i].job));
    for (size_t i = 0; i < plan->stop_count; i++) {
        const struct planned_job *job = planned_jobs_find(&self->jobs, plan->stops[i].job);

        if (!job || job->alive == 0)
            report_stopped_unknown(self, &plan->stops[i]);
    }
    self->told_settled = false;
    report_if_settled(self);
}

/* Whether `plan` has the jobs of the plan in force. */
static bool is_in_force(const plan_run_t *self, const struct msg_plan *plan)
{
    size_t planned = 0;

    for (const struct planned_job *job = self->jobs.by_number; job; job = job->hh.next)
        planned += job->planned;
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct planned_job *job = planned_jobs_find(&self->jobs, plan->jobs[i].job);

        if (!job || !job->planned || !job_is_same(job, plan, &plan->jobs[i]))
            return false;
    }
    return planned == plan->job_count;
}

/* Whether the plan is of another scheduler than the jobs here. The first plan of a scheduler
 * tells. */
static bool is_of_another(const plan_run_t *self, const struct msg_plan *plan)
{
    return !self->same_name || plan->round < self->round ||
           (plan->round == self->round && !is_in_force(self, plan));
}

void plan_run_program(plan_run_t *self, const struct msg_program *program)
{
    if (!self->ends)
        programs_put(&self->programs, program);
}

int plan_run_take(plan_run_t *self, const struct msg_plan *plan, int64_t now_us,
                  struct error *error)
{
    if (plan_check(self->check, plan, error) < 0)
        return -1;
    if (self->ends)
        return 0;
    if (reattach_waits(self, plan, now_us)) {
        reattach_keep_plan(self, plan);
        return 0;
    }
    if (self->unproved && is_of_another(self, plan))
        start_from_nothing(self, now_us);
    self->unproved = false;
    reattach(self, now_us);
    if (plan->round < self->round) {
        self->stale++;
    } else if (plan->round == self->round) {
        answer_again(self, plan);
    } else {
        carry_out(self, plan, now_us);
        review(self);
    }
    reattach_end(self);
    dispatch_flush(self->dispatch, now_us);
    report_if_settled(self);
    return 0;
}

void plan_run_tick(plan_run_t *self, int64_t now_us)
{
    struct error error;
    struct msg_plan plan;
    reader_t *in;

    if (self->retries > 0) {
        faults_tick(self, now_us);
        dispatch_flush(self->dispatch, now_us);
    }
    if (!self->waits)
        return;
    in = reader_new(self->waiting.bytes.data, self->waiting.bytes.size, &error);
    if (in && msg_plan_unpack(in, &plan, &error) == 0 && !reattach_waits(self, &plan, now_us))
        (void)plan_run_take(self, &plan, now_us, &error);
    reader_destroy(&in);
}

/* ---- the scheduler ---- */

void plan_run_hello(plan_run_t *self, const char *name)
{
    assert(!self->present);
    self->same_name = self->name && !strcmp(self->name, name);
    free(self->name);
    self->name = xstrdup(name);
    self->present = true;
    self->unproved = true;
    self->calls->welcome(self->calls_owner, &self->welcome);
    report_nodes(self);
    report_held(self);
}

void plan_run_gone(plan_run_t *self, bool goodbye, int64_t now_us)
{
    self->present = false;
    programs_age(self->programs);
    if (!goodbye)
        return;
    reattach_end(self);
    start_from_nothing(self, now_us);
    dispatch_flush(self->dispatch, now_us);
}

void plan_run_end(plan_run_t *self, int64_t now_us)
{
    self->ends = true;
    reattach_end(self);
    start_from_nothing(self, now_us);
    dispatch_flush(self->dispatch, now_us);
}

uint64_t plan_run_stale(const plan_run_t *self)
{
    return self->stale;
}
