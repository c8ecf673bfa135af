/* run.c - see run.h. */
#include "scheduler/run/run.h"

#include "common/clock.h"
#include "common/memory.h"
#include "protocol/job_number.h"
#include "scheduler/record/record.h"
#include "scheduler/report/earlier_run.h"
#include "scheduler/report/kept_inputs.h"
#include "scheduler/report/progress.h"
#include "scheduler/run/bounds.h"
#include "scheduler/run/input_files.h"
#include "scheduler/run/inputs.h"
#include "scheduler/run/metrics.h"
#include "scheduler/run/run_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const struct simulation *simulation;
    const struct driver *driver;
    struct inputs inputs;
    engine_t *engine;
    report_t *report;
    void *own_report; /* own results of the policy, NULL for none */
    allocation_changes_t *changes;
    metrics_t *metrics;    /* NULL, as `changes` is, if only counts are wanted */
    progress_line_t *line; /* NULL for none */
    record_t *record;      /* NULL for none */
    kept_inputs_t *copies; /* NULL for none */
    struct trace_bounds bounds;
};

engine_t *run_engine(run_t *self)
{
    return self->engine;
}

const struct simulation *run_simulation(const run_t *self)
{
    return self->simulation;
}

bool run_stop_asked(const run_t *self)
{
    return self->simulation->label && progress_stop_asked();
}

/* A long step calls this now and then. Whether the step is to stop. */
static bool attend(void *owner)
{
    const run_t *self = owner;

    if (self->driver->attend)
        self->driver->attend(self->driver->self);
    return run_stop_asked(self);
}

/* ---- results of a step ---- */

static void watch(run_t *self)
{
    struct engine_status status;

    if (!self->line || !progress_is_due(self->line))
        return;
    status = engine_status(self->engine);
    progress_show(self->line, &(struct progress_status){.now_s = status.now_s,
                                                        .rounds = status.rounds,
                                                        .settled = status.settled,
                                                        .jobs = status.jobs});
}

static void report_retirement(run_t *self, const struct retirement *retired)
{
    const struct policy_report *own = self->inputs.setting.policy->report;

    report_retired(self->report, retired->job, retired->on_record_s, retired->done_by);
    if (own)
        own->retired(self->own_report, engine_policy_memory(self->engine), retired->job,
                     retired->late);
}

static void report_trouble(run_t *self, int64_t now_s, const struct disturbance *disturbance)
{
    if (disturbance->kind == DISTURBANCE_HELD)
        report_ended_early(self->report, disturbance->job);
    if (disturbance_withdraws(disturbance))
        report_withdrawn(self->report, disturbance->job, now_s, disturbance->why,
                         disturbance->cause);
    if (disturbance->kind == DISTURBANCE_ORPHANED)
        report_orphaned(self->report, disturbance->job, now_s, disturbance->cause);
    if (disturbance->kind == DISTURBANCE_AT_RISK)
        report_at_risk(self->report, disturbance->job, now_s, disturbance->cause);
    if (disturbance->kind == DISTURBANCE_FALLS)
        report_falls(self->report, disturbance->job, now_s, disturbance->why, disturbance->cause);
    if (disturbance->kind != DISTURBANCE_BEHIND)
        report_disturbance(self->report, now_s, disturbance_word(disturbance), disturbance->job,
                           disturbance->node, disturbance->cause);
}

static void report_allocations(run_t *self, const struct decision *decision)
{
    size_t count;
    const struct allocation_change *changes =
        allocation_changes_step(self->changes, decision, &count);
    const struct cluster_use use = allocation_changes_use(self->changes, decision);

    report_changes(self->report, decision->now_s, changes, count);
    report_use(self->report, decision->now_s, &use);
    metrics_step(self->metrics, decision, changes, count, engine_policy_memory(self->engine));
}

