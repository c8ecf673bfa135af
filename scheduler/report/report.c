/* report.c - see report.h. */
#include "scheduler/report/report.h"

#include "common/input.h"
#include "common/json_text.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/output.h"
#include "common/sort.h"
#include "scheduler/policies/policy_report.h"
#include "scheduler/report/figures_json.h"
#include "scheduler/report/grant_report.h"
#include "scheduler/report/json_path.h"
#include "scheduler/report/layout_line.h"
#include "scheduler/report/result_folder.h"
#include "scheduler/report/run_figures.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION 1

struct report {
    result_folder_t *folder; /* NULL if nothing is written */
    output_t *jobs;
    output_t *rounds;
    layout_line_t *layout_line;
    output_t *work;
    output_t *outcome_file;
    output_t *timeline;
    output_t *cluster;
    struct use_line use_line;
    outcome_report_t *outcomes;
    output_t *own[POLICY_FILES_MAX]; /* files of the policy, NULL beyond the last */
    output_t *disturbances;          /* NULL unless report_keep_disturbances was called */
    output_t *grant_file;            /* NULL unless the policy makes its own grants */
    grant_report_t *grants;
    double *jcts_s;
    size_t finished;
    size_t capacity;
    int64_t round_count;
    struct use_curve use;
};

/* Opens the files that every run has. */
static int open_files(report_t *self, struct error *error)
{
    const struct {
        output_t **file;
        const char *name;
    } files[] = {{&self->jobs, RESULT_JOBS},         {&self->rounds, RESULT_ROUNDS},
                 {&self->work, RESULT_WORK},         {&self->outcome_file, RESULT_OUTCOMES},
                 {&self->timeline, RESULT_TIMELINE}, {&self->cluster, RESULT_CLUSTER}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        *files[i].file = result_folder_create(self->folder, files[i].name, error);
        if (!*files[i].file)
            return -1;
    }
    output_text(self->work, "job_id,measure,asked,credited,gpu_seconds\n");
    output_text(self->jobs, "retired_at,job_id,gpus_at_end,submit_time,start_time,end_time,"
                            "deadline,best_effort\n");
    output_text(self->rounds, "time,layout\n");
    self->layout_line = layout_line_new();
    timeline_report_begin(self->timeline, self->cluster);
    return 0;
}

report_t *report_new(const char *folder, bool forced, struct error *error)
{
    report_t *self = xcalloc(1, sizeof(*self));

    self->outcomes = outcome_report_new();
    if (!folder)
        return self;
    self->folder = result_folder_open(folder, forced, error);
    if (!self->folder || open_files(self, error) < 0)
        report_destroy(&self);
    return self;
}

int report_keep_own(report_t *self, const char *const names[], output_t *const **files,
                    struct error *error)
{
    *files = self->folder ? self->own : NULL;
    for (size_t i = 0; self->folder && names[i]; i++) {
        assert(i < POLICY_FILES_MAX);
        self->own[i] = result_folder_create(self->folder, names[i], error);
        if (!self->own[i])
            return -1;
    }
    return 0;
}

int report_keep_disturbances(report_t *self, struct error *error)
{
    if (!self->folder)
        return 0;
    self->disturbances = result_folder_create(self->folder, RESULT_DISTURBANCES, error);
    if (!self->disturbances)
        return -1;
    output_text(self->disturbances, "time,event,job_id,node,cause\n");
    return 0;
}

int report_keep_grants(report_t *self, struct error *error)
{
    if (!self->folder)
        return 0;
    self->grant_file = result_folder_create(self->folder, RESULT_GRANTS, error);
    if (!self->grant_file)
        return -1;
    self->grants = grant_report_new(self->grant_file);
    return 0;
}

void report_grants(report_t *self, int64_t now_s, const struct job *const live[], size_t count)
{
    if (self->grants)
        grant_report_round(self->grants, now_s, live, count);
}

void report_destroy(report_t **self)
{
    if (!*self)
        return;
    for (size_t i = 0; i < POLICY_FILES_MAX; i++)
        output_destroy(&(*self)->own[i]);
    output_destroy(&(*self)->jobs);
    output_destroy(&(*self)->rounds);
    layout_line_destroy(&(*self)->layout_line);
    output_destroy(&(*self)->work);
    output_destroy(&(*self)->outcome_file);
    output_destroy(&(*self)->timeline);
    output_destroy(&(*self)->cluster);
    outcome_report_destroy(&(*self)->outcomes);
    output_destroy(&(*self)->disturbances);
    grant_report_destroy(&(*self)->grants);
    output_destroy(&(*self)->grant_file);
    result_folder_destroy(&(*self)->folder);
    free((*self)->jcts_s);
    free(*self);
    *self = NULL;
}

