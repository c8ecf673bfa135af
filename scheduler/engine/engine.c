/* engine.c - see engine.h. */
#include "scheduler/engine/engine.h"

#include "common/memory.h"
#include "scheduler/engine/round.h"
#include "scheduler/solver/milp_solver.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rounds without an arrival left and without an iteration done, after which a run is called
 * endless: far more than any restart or deadline needs to change the picture. */
#define ENDLESS_ROUNDS 100000

void jobs_reserve(struct jobs *jobs, size_t count)
{
    if (count <= jobs->capacity && jobs->items)
        return;
    jobs->capacity = 2 * count + 1;
    jobs->items = xrealloc(jobs->items, jobs->capacity * sizeof(*jobs->items));
}

void jobs_keep(struct jobs *jobs, enum job_state one, enum job_state other)
{
    size_t count = 0;

    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i]->state == one || jobs->items[i]->state == other)
            jobs->items[count++] = jobs->items[i];
    jobs->count = count;
}

static const struct scaling *find_scaling(engine_t *self, const struct throughput_row *row,
                                          int gpus_max, struct error *error)
{
    struct scalings *scalings = &self->scalings;
    struct scaling *scaling;

    for (size_t i = 0; i < scalings->count; i++)
        if (scalings->items[i]->row == row && scalings->items[i]->gpus_max == gpus_max)
            return scalings->items[i];
    scaling = xmalloc(sizeof(*scaling));
    if (!row) {
        scaling_init_fixed(scaling, gpus_max);
    } else if (scaling_init(scaling, row, gpus_max, cluster_gpus(self->cluster), error) < 0) {
        free(scaling);
        return NULL;
    }
    scalings->items =
        grow_array(scalings->items, scalings->count, &scalings->capacity, sizeof(struct scaling *));
    scalings->items[scalings->count++] = scaling;
    return scaling;
}

/* What a policy that gives every job the GPUs it asked for must know of it. */
static int check_request(const engine_t *self, const struct job *job, struct error *error)
{
    const char *policy = self->setting.policy->name;
    const int gpus = cluster_gpus(self->cluster);

    if (job->submission->gpus_requested < 1)
        return error_set(error, "job %s: %s needs the num_gpu that the trace does not state",
                         job->submission->id, policy);
    if (self->rules->work != WORK_ITERATIONS && job->submission->duration_s < 0)
        return error_set(error, "job %s: %s needs the duration that the trace does not state",
                         job->submission->id, policy);
    if (job->submission->gpus_requested > gpus && self->rules->too_large == TOO_LARGE_IS_ENDLESS)
        return error_set(error,
                         "job %s asks for %d GPUs of a cluster of %d; the artifact's %s waits for "
                         "them for ever",
                         job->submission->id, job->submission->gpus_requested, gpus, policy);
    return 0;
}

/* The table must have the GPU count, even if the policy asks for no rate: the artifact does. */
static int check_scaling(const engine_t *self, const struct job *job, struct error *error)
{
    const struct scaling *scaling = job->scaling;

    if (scaling->gpus[scaling->top] != job->submission->gpus_requested)
        return error_set(error,
                         "job %s: model %s, batch size %d: the throughput table has no column for "
                         "the %d GPUs that it asks for",
                         job->submission->id, scaling->row->model, scaling->row->batch_size,
                         job->submission->gpus_requested);
    if (self->rules->work == WORK_DURATION
            ? scaling->row->marked_nan[scaling->top - 1] || !isnan(scaling->rate[scaling->top])
            : scaling->rate[scaling->top] > 0)
        return 0;
    return scaling_complain(scaling, scaling->top, error);
}

/* How long a job runs for each start that it pays. At odd times it starts for nothing (CH-Q6). */
static double run_per_start_s(const engine_t *self)
{
    const struct leasing *leasing = &self->setting.leasing;

    if (leasing->check_s % 2 == 1 &&
        self->setting.policy->sharing.chronus.fills == chronus_fill_at_odd_times)
        return (double)leasing->lease_s;
    return leasing_run_mean_s(leasing);
}

/* With leases this short a start costs more than it brings, and there is one with each lease (CH-Q8). */
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

