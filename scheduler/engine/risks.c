/* risks.c - jobs that are no longer expected to keep their deadlines after a disturbance, and
 * promises that stand with less than their margins. */
#include "scheduler/engine/round.h"

#include <inttypes.h>
#include <stdio.h>

void round_note_risks(engine_t *self)
{
    self->notes_risks = true;
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];

        job->was_in_time = !job->submission->best_effort && !job->slips &&
                           self->stages.in_time(self, job, self->stages.foresee(self, job));
    }
}

static bool has_own_trouble(const engine_t *self, const struct job *job)
{
    return job->deviates && job->deviated_step == self->steps;
}

/* Whether the pace is too low for a speed: the job stood still most of the time, for example on a
 * dead node of which only the silence is known. */
static bool stood_still(const struct job *job)
{
    return job->pace < SPEED_FACTOR_MIN;
}

static enum withdrawal_cause cause_of(const engine_t *self, const struct job *job)
{
    if (!self->disturbance[0])
        return self->late_start[0] ? WITHDRAWN_FOR_START : WITHDRAWN_FOR_PLAN;
    if (self->disturbed_for == WITHDRAWN_FOR_NODE || !has_own_trouble(self, job))
        return self->disturbed_for;
    return stood_still(job) ? WITHDRAWN_FOR_STANDSTILL
           : job->pace != 1 ? WITHDRAWN_FOR_SPEED
                            : WITHDRAWN_FOR_LOST_WORK;
}

/* Writes the job's own trouble, or else why the plan was made anew. */
static void write_cause(const engine_t *self, const struct job *job, char *text, size_t size)
{
    const char *why = self->disturbance[0] ? self->disturbance : self->late_start;

    if (!why[0])
        (void)snprintf(text, size, "planned anew");
    else if (!has_own_trouble(self, job))
        (void)snprintf(text, size, "planned anew, for %s", why);
    else if (stood_still(job))
        (void)snprintf(text, size, "it stood still: %s",
                       self->disturbed_for == WITHDRAWN_FOR_NODE ? why : job->trouble);
    else if (job->pace != 1)
        (void)snprintf(text, size, "it runs at %.3g of its profiled speed", job->pace);
    else
        (void)snprintf(text, size, "it lost work: %s", job->trouble);
}

void round_fall(engine_t *self, struct job *job, int64_t deadline_s)
{
    const struct step_findings *findings = &self->findings;
    char cause[320];
    char text[512];

    write_cause(self, job, cause, sizeof(cause));
    (void)snprintf(text, sizeof(text),
                   "%s; its promised deadline falls from %" PRId64 " s to %" PRId64 " s", cause,
                   job->promise.deadline_s, deadline_s);
    job->promise.deadline_s = deadline_s;
    round_disturb(self, DISTURBANCE_FALLS, job, -1, text);
    findings->disturbances.items[findings->disturbances.count - 1].why = cause_of(self, job);
}

static void mark(engine_t *self, struct job *job, int64_t foreseen_s)
{
    const struct step_findings *findings = &self->findings;
    const int64_t deadline_s = job_due_s(job);
    struct disturbance *marked;
    char cause[320];
    char text[512];

    write_cause(self, job, cause, sizeof(cause));
    if (foreseen_s == NEVER_S)
        (void)snprintf(text, sizeof(text),
                       "%s; when it ends is open, its deadline is %" PRId64 " s", cause,
                       deadline_s);
    else
        (void)snprintf(text, sizeof(text),
                       "%s; it is foreseen to end at %" PRId64 " s, its deadline is %" PRId64 " s",
                       cause, foreseen_s, deadline_s);
    job->slips = true;
    if (job->promise.state == PROMISE_STANDS)
        job->promise.state = PROMISE_WITHDRAWN;
    round_disturb(self, DISTURBANCE_SLIPS, job, -1, text);
    marked = &findings->disturbances.items[findings->disturbances.count - 1];
    marked->foreseen_s = foreseen_s;
    marked->why = cause_of(self, job);
}

/* Tells a job that its promise stands with less than its margin. A job is told again only after its
 * promise had the margin in between. */
static void watch_margin(engine_t *self, struct job *job)
{
    const bool at_risk =
        job->promise.state == PROMISE_STANDS && self->plan->shares[job->place].at_risk;
    char cause[320];
    char text[512];

    if (at_risk && !job->promise.at_risk) {
        write_cause(self, job, cause, sizeof(cause));
        (void)snprintf(text, sizeof(text),
                       "%s; its promise has less than the margin for slow trainers, its deadline "
                       "is %" PRId64 " s",
                       cause, job->promise.deadline_s);
        round_disturb(self, DISTURBANCE_AT_RISK, job, -1, text);
    }
    job->promise.at_risk = at_risk;
}

/* Whether the promise was withdrawn. A policy that keeps a plan for its promises withdraws them
 * itself. */
static bool is_withdrawn(const engine_t *self, const struct job *job)
{
    return self->setting.policy->keeps_plan && job->promise.state == PROMISE_WITHDRAWN &&
           !job->slips;
}

static bool is_doubtful(const engine_t *self, const struct job *job)
{
    return self->disturbance[0] && job->was_in_time &&
           !(self->setting.policy->keeps_plan && job->promise.state != PROMISE_NONE);
}

/* Marks promises at risk. Promises of jobs that the plan did not change stand as before. */
void round_mark_risks(engine_t *self)
{
    const struct jobs *changed = named_changed(&self->named);
    const struct jobs *jobs = self->notes_risks || !changed ? &self->live : changed;

    if (!self->disturbance[0] && !self->setting.policy->keeps_plan)
        return;
    self->notes_risks = false;
    for (size_t i = 0; i < jobs->count; i++) {
        struct job *job = jobs->items[i];
        const bool withdrawn = is_withdrawn(self, job);

        if (self->setting.policy->keeps_plan)
            watch_margin(self, job);
        if (withdrawn || is_doubtful(self, job)) {
            const int64_t foreseen_s = self->stages.foresee(self, job);

            if (withdrawn || !self->stages.in_time(self, job, foreseen_s))
                mark(self, job, foreseen_s);
        }
        job->was_in_time = false;
    }
}