static void report_step(run_t *self, const struct decision *decision)
{
    const struct policy_report *own = self->inputs.setting.policy->report;

    for (size_t i = 0; i < decision->decided_count; i++)
        report_decided(self->report, decision->decided[i].job, decision->now_s,
                       &decision->decided[i].verdict);
    for (size_t i = 0; i < decision->retired_count; i++)
        report_retirement(self, &decision->retired[i]);
    for (size_t i = 0; i < decision->disturbance_count; i++)
        report_trouble(self, decision->now_s, &decision->disturbances[i]);
    if (decision->round == 0)
        return;
    report_round(self->report, decision->now_s, decision->cluster);
    if (self->inputs.setting.policy->own_grants)
        report_grants(self->report, decision->now_s, decision->live, decision->live_count);
    if (own)
        own->round(self->own_report, engine_policy_memory(self->engine), decision->now_s);
    if (self->metrics)
        report_allocations(self, decision);
}

static bool hangs_on_clock(const run_t *self)
{
    const struct policy *policy = self->inputs.setting.policy;

    return policy->by_clock && policy->by_clock(engine_policy_memory(self->engine));
}

/* Makes a step of the engine, and records it. */
static int decide(run_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count,
                  struct decision *decision, struct error *error)
{
    int status;

    if (!self->record)
        return engine_step(self->engine, now_s, occurrences, count, decision, error);
    occurrences = record_occurrences(self->record, self->engine, now_s, occurrences, count);
    status = engine_step(self->engine, now_s, occurrences, count, decision, error);
    record_decision(self->record, status == 0 ? decision : NULL, hangs_on_clock(self), error);
    return status;
}

int run_step(run_t *self, int64_t now_s, const struct occurrence occurrences[], size_t count,
             struct decision *decision, struct error *error)
{
    journal_t *journal = self->driver->journal;

    if (journal)
        occurrences = journal_occurrences(journal, self->engine, now_s, occurrences, count);
    if (decide(self, now_s, occurrences, count, decision, error) < 0)
        return -1;
    if (journal)
        journal_decision(journal, decision, hangs_on_clock(self));
    report_step(self, decision);
    watch(self);
    return 0;
}

int run_again(run_t *self, struct decision *decision, struct error *error)
{
    journal_t *journal = self->driver->journal;
    struct journaled_step step;
    const int got = journal_next(journal, self->engine, &step, error);

    if (got <= 0)
        return got;
    if (decide(self, step.now_s, step.occurrences, step.count, decision, error) < 0)
        return -1;
    if (journal_check(journal, &step, decision, error) < 0)
        return step.by_clock
                   ? -1
                   : error_append(error, "; only the version that wrote the step can go on");
    report_step(self, decision);
    watch(self);
    return 1;
}

int64_t run_begins_s(const run_t *self)
{
    return submissions_at(self->inputs.submissions, 0)->submit_s;
}

int run_begin(run_t *self, const struct occurrence more[], size_t more_count,
              struct decision *decision, struct error *error)
{
    const size_t count = submissions_count(self->inputs.submissions);
    struct occurrence *announced = inputs_announce(&self->inputs, more_count);
    int status;

    for (size_t i = 0; i < more_count; i++)
        announced[count + i] = more[i];
    status = run_step(self, run_begins_s(self), announced, count + more_count, decision, error);
    free(announced);
    return status;
}

/* ---- figures ---- */

/* Counts with the failure rate of the simulated world, or else with that of the nodes in this
 * run. */
static void count_survival(const run_t *self, struct figures *figures)
{
    const struct world_setting *world = self->simulation->world;
    const int losses = inputs_terms(&self->inputs).losses;
    const struct failures seen =
        engine_failures(self->engine, engine_status(self->engine).last_retired_s);
    const double seen_s = seen.count > 0 ? seen.node_s / (double)seen.count : 0;
    const struct failure_rate rate =
        failure_rate_certain(world && world->node_mtbf_s > 0 ? (double)world->node_mtbf_s : seen_s);

    if (losses == 0 || !figures->outcomes.promises)
        return;
    report_survival(self->report, &rate, losses, figures);
    figures->outcomes.survival.seen = seen;
}