static int prepare_job(engine_t *self, struct job *job, struct error *error)
{
    const struct policy *policy = self->setting.policy;
    const bool fixed = self->rules->size == SIZE_REQUESTED;
    const bool measured = self->rules->work != WORK_LEASED;

    assert(job->submission->throughput || !measured);
    if (fixed && check_request(self, job, error) < 0)
        return -1;
    if (policy->leases && check_starts(self, job, error) < 0)
        return -1;
    job->scaling = find_scaling(self, measured ? job->submission->throughput : NULL,
                                policy->gpus_max(job, self->setting.gpu_type), error);
    if (!job->scaling || (fixed && measured && check_scaling(self, job, error) < 0))
        return -1;
    if (self->rules->best_effort == BEST_EFFORT_IS_LOST && job->submission->level_count > 0) {
        struct submission *lost = arena_alloc(self->submissions, sizeof(*lost));

        *lost = *job->submission;
        lost->best_effort = false;
        lost->deadline_s = lost->levels[0].deadline_s;
        job->submission = lost;
    }
    job->state = JOB_SUBMITTED;
    job->iterations_left = (double)job->submission->iterations;
    job->held = -1;
    self->deadline_jobs += !job->submission->best_effort;
    event_queue_add_start(self->events, job, round_sees_arrival_s(self, job));
    return 0;
}

static int64_t rounds_to_restart(const struct engine_setting *setting)
{
    return setting->policy->rules.restart == RESTART_BY_SLOT ? setting->slot_s /* EF-Q3 */
                                                             : setting->restart_threshold;
}

/* Whether a layout depends on the order in which jobs are taken off their GPUs. With one switch nodes
 * are given out in the order of their positions, and on nodes of 1, 2, 4 or 8 GPUs a set is always what
 * it is called (EF-Q23); a policy may choose its nodes itself, and a
 * scheme may leave jobs where they are. */
static bool order_matters(const struct engine_setting *setting)
{
    const int per_node = setting->cluster.gpus_per_node;
    const bool plain_nodes = (per_node & (per_node - 1)) == 0 && per_node <= 8;

    return setting->placement->place &&
           (setting->cluster.switches > 1 ||
            (!plain_nodes && setting->policy->rules.sets == SETS_ARE_LOST));
}

/* Rules that rest on others. */
static void check_rules(const struct policy *policy)
{
    const struct round_rules *rules = &policy->rules;

    assert(rules->work == WORK_ITERATIONS || rules->size == SIZE_REQUESTED);
    assert(rules->ends == ENDS_ARE_PLANNED || rules->adopt == ADOPT_LEVELS);
    assert(rules->charge != CHARGE_RESUMED || rules->work == WORK_DURATION);
    assert(rules->tick != TICK_AFTER_ARRIVALS || rules->ends == ENDS_ARE_NOTICED);
    assert(rules->place != PLACE_BY_SIZE_AND_ARRIVAL || rules->size == SIZE_REQUESTED);
    assert(policy->queues == 0 || rules->adopt == ADOPT_LEVELS);
    assert(policy->leases == (rules->work == WORK_LEASED));
    assert(policy->leases == (rules->tick == TICK_AT_LEASES));
    assert(policy->leases == (rules->late == LATE_BY_LEASE));
}

engine_t *engine_new(const struct engine_setting *setting, submissions_t *jobs, report_t *report,
                     struct error *error)
{
    engine_t *self = xcalloc(1, sizeof(*self));