/* Larger reals are whole, but not all fit into an integer. */
#define WHOLE_MAX 1e15

/* Writes a real as "%.17g" does. Whole numbers take a faster way. */
static void write_real(output_t *out, double value)
{
    if (value >= 0 && value < WHOLE_MAX && value == floor(value))
        output_whole(out, (int64_t)value);
    else
        output_format(out, "%.17g", value);
}

/* Writes a time: a whole number as such, any other as short as it can be read back. */
static void write_time(output_t *out, double time_s)
{
    char text[NUMBER_TEXT_BYTES];

    if (time_s == floor(time_s))
        output_whole(out, (int64_t)time_s);
    else
        output_text(out, number_print_real(time_s, text));
}

static void write_job(output_t *out, const struct job *job, int64_t retired_s)
{
    output_whole(out, retired_s);
    output_char(out, ',');
    output_text(out, job->submission->id);
    output_char(out, ',');
    output_whole(out, job_gpus(job));
    output_char(out, ',');
    output_whole(out, job->submission->submit_s);
    output_char(out, ',');
    output_whole(out, job_started_s(job));
    output_char(out, ',');
    write_time(out, job_ended_s(job));
    output_char(out, ',');
    output_whole(out, job->submission->deadline_s);
    output_text(out, job->submission->best_effort ? ",1\n" : ",0\n");
}

static void write_work(output_t *out, const struct job *job, enum work_measure done_by)
{
    const bool by_iterations = done_by == MEASURE_ITERATIONS;

    output_text(out, job->submission->id);
    output_text(out, by_iterations ? ",iterations," : ",seconds,");
    output_whole(out, by_iterations ? job->submission->iterations : job->submission->duration_s);
    output_char(out, ',');
    write_real(out, by_iterations ? job->iterations_credited : (double)job->attained_s);
    output_char(out, ',');
    output_whole(out, job->gpu_seconds);
    output_char(out, '\n');
}

void report_decided(report_t *self, const struct job *job, int64_t now_s,
                    const struct verdict *verdict)
{
    outcome_report_decided(self->outcomes, job, now_s, verdict);
}

void report_withdrawn(report_t *self, const struct job *job, int64_t now_s,
                      enum withdrawal_cause why, const char *cause)
{
    outcome_report_withdrawn(self->outcomes, job, now_s, why, cause);
}

void report_at_risk(report_t *self, const struct job *job, int64_t now_s, const char *cause)
{
    outcome_report_at_risk(self->outcomes, job, now_s, cause);
}

void report_falls(report_t *self, const struct job *job, int64_t now_s, enum withdrawal_cause why,
                  const char *cause)
{
    outcome_report_falls(self->outcomes, job, now_s, why, cause);
}

void report_orphaned(report_t *self, const struct job *job, int64_t now_s, const char *cause)
{
    outcome_report_orphaned(self->outcomes, job, now_s, cause);
    outcome_report_ended(self->outcomes, job);
}

void report_ended_early(report_t *self, const struct job *job)
{
    outcome_report_ended(self->outcomes, job);
}

void report_retired(report_t *self, const struct job *job, int64_t retired_s,
                    enum work_measure done_by)
{
    self->jcts_s = grow_array(self->jcts_s, self->finished, &self->capacity, sizeof(*self->jcts_s));
    self->jcts_s[self->finished++] = job_ended_s(job) - (double)job->submission->submit_s;
    outcome_report_ended(self->outcomes, job);
    if (!self->folder)
        return;
    write_job(self->jobs, job, retired_s);
    write_work(self->work, job, done_by);
}

void report_round(report_t *self, int64_t now_s, const cluster_t *cluster)
{
    self->round_count++;
    if (self->rounds)
        layout_line_write(self->layout_line, self->rounds, now_s, cluster);
}

void report_changes(report_t *self, int64_t now_s, const struct allocation_change changes[],
                    size_t count)
{
    if (self->timeline)
        timeline_report_changes(self->timeline, now_s, changes, count);
}