static void count_own(const run_t *self, struct own_figures *figures)
{
    const struct policy *policy = self->inputs.setting.policy;

    figures->table = policy->figures;
    if (!policy->figures)
        return;
    assert(policy->figures->size <= sizeof(figures->values));
    if (policy->count)
        policy->count(engine_policy_memory(self->engine), figures->values);
    if (policy->report && policy->report->count)
        policy->report->count(self->own_report, figures->values);
}

static struct figures count_figures(const run_t *self)
{
    const struct engine_status status = engine_status(self->engine);
    const struct policy *policy = self->inputs.setting.policy;
    const int gpus = cluster_spec_gpus(&self->inputs.setting.cluster);
    struct figures figures = {.jobs = status.jobs,
                              .deadline_jobs = status.deadline_jobs,
                              .accepted = status.accepted,
                              .declined = status.declined,
                              .makespan_s = status.last_retired_s - status.first_submit_s};

    figures.outcomes.promises = policy->admission->promises;
    if (figures.deadline_jobs > 0)
        figures.deadline_satisfaction = (double)figures.accepted / (double)figures.deadline_jobs;
    if (figures.makespan_s > 0)
        figures.gpu_utilisation = (double)status.held_gpu_s / ((double)figures.makespan_s * gpus);
    count_own(self, &figures.own);
    report_count(self->report, &figures);
    if (figures.deadline_jobs > 0)
        figures.on_time_share = (double)figures.outcomes.on_time / (double)figures.deadline_jobs;
    count_survival(self, &figures);
    if (self->metrics)
        metrics_count(self->metrics, &figures);
    return figures;
}

/* ---- from inputs to results ---- */

/* Whether the results of a stopped run are kept: a real cluster's work cannot be run again, unless
 * a journal goes on with it. */
static bool keeps_what_was_done(const run_t *self)
{
    return self->driver->is_real && self->simulation->log_path && !self->driver->journal;
}

static int say_stopped(const run_t *self, struct error *error)
{
    const struct engine_status status = engine_status(self->engine);
    const bool kept = keeps_what_was_done(self);
    const char *what = self->driver->journal
                           ? "its jobs train on, and the same command goes on with the run"
                       : kept ? "what was done until then is in "
                              : "no result is written";

    error_set(error,
              "stopped at %" PRId64 " s of %s with %" PRId64 " of %" PRId64 " jobs settled; %s%s",
              status.now_s, self->driver->is_real ? "the run" : "simulated time", status.settled,
              status.jobs, what, kept ? self->simulation->log_path : "");
    return 1;
}

static int check_jobs(run_t *self, struct error *error)
{
    for (size_t i = 0; i < submissions_count(self->inputs.submissions); i++)
        if (engine_check(self->engine, submissions_at(self->inputs.submissions, i), error) < 0)
            return -1;
    return 0;
}

static int drive(run_t *self, struct error *error)
{
    const struct driver *driver = self->driver;
    int status;

    if (driver->is_real && check_jobs(self, error) < 0)
        return -1;
    if (driver->open && driver->open(driver->self, &self->inputs.setting.cluster, error) < 0) {
        if (driver->close)
            driver->close(driver->self, error->text);
        return run_stop_asked(self) ? 1 : -1;
    }
    self->line = self->simulation->label ? progress_new(self->simulation->label) : NULL;
    status = driver->drive(driver->self, self, error);
    progress_destroy(&self->line);
    if (status > 0 || (status < 0 && run_stop_asked(self)))
        status = say_stopped(self, error);
    if (driver->close)
        driver->close(driver->self, status == 0 ? "the run is over" : error->text);
    return status;
}

