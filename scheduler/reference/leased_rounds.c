/* leased_rounds.c - see leased_rounds.h. */
#include "scheduler/reference/leased_rounds.h"

#include "scheduler/plan/level.h"
#include "scheduler/reference/lease_stages.h"
#include "scheduler/reference/rules.h"

#include <math.h>

static struct chronus_memory *memory_of(const engine_t *self)
{
    return self->memory;
}

static struct lease *lease_for(const engine_t *self, const struct job *job)
{
    return lease_of(memory_of(self)->book, job);
}

static const struct chronus_rules *chronus_rules_of(const engine_t *self)
{
    const struct reference_rules *rules = self->setting.policy->rules;

    return &rules->sharing.chronus;
}

/* ---- which jobs can run ---- */

static int check_stated(const engine_t *self, const struct submission *submission,
                        struct error *error)
{
    const char *policy = self->setting.policy->name;
    const int gpus = cluster_gpus(self->cluster);

    if (submission->gpus_requested < 1)
        return error_set(error, "job %s: %s needs the num_gpu that the trace does not state",
                         submission->id, policy);
    if (submission->duration_s < 0)
        return error_set(error, "job %s: %s needs the duration that the trace does not state",
                         submission->id, policy);
    if (submission->gpus_requested > gpus && !chronus_rules_of(self)->declines_too_large)
        return error_set(error,
                         "job %s asks for %d GPUs of a cluster of %d; the artifact's %s waits for "
                         "them for ever (TI-Q9); --rules clean declines it",
                         submission->id, submission->gpus_requested, gpus, policy);
    return 0;
}

/* Seconds that a job runs on average for each start that it pays. At odd times it starts for
 * nothing (CH-Q6). */
static double run_per_start_s(const engine_t *self)
{
    const struct leasing *leasing = &memory_of(self)->leasing;

    if (leasing->check_s % 2 == 1 && chronus_rules_of(self)->fills == chronus_fill_at_odd_times)
        return (double)leasing->lease_s;
    return leasing_run_mean_s(leasing);
}

/* Refuses a job whose start takes longer than it runs until the next start; each lease has a start
 * (CH-Q8). */
static int check_starts(const engine_t *self, const struct job *job, struct error *error)
{
    const double start_s = lease_overhead_s(&(struct lease){.job = job, .starts = 1});
    const double run_s = run_per_start_s(self);

    if (start_s < run_s)
        return 0;
    return error_set(
        error,
        "job %s: starting it on %d GPUs costs %g s, no less than the %g s after which, "
        "on average, a lease round stops it again, so that it never ends (CH-Q8)",
        job->submission->id, job->submission->gpus_requested, start_s, run_s);
}

int leased_check(engine_t *self, struct job *job, struct error *error)
{
    if (check_stated(self, job->submission, error) < 0 || check_starts(self, job, error) < 0)
        return -1;
    return round_scale(self, job, NULL,
                       self->setting.policy->gpus_max(job, round_gpu_type(self, 0)), error);
}

/* CH-Q9: the best-effort mark is lost on the way, so a stated deadline counts. */
int leased_check_as_job(engine_t *self, struct job *job, struct error *error)
{
    if (job->submission->level_count > 0) {
        struct submission *lost =
            arena_alloc(memory_of(self)->submissions, sizeof(*job->submission));

        *lost = *job->submission;
        lost->best_effort = false;
        lost->deadline_s = lost->levels[0].deadline_s;
        job->submission = lost;
    }
    return leased_check(self, job, error);
}

/* ---- work ---- */

int64_t leased_whole_s(const engine_t *self, const struct job *job)
{
    return job->submission->duration_s + (int64_t)ceil(lease_overhead_s(lease_for(self, job)));
}

/* The progress of a job by time. The cost of its starts counts as time to be worked. */
int leased_expect(engine_t *self, const struct job *job, struct interval interval,
                  struct progress *progress, struct error *error)
{
    const struct lease *lease = lease_for(self, job);
    double ended_s = 0;

    (void)error;
    *progress = (struct progress){.worked_s = interval.now_s - lease->since_s};
    progress->done = lease_is_done(lease, interval.now_s, &ended_s);
    progress->ended_s = (int64_t)ceil(ended_s);
    progress->early_s = ceil(ended_s) - ended_s;
    return 0;
}

void leased_credit(engine_t *self, struct job *job, const struct progress *progress)
{
    artifact_credit(self, job, progress);
    lease_for(self, job)->since_s = self->now_s;
}