    check_rules(setting->policy);
    assert(submissions_count(jobs) > 0);
    self->setting = *setting;
    self->rules = &setting->policy->rules;
    self->report = report;
    self->jobs = xcalloc(submissions_count(jobs), sizeof(*self->jobs));
    self->submissions = arena_new();
    self->cluster = cluster_new(&setting->cluster);
    self->events = event_queue_new();
    self->overheads = overheads_new(cluster_gpus(self->cluster), rounds_to_restart(setting));
    self->plan = plan_new();
    self->order_matters = order_matters(setting);
    if (setting->placement->place_turns)
        self->plan->slice_sets =
            slice_sets_new(cluster_node_count(self->cluster), cluster_gpus_per_node(self->cluster));
    if (setting->leasing.solver)
        self->setting.leasing.model = milp_new();
    if (setting->policy->leases)
        self->plan->leases = lease_book_new(cluster_gpus(self->cluster), submissions_count(jobs));
    self->metrics =
        metrics_new(setting->policy, cluster_gpus(self->cluster), submissions_count(jobs));
    self->orders_memory = arena_new();
    self->wake_s = NEVER_S;
    self->job_count = (int64_t)submissions_count(jobs);
    self->first_submit_s = submissions_at(jobs, 0)->submit_s;
    self->jobs[0].submission = submissions_at(jobs, 0);
    self->now_s = round_sees_arrival_s(self, &self->jobs[0]);
    self->last_retired_s = self->first_submit_s;
    for (size_t i = 0; i < submissions_count(jobs); i++) {
        self->jobs[i].submission = submissions_at(jobs, i);
        self->jobs[i].arrival = i;
        if (prepare_job(self, &self->jobs[i], error) < 0) {
            engine_destroy(&self);
            return NULL;
        }
    }
    return self;
}

void engine_destroy(engine_t **self)
{
    struct jobs *const lists[] = {
        *self ? &(*self)->live : NULL,     *self ? &(*self)->running : NULL,
        *self ? &(*self)->pending : NULL,  *self ? &(*self)->arrivals : NULL,
        *self ? &(*self)->due : NULL,      *self ? &(*self)->scratch : NULL,
        *self ? &(*self)->forecast : NULL, *self ? &(*self)->assigned : NULL,
    };

    if (!*self)
        return;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        free(lists[i]->items);
    for (size_t i = 0; i < (*self)->scalings.count; i++)
        free((*self)->scalings.items[i]);
    free((*self)->scalings.items);
    free((*self)->placed);
    free((*self)->requests);
    free((*self)->jobs);
    arena_destroy(&(*self)->submissions);
    milp_destroy(&(*self)->setting.leasing.model);
    arena_destroy(&(*self)->orders_memory);
    metrics_destroy(&(*self)->metrics);
    plan_destroy(&(*self)->plan);
    overheads_destroy(&(*self)->overheads);
    event_queue_destroy(&(*self)->events);
    cluster_destroy(&(*self)->cluster);
    free(*self);
    *self = NULL;
}

/* The jobs whose end is due and those that arrive, as the event has them now. */
static void collect_event(engine_t *self)
{
    const struct event *event = event_queue_first(self->events);

    self->arrivals.count = self->due.count = 0;
    if (!event || event->at_s > self->now_s) {
        assert(self->rules->tick != TICK_NEVER); /* nothing is due, the clock alone has called */
        return;
    }
    assert(event->at_s == self->now_s);
    for (struct job *job = event->starts; job; job = job->event_next)
        jobs_append(&self->arrivals, job);
    for (struct job *job = event->ends; job; job = job->event_next)
        jobs_append(&self->due, job);
    self->arrived += (int64_t)self->arrivals.count;
    if (self->arrivals.count > 0 || self->due.count > 0)
        self->event_s = self->now_s;
}

/* EF-Q46: with small slots a job can lose more to overheads than an interval is long, for ever. */
static int check_endless(const engine_t *self, struct error *error)
{
    if (self->idle_rounds < ENDLESS_ROUNDS || self->arrived < self->job_count ||
        self->plan->leases) /* there, check_starts has seen to it */
        return 0;
    return error_set(error,
                     "the run never ends: since %d rounds no job gets anything done, job %s among "
                     "%zu, because a slot of %" PRId64 " s is shorter than the overheads (EF-Q46)",
                     ENDLESS_ROUNDS, self->live.items[0]->submission->id, self->live.count,
                     self->setting.slot_s);
}

static int end_of_run(const engine_t *self, struct error *error)
{
    if (self->live.count == 0 || self->rules->too_large == TOO_LARGE_IS_FORGOTTEN)
        return 0;
    return error_set(error,
                     "job %s and %zu more never end: the event of their end was lost (EF-Q13)",
                     self->live.items[0]->submission->id, self->live.count - 1);
}

/* Whether nothing runs, and nothing will before nodes come. On leases GPUs are left free for slots to come. */
static bool is_stuck(const engine_t *self)
{
    if (self->assigned.count > 0 || self->live.count == 0)
        return false;
    for (size_t i = 0; i < self->live.count && self->plan->leases; i++)
        if (self->live.items[i]->submission->gpus_requested <= cluster_gpus_up(self->cluster))
            return false;
    return true;
}