static int commit(run_t *self, bool interrupted, double started_s, struct simulation_result *result,
                  struct error *error)
{
    struct setting_names names = inputs_names(&self->inputs, self->simulation);
    int status;

    result->figures = count_figures(self);
    result->figures.wall_s = clock_s() - started_s;
    result->figures.interrupted = interrupted;
    result->figures.has_bounds = self->simulation->wants_bounds;
    result->figures.bounds = self->bounds;
    result->cluster = self->inputs.setting.cluster;
    result->nodes = names.nodes;
    result->gpus = names.gpus;
    status = report_commit(self->report, &names, &result->figures, error);
    if (status == 0 && self->copies)
        kept_inputs_keep(self->copies);
    if (status == 0)
        result->summary =
            self->simulation->wants_summary ? report_summary(&names, &result->figures) : NULL;
    return status;
}

/* Completes the record, which has all steps up to here, even if the run failed. */
static int end_record(run_t *self, int status, struct error *error)
{
    static const enum record_end ends[] = {RECORD_FAILED, RECORD_OVER, RECORD_STOPPED};
    const char *path = self->simulation->record;
    const char *why = status != 0 ? error->text : "";
    struct error own;

    if (!self->record)
        return status;
    if (record_commit(&self->record, ends[status + 1], why, &own) < 0) {
        if (status != 0)
            return error_append(error, "; %s", own.text), status;
        *error = own;
        return -1;
    }
    if (status != 0)
        (void)error_append(error, "; the record up to there is in %s", path);
    return status;
}

static int run_engine_of(run_t *self, struct simulation_result *result, struct error *error)
{
    const double started_s = clock_s();
    int status;

    if (self->simulation->only_check)
        return check_jobs(self, error);
    status = end_record(self, drive(self, error), error);
    if (status == 0 || (status == 1 && keeps_what_was_done(self)))
        return commit(self, status == 1, started_s, result, error) < 0 ? -1 : status;
    if (keeps_what_was_done(self) && engine_status(self->engine).rounds > 0)
        report_keep(self->report, error);
    return status;
}

static bool may_be_disturbed(const run_t *self)
{
    return self->driver->is_real || !world_is_plain(self->simulation->world) ||
           self->inputs.setting.cluster.end_count > 0;
}

static void open_metrics(run_t *self)
{
    const struct engine_setting *setting = &self->inputs.setting;

    self->changes = allocation_changes_new(setting->gpu_type, self->inputs.unasked);
    self->metrics = metrics_new(setting->policy, cluster_spec_gpus(&setting->cluster));
}

/* Checks that the results may replace those of an earlier run. */
static int check_earlier(const run_t *self, struct error *error)
{
    const struct simulation *simulation = self->simulation;
    struct setting_names names;

    if (!simulation->log_path || !simulation->keeps_others || simulation->forced)
        return 0;
    names = inputs_names(&self->inputs, simulation);
    return earlier_run_check(simulation->log_path, &names, error);
}

static int open_own_report(run_t *self, struct error *error)
{
    const struct policy_report *own = self->inputs.setting.policy->report;
    output_t *const *files;

    if (!own)
        return 0;
    if (report_keep_own(self->report, own->files, &files, error) < 0)
        return -1;
    self->own_report = own->open(files);
    return 0;
}

static int open_reports(run_t *self, struct error *error)
{
    if (check_earlier(self, error) < 0)
        return -1;
    self->report = report_new(self->simulation->log_path, self->simulation->forced, error);
    if (!self->report || open_own_report(self, error) < 0 ||
        (may_be_disturbed(self) && report_keep_disturbances(self->report, error) < 0) ||
        (self->inputs.setting.policy->own_grants && report_keep_grants(self->report, error) < 0))
        return -1;
    if (!self->simulation->counts_only)
        open_metrics(self);
    return 0;
}

/* Whether the run continues from a journal. Its record then has the earlier steps, too. */
static bool goes_on(const run_t *self)
{
    return self->driver->journal && journal_steps(self->driver->journal) > 0;
}