void report_use(report_t *self, int64_t now_s, const struct cluster_use *use)
{
    use_curve_step(&self->use, now_s, use->gpus_used, use->gpus_up);
    if (self->cluster)
        timeline_report_use(self->cluster, now_s, use, &self->use_line);
}

/* Writes a text quoted as in RFC 4180. */
static void write_quoted(output_t *out, const char *text)
{
    output_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            output_char(out, '"');
        output_char(out, *text);
    }
    output_char(out, '"');
}

void report_disturbance(report_t *self, int64_t now_s, const char *event, const struct job *job,
                        int node, const char *cause)
{
    output_t *out = self->disturbances;

    if (!out)
        return;
    output_whole(out, now_s);
    output_char(out, ',');
    output_text(out, event);
    output_char(out, ',');
    if (job)
        output_text(out, job->submission->id);
    output_char(out, ',');
    if (node >= 0)
        output_whole(out, node);
    output_char(out, ',');
    write_quoted(out, cause);
    output_char(out, '\n');
}

void report_survival(const report_t *self, const struct failure_rate *rate, int losses,
                     struct figures *figures)
{
    outcome_report_survival(self->outcomes, rate, losses, &figures->outcomes.survival);
}

void report_count(report_t *self, struct figures *figures)
{
    const size_t p99_rank = (self->finished * 99 + 99) / 100;
    double sum = 0;

    outcome_report_count(self->outcomes, &figures->outcomes);
    figures->rounds = self->round_count;
    figures->use = self->use;
    figures->finished = (int64_t)self->finished;
    if (self->finished == 0)
        return;
    sort_numbers(self->jcts_s, self->finished);
    for (size_t i = 0; i < self->finished; i++)
        sum += self->jcts_s[i];
    figures->jct_mean_s = sum / (double)self->finished;
    figures->jct_p99_s = self->jcts_s[p99_rank - 1];
}

static void add_pools(json_t *summary, const struct cluster_spec *spec)
{
    json_t *pools = json_array();

    for (int i = 0; i < spec->pool_count; i++)
        json_array_append_new(pools, json_pack("{s:s, s:s, s:i, s:i}", "name", spec->pools[i].name,
                                               "gpu_type", spec->pools[i].gpu_type, "nodes",
                                               pool_spec_nodes(&spec->pools[i]), "gpus",
                                               pool_spec_gpus(&spec->pools[i])));
    json_object_set_new(summary, "pools", pools);
}

static json_t *pack_world(const struct world_setting *world)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:f, s:f, s:I}", "faults", json_path(world->faults),
                     "node_mtbf_s", (json_int_t)world->node_mtbf_s, "node_repair_s",
                     (json_int_t)world->node_repair_s, "nodes_down", (json_int_t)world->nodes_down,
                     "checkpoint_interval_s", (json_int_t)world->checkpoint_s, "speed_error",
                     world->speed_error, "overhead_factor", world->overhead_factor, "seed",
                     (json_int_t)world->seed);
}

/* The folder that paths of inputs start from; null if it was removed. */
static json_t *working_folder(void)
{
    char *folder = getcwd(NULL, 0);
    json_t *text = json_path(folder);

    free(folder);
    return text;
}

static json_t *pack_survival(const struct survival_figures *survival)
{
    return json_pack("{s:i, s:f, s:f, s:I, s:f}", "losses", survival->losses, "mtbf_s",
                     survival->mtbf_s, "chance", survival->chance, "failures",
                     (json_int_t)survival->seen.count, "node_hours", survival->seen.node_s / 3600);
}

static void add_own(json_t *summary, const struct own_figures *own)
{
    json_object_set_new(summary, own->table->object ? own->table->object : "policy_figures",
                        figures_json(own->table->items, own->values));
}