/* On a real cluster the round comes early if something happens that it must see. */
static int64_t wait_until(engine_t *self, int64_t next_s, struct error *error)
{
    const struct backend *backend = self->setting.backend;
    const int64_t at_s = backend->wait(backend->self, self->now_s, next_s, is_stuck(self), error);

    if (at_s >= 0 && at_s < next_s)
        event_queue_add_wake(self->events, at_s);
    return at_s;
}

/* Moves on to the next event: 1, or 0 if there is none. */
static int advance(engine_t *self, struct error *error)
{
    int64_t next_s;

    overheads_end_round(self->overheads);
    if (self->rules->merge != MERGE_NEVER)
        event_queue_merge(self->events, self->now_s, self->setting.slot_s,
                          self->rules->merge == MERGE_UNLESS_SOLE);
    next_s = round_forecast(self);
    if (next_s == NEVER_S && self->troubled && self->live.count > 0) {
        next_s = self->now_s + self->setting.slot_s; /* somebody waits for what is gone */
        event_queue_add_wake(self->events, next_s);
    }
    if (next_s == NEVER_S)
        return end_of_run(self, error);
    if (self->setting.backend && (next_s = wait_until(self, next_s, error)) < 0)
        return -1;
    self->elapsed_s = next_s - self->now_s;
    self->now_s = next_s;
    return check_endless(self, error) < 0 ? -1 : 1;
}

int engine_round(engine_t *self, struct error *error)
{
    self->rounds++;
    metrics_start(self->metrics, self->now_s, self->elapsed_s, self->live.count);
    if (self->setting.policy->rearrange)
        round_rearrange(self);
    if (round_progress(self, error) < 0)
        return -1;
    collect_event(self);
    if (self->rules->event == EVENT_LEAVES_FIRST)
        event_queue_remove(self->events, self->now_s);
    round_forget_forecast(self);
    if (round_retire(self, error) < 0 ||
        (self->setting.backend && round_take_stock(self, error) < 0) ||
        round_admit(self, error) < 0 || round_allocate(self, error) < 0 ||
        round_place(self, error) < 0)
        return -1;
    report_round(self->report, self->now_s, self->cluster);
    if (self->plan->leases && self->plan->leases->round_held)
        report_lease_round(self->report, self->now_s, &self->plan->leases->round);
    metrics_place(self->metrics, self->cluster);
    metrics_queue(self->metrics, self->live.items, self->live.count);
    if (self->setting.backend && round_carry_out(self, error) < 0)
        return -1;
    if (self->rules->event == EVENT_LEAVES_LAST)
        event_queue_remove(self->events, self->now_s);
    round_charge(self);
    if (self->setting.backend)
        round_mark_risks(self);
    return advance(self, error);
}

struct engine_status engine_status(const engine_t *self)
{
    return (struct engine_status){.now_s = self->now_s,
                                  .rounds = self->rounds,
                                  .live = (int64_t)self->live.count,
                                  .settled = self->settled,
                                  .jobs = self->job_count};
}

struct figures engine_figures(const engine_t *self)
{
    struct figures figures = {.jobs = self->job_count,
                              .deadline_jobs = self->deadline_jobs,
                              .accepted = self->accepted,
                              .declined = self->declined,
                              .makespan_s = self->last_retired_s - self->first_submit_s};

    if (self->deadline_jobs > 0)
        figures.deadline_satisfaction = (double)self->accepted / (double)self->deadline_jobs;
    if (figures.makespan_s > 0)
        figures.gpu_utilisation =
            (double)self->held_gpu_s / ((double)figures.makespan_s * cluster_gpus(self->cluster));
    figures.lends = self->plan->leases != NULL;
    figures.outcomes.promises = self->setting.policy->promised_s != NULL;
    figures.leases.leasing = self->setting.leasing;
    (void)snprintf(figures.leases.solver, sizeof(figures.leases.solver), "%s",
                   self->setting.leasing.solver ? self->setting.leasing.solver->name : "none");
    report_count(self->report, &figures);
    metrics_count(self->metrics, &figures);
    return figures;
}