static int open_record(run_t *self, struct error *error)
{
    const struct record_setting setting = inputs_recorded(&self->inputs, self->simulation);

    if (!self->simulation->record)
        return 0;
    self->record = record_new(self->simulation->record, self->simulation->forced || goes_on(self),
                              &setting, self->driver->is_real, error);
    return self->record ? 0 : -1;
}

static int copy_inputs(run_t *self, struct error *error)
{
    const struct files_read files = input_files_list(&self->inputs, self->simulation);

    if (!self->simulation->with_inputs || self->simulation->only_check)
        return 0;
    self->copies = kept_inputs_new(self->simulation->log_path, &files, error);
    return self->copies ? 0 : -1;
}

/* Gives the jobs numbers with this run's id: jobs of different runs meet on the nodes of a real
 * cluster. */
static void number_jobs(const run_t *self)
{
    const journal_t *journal = self->driver->journal;
    const uint32_t kept = journal ? journal_run(journal) : self->simulation->run_id;
    const uint32_t run = kept != 0 ? kept : job_number_draw_run();

    for (size_t i = 0; i < submissions_count(self->inputs.submissions); i++) {
        struct submission *job = submissions_at(self->inputs.submissions, i);

        job->number = job_number_make(run, job_number_row(job->number));
    }
}

static int settle_state(run_t *self, struct error *error)
{
    if (!self->driver->journal || self->simulation->only_check)
        return 0;
    return run_state_settle(self->driver->journal, &self->inputs, self->simulation, self->report,
                            error);
}

static int read_all(run_t *self, struct error *error)
{
    const struct driver *driver = self->driver;

    if (inputs_read(&self->inputs, self->simulation, error) < 0 ||
        (!driver->knows_ends && inputs_refuse_ends(&self->inputs, "a real cluster", error) < 0))
        return -1;
    return driver->read ? driver->read(driver->self, &self->inputs.setting.cluster, error) : 0;
}

static int run_all(run_t *self, struct simulation_result *result, struct error *error)
{
    if (read_all(self, error) < 0)
        return -1;
    if (self->driver->is_real)
        number_jobs(self);
    if (run_stop_asked(self)) {
        error_set(error, "stopped while reading the inputs; no result is written");
        return 1;
    }
    if (open_reports(self, error) < 0 || copy_inputs(self, error) < 0 ||
        open_record(self, error) < 0)
        return -1;
    self->inputs.setting.lists_holdings = self->driver->is_real || self->record;
    self->inputs.setting.sets_aside = !may_be_disturbed(self) && !self->record;
    self->engine = engine_new(&self->inputs.setting, error);
    if (!self->engine || settle_state(self, error) < 0)
        return -1;
    return run_engine_of(self, result, error);
}

/* Catches signals. A second signal ends a simulation at once, but no run on a real cluster, whose
 * work cannot be done again. */
static void catch_signals(const struct driver *driver)
{
    progress_catch_signals();
    if (!driver->is_real)
        progress_end_at_second();
}

int run_execute(const struct simulation *simulation, const struct driver *driver,
                struct simulation_result *result, struct error *error)
{
    run_t self = {.simulation = simulation, .driver = driver};
    int status;

    self.inputs.stop = (struct stop){attend, &self};
    if (simulation->wants_bounds && bounds_find_usual(simulation, &self.bounds, error) < 0)
        return -1;
    if (simulation->label) /* before this a signal ends the program at once */
        catch_signals(driver);
    status = run_all(&self, result, error);
    record_destroy(&self.record);
    engine_destroy(&self.engine);
    metrics_destroy(&self.metrics);
    allocation_changes_destroy(&self.changes);
    kept_inputs_destroy(&self.copies);
    if (self.own_report)
        self.inputs.setting.policy->report->close(self.own_report);
    report_destroy(&self.report);
    inputs_free(&self.inputs);
    return status;
}