json_t *report_summary(const struct setting_names *names, const struct figures *figures)
{
    json_t *summary =
        json_pack("{s:i, s:s, s:s, s:o, s:s, s:o, s:i, s:i, s:i, s:o, s:o, s:I, s:I, s:I, s:I}",
                  "schema_version", SCHEMA_VERSION, "policy", names->policy, "rules", names->rules,
                  "trace", json_path(names->trace), "placement", names->placement, "cluster",
                  json_path(names->cluster), "switches", names->switches, "nodes", names->nodes,
                  "gpus", names->gpus, "gpu_type", json_path(names->gpu_type), "throughputs",
                  json_path(names->throughputs), "slot_s", (json_int_t)names->slot_s,
                  "restart_threshold", (json_int_t)names->restart_threshold, "jobs",
                  (json_int_t)figures->jobs, "deadline_jobs", (json_int_t)figures->deadline_jobs);

    if (names->admission)
        json_object_set_new(summary, "admission", json_string(names->admission));
    json_object_set_new(summary, "folder", working_folder());
    json_object_set_new(summary, "inputs", files_read_summary(&names->files));
    if (names->options)
        json_object_set_new(summary, "options", json_deep_copy(names->options));
    if (names->policy_options)
        json_object_set_new(summary, "policy_options", json_deep_copy(names->policy_options));
    if (figures->own.table && !figures->own.table->object)
        add_own(summary, &figures->own);
    if (names->spec && names->spec->pool_count > 1)
        add_pools(summary, names->spec);
    run_figures_add(figures, PART_OUTCOMES, summary);
    if (figures->outcomes.survival.losses > 0)
        json_object_set_new(summary, "survival", pack_survival(&figures->outcomes.survival));
    run_figures_add(figures, PART_SOFT, summary);
    run_figures_add(figures, PART_COUNTS, summary);
    json_object_set_new(summary, "version", json_string(RUBATO_VERSION));
    run_figures_add(figures, PART_METRICS, summary);
    run_figures_add(figures, PART_QUEUES, summary);
    if (figures->own.table && figures->own.table->object)
        add_own(summary, &figures->own);
    if (!world_is_plain(names->world))
        json_object_set_new(summary, "world", pack_world(names->world));
    run_figures_add(figures, PART_BOUNDS, summary);
    run_figures_add(figures, PART_VALUE_BOUNDS, summary);
    if (figures->interrupted)
        json_object_set_new(summary, "interrupted", json_true());
    return summary;
}

static output_t *write_summary(const report_t *self, const struct setting_names *names,
                               const struct figures *figures, struct error *error)
{
    json_t *summary = report_summary(names, figures);
    char *text = json_text(summary);
    output_t *output = result_folder_create(self->folder, RESULT_SUMMARY, error);

    if (output)
        output_text(output, text);
    free(text);
    json_decref(summary);
    return output;
}

/* Completes all files, even if some cannot be written. `error` is about the first such file. */
static int finish_files(report_t *self, output_t **summary, struct error *error)
{
    output_t **files[9 + POLICY_FILES_MAX] = {&self->jobs,         &self->rounds,   &self->work,
                                              &self->outcome_file, &self->timeline, &self->cluster};
    size_t count = 6;
    struct error other;
    int result = 0;

    if (self->disturbances)
        files[count++] = &self->disturbances;
    if (self->grant_file)
        files[count++] = &self->grant_file;
    for (size_t i = 0; i < POLICY_FILES_MAX && self->own[i]; i++)
        files[count++] = &self->own[i];
    if (*summary)
        files[count++] = summary;
    for (size_t i = 0; i < count; i++)
        if (*files[i] && output_commit(files[i], result == 0 ? error : &other) < 0)
            result = -1;
    return result;
}

int report_commit(report_t *self, const struct setting_names *names, const struct figures *figures,
                  struct error *error)
{
    output_t *summary;
    int result;

    if (!self->folder)
        return 0;
    summary = write_summary(self, names, figures, error);
    if (self->outcome_file)
        outcome_report_write(self->outcomes, self->outcome_file);
    result = summary ? finish_files(self, &summary, error) : -1;
    if (result == 0)
        result = result_folder_commit(self->folder, error);
    if (result < 0)
        report_keep(self, error);
    return result;
}

const char *report_stage(const report_t *self)
{
    return self->folder ? result_folder_stage(self->folder) : NULL;
}

void report_keep(report_t *self, struct error *error)
{
    output_t *no_summary = NULL;
    struct error other;

    if (!self->folder)
        return;
    (void)finish_files(self, &no_summary, &other);
    result_folder_keep(self->folder, error);
}

void report_warn(const char *program, const struct figures *figures)
{
    const struct policy_figures *table = figures->own.table;
    struct error warning;

    if (table && table->warn && table->warn(figures->own.values, &warning))
        (void)fprintf(stderr, "%s: %s\n", program, warning.text);
}

void report_tell(const char *program, const char *folder)
{
    char shown[PATH_MAX];

    if (!folder)
        return;
    (void)input_printable(shown, sizeof(shown), folder, strlen(folder));
    (void)fprintf(stderr, "%s: results are in %s\n", program, shown);
}