bool late_by_lease(const engine_t *self, const struct job *job, int64_t judged_s)
{
    (void)judged_s;
    return job_ended_s(job) > (double)lease_for(self, job)->judged_s;
}

/* Gives jobs that run, on a lease or on free GPUs, the GPUs that they asked for. The policy drops
 * jobs that are over from the book when it is asked. A round without nodes does not ask the policy,
 * so the jobs are dropped here, before their records are gone. */
void leased_adopt(engine_t *self)
{
    if (cluster_gpus_up(self->cluster) == 0)
        lease_book_drop_done(memory_of(self)->book);
    for (size_t i = 0; i < self->live.count; i++) {
        struct job *job = self->live.items[i];
        const bool runs = lease_for(self, job)->running;
        const struct grant grant = level_grant_here(job, runs ? job->scaling->top : 0);

        round_hold(self, job, &grant);
        if (runs && job->state == JOB_PENDING)
            round_start(self, job);
    }
    round_drop_started(self);
}

/* No end is foreseen, as the policy itself says whether a promise holds. */
int64_t leased_foresee(const engine_t *self, const struct job *job)
{
    (void)self;
    (void)job;
    return NEVER_S;
}

bool leased_in_time(const engine_t *self, const struct job *job, int64_t foreseen_s)
{
    (void)foreseen_s;
    return !lease_for(self, job)->withdrawn;
}

/* ---- time ---- */

/* The first multiple of `step_s` that is not before `from_s`. */
static int64_t round_up(int64_t from_s, int64_t step_s)
{
    return (from_s + step_s - 1) / step_s * step_s;
}

/* Arrivals wait for the next admission (CH-Q12). */
void leased_announce(engine_t *self, struct job *job, int64_t at_s)
{
    const int64_t from_s = at_s > self->now_s ? at_s : self->now_s;

    event_queue_add_start(artifact_of(self)->events, job,
                          round_up(from_s, memory_of(self)->leasing.admission_s));
}

/* The time of the next change of a running job: its end, or the time at which it outlives its
 * estimate. On a lease the estimate does not count before the lease is over. A job that outlived
 * its estimate before, and is hopeless since, outlives it again. */
static int64_t change_due_s(const struct lease *lease)
{
    const int64_t end_s = lease_end_due_s(lease);
    const int64_t used_up_s = lease->since_s + lease->estimate_s - lease->job->attained_s;
    const bool settled = lease->out_of_plan && lease->class >= LEASE_UNACCEPTED;

    return lease->held || settled || end_s < used_up_s ? end_s : used_up_s;
}

/* The first check that sees the change of a running job; NEVER_S if no job runs. */
static int64_t change_seen_s(const engine_t *self)
{
    const int64_t check_s = memory_of(self)->leasing.check_s;
    int64_t first_s = NEVER_S;

    for (size_t i = 0; i < self->live.count; i++) {
        const struct job *job = self->live.items[i];
        int64_t seen_at_s;

        if (!job_holds(job))
            continue;
        seen_at_s = round_up(change_due_s(lease_for(self, job)), check_s);
        first_s = seen_at_s < first_s ? seen_at_s : first_s;
    }
    return first_s > self->now_s ? first_s : round_up(self->now_s + 1, check_s);
}

/* The next lease round or admission, or an earlier check that sees a change. Short leases, and
 * checks at odd times (CH-Q6), need every check. */
int64_t tick_at_leases(const engine_t *self)
{
    const struct leasing *leasing = &memory_of(self)->leasing;
    const int64_t lease_s = round_up(self->now_s + 1, leasing->lease_s);
    const int64_t admission_s = round_up(self->now_s + 1, leasing->admission_s);
    const int64_t planned_s = lease_s < admission_s ? lease_s : admission_s;
    int64_t seen_s;

    if (self->live.count == 0)
        return NEVER_S;
    if (leasing->lease_s <= SHORT_LEASE_S || leasing->check_s % 2 == 1)
        return round_up(self->now_s + 1, leasing->check_s);
    if (planned_s - self->now_s <= leasing->check_s)
        return planned_s;
    seen_s = change_seen_s(self);
    return seen_s < planned_s ? seen_s : planned_s;
}

/* Advances time. Jobs may wait for leases without limit: check_starts() makes sure that each job
 * ends. */
int leased_advance(engine_t *self, struct error *error)
{
    self->idle_rounds = 0;
    return artifact_advance(self, error);
}
