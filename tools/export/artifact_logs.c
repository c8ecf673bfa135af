/* artifact_logs.c - see artifact_logs.h. */
#include "tools/export/artifact_logs.h"

#include "common/csv.h"
#include "common/memory.h"
#include "common/number.h"
#include "common/output.h"
#include "scheduler/report/result_folder.h"
#include "tools/export/result_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_LOG      "job.csv"
#define FINAL_LOG     "final_result.csv"
#define EVENTS_LOG    "scheduling_events.csv"
#define RESOURCES_LOG "time-aware-with-lease_resource.csv"
#define LOGS_MAX      4

struct export
{
    const char *results;
    const char *folder;
    struct result_summary summary;
    output_t *logs[LOGS_MAX];
    size_t log_count;
};

static csv_t *open_result(const struct export *self, const char *name,
                          const struct csv_column columns[], size_t count, struct error *error)
{
    char path[4096];
    csv_t *csv;

    (void)snprintf(path, sizeof(path), "%s/%s", self->results, name);
    csv = csv_open(path, ',', error);
    if (csv && csv_expect(csv, columns, count, error) < 0)
        csv_destroy(&csv);
    return csv;
}

/* Opens a log, which is lent. The log gets its final name when all logs are written. */
static output_t *open_log(struct export *self, const char *name, struct error *error)
{
    char path[4096];
    output_t *log;

    (void)snprintf(path, sizeof(path), "%s/%s", self->folder, name);
    log = output_new(path, error);
    if (log)
        self->logs[self->log_count++] = log;
    return log;
}

/* ---- cluster.csv ---- */

enum { USE_TIME, USE_UP, USE_USED, USE_RUNNING, USE_WAITING, USE_EFFICIENCY, USE_COLUMNS };

static const struct csv_column use_columns[USE_COLUMNS] = {
    [USE_TIME] = {{"time"}, false},
    [USE_UP] = {{"gpus_up"}, false},
    [USE_USED] = {{"gpus_used"}, false},
    [USE_RUNNING] = {{"jobs_running"}, false},
    [USE_WAITING] = {{"jobs_waiting"}, false},
    [USE_EFFICIENCY] = {{"efficiency"}, false},
};

/* ---- scheduling_events.csv ---- */

enum { ROUND_TIME, ROUND_LAYOUT, ROUND_COLUMNS };

static const struct csv_column round_columns[ROUND_COLUMNS] = {
    [ROUND_TIME] = {{"time"}, false},
    [ROUND_LAYOUT] = {{"layout"}, false},
};

/* Sets the holder of each GPU from JOB@RANKxGPUS with blanks between them; -1 for none. */
static int read_layout(const csv_t *csv, int64_t holders[], int64_t gpus, struct error *error)
{
    const char *text = csv_get(csv, ROUND_LAYOUT).text;
    int64_t job;
    int64_t rank;
    int64_t count;
    int length;

    for (int64_t gpu = 0; gpu < gpus; gpu++)
        holders[gpu] = -1;
    for (; *text; text += length, text += *text == ' ') {
        length = 0;
        if (sscanf(text, "%9" SCNd64 "@%9" SCNd64 "x%9" SCNd64 "%n", &job, &rank, &count,
                   &length) != 3 ||
            job < 0 || rank < 0 || count < 1 || rank + count > gpus ||
            (text[length] != ' ' && text[length] != '\0'))
            return csv_complain(csv, ROUND_LAYOUT, "JOB@RANKxGPUS within the cluster", error);
        for (int64_t gpu = rank; gpu < rank + count; gpu++)
            holders[gpu] = job;
    }
    return 0;
}

static void write_event(output_t *log, const csv_t *rounds, const csv_t *uses,
                        const int64_t holders[], int64_t gpus)
{
    output_text(log, csv_get(rounds, ROUND_TIME).text);
    for (int64_t gpu = 0; gpu < gpus; gpu++) {
        output_char(log, ',');
        if (holders[gpu] >= 0)
            output_whole(log, holders[gpu]);
    }
    output_char(log, ',');
    output_text(log, csv_get(uses, USE_EFFICIENCY).text);
    output_char(log, '\n');
}

static void write_events_header(const struct export *self, output_t *log)
{
    const int64_t per_node = self->summary.gpus / self->summary.nodes;

    output_text(log, "time");
    for (int64_t gpu = 0; gpu < self->summary.gpus; gpu++)
        output_format(log, ",gpu%" PRId64 "-%" PRId64, gpu / per_node, gpu % per_node);
    output_text(log, ",ce\n");
}

/* Copies the rounds. Both files have a row for each round. */
static int copy_events(const struct export *self, csv_t *rounds, csv_t *uses, output_t *log,
                       struct error *error)
{
    const int64_t gpus = self->summary.gpus;
    int64_t *holders = xcalloc((size_t)gpus, sizeof(*holders));
    int status = 0;
    int got;

    write_events_header(self, log);
    while (status == 0 && (got = csv_next(rounds, error)) > 0) {
        if (csv_next(uses, error) <= 0 ||
            strcmp(csv_get(rounds, ROUND_TIME).text, csv_get(uses, USE_TIME).text) != 0)
            status = csv_complain(rounds, ROUND_TIME, "a time that " RESULT_CLUSTER " has", error);
        else
            status = read_layout(rounds, holders, gpus, error);
        if (status == 0)
            write_event(log, rounds, uses, holders, gpus);
    }
    free(holders);
    return status == 0 && got < 0 ? -1 : status;
}

static int write_events(struct export *self, struct error *error)
{
    csv_t *rounds = open_result(self, RESULT_ROUNDS, round_columns, ROUND_COLUMNS, error);
    csv_t *uses =
        rounds ? open_result(self, RESULT_CLUSTER, use_columns, USE_COLUMNS, error) : NULL;
    output_t *log = uses ? open_log(self, EVENTS_LOG, error) : NULL;
    int status = -1;

    if (log)
        status = copy_events(self, rounds, uses, log, error);
    csv_destroy(&uses);
    csv_destroy(&rounds);
    return status;
}

/* ---- scheduling_events.csv under leases ---- */

static int copy_uses(csv_t *uses, output_t *log, struct error *error)
{
    int64_t up;
    int64_t used;
    int got;

    output_text(log, "time,full_resource,free_resource,pending_num,running_num,ce\n");
    while ((got = csv_next(uses, error)) > 0) {
        if (csv_whole(uses, USE_UP, 0, INT32_MAX, &up, error) < 0 ||
            csv_whole(uses, USE_USED, 0, INT32_MAX, &used, error) < 0)
            return -1;
        output_format(log, "%s,%" PRId64 ",%" PRId64 ",%s,%s,%s\n", csv_get(uses, USE_TIME).text,
                      up, up - used, csv_get(uses, USE_WAITING).text,
                      csv_get(uses, USE_RUNNING).text, csv_get(uses, USE_EFFICIENCY).text);
    }
    return got;
}

static int write_uses(struct export *self, const char *name, struct error *error)
{
    csv_t *uses = open_result(self, RESULT_CLUSTER, use_columns, USE_COLUMNS, error);
    output_t *log = uses ? open_log(self, name, error) : NULL;
    int status = -1;

    if (log)
        status = copy_uses(uses, log, error);
    csv_destroy(&uses);
    return status;
}

/* ---- job.csv ---- */

enum { RETIRED, ID, GPUS, SUBMIT, START, END, DEADLINE, BEST_EFFORT, JOB_COLUMNS };

static const struct csv_column job_columns[JOB_COLUMNS] = {
    [RETIRED] = {{"retired_at"}, false}, [ID] = {{"job_id"}, false},
    [GPUS] = {{"gpus_at_end"}, false},   [SUBMIT] = {{"submit_time"}, false},
    [START] = {{"start_time"}, false},   [END] = {{"end_time"}, false},
    [DEADLINE] = {{"deadline"}, false},  [BEST_EFFORT] = {{"best_effort"}, false},
};

static int copy_job(const csv_t *jobs, output_t *log, struct error *error)
{
    const struct csv_cell cell = csv_get(jobs, END);
    char executed[NUMBER_TEXT_BYTES];
    int64_t submit_s;
    int64_t start_s;
    double end_s;

    if (csv_whole(jobs, SUBMIT, 0, INT64_MAX / 2, &submit_s, error) < 0 ||
        csv_whole(jobs, START, 0, INT64_MAX / 2, &start_s, error) < 0)
        return -1;
    if (number_parse_real(cell.text, cell.length, 0, 1e15, &end_s) != NUMBER_OK)
        return csv_complain(jobs, END, "seconds", error);
    for (size_t column = RETIRED; column <= DEADLINE; column++)
        output_format(log, "%s,", csv_get(jobs, column).text);
    output_format(log, "%s,%" PRId64 ",%" PRId64 ",0,0,%s\n",
                  number_print_real(end_s - (double)start_s, executed), (int64_t)end_s - submit_s,
                  start_s - submit_s, csv_get(jobs, BEST_EFFORT).text);
    return 0;
}

static int copy_jobs(csv_t *jobs, output_t *log, struct error *error)
{
    int got;

    output_text(log, "time,job_id,num_gpu,submit_time,start_time,end_time,ddl,executed_time,JCT,"
                     "pending_time,preempt,promote,best_effort_job\n");
    while ((got = csv_next(jobs, error)) > 0)
        if (copy_job(jobs, log, error) < 0)
            return -1;
    return got;
}

static int write_jobs(struct export *self, struct error *error)
{
    csv_t *jobs = open_result(self, RESULT_JOBS, job_columns, JOB_COLUMNS, error);
    output_t *log = jobs ? open_log(self, JOBS_LOG, error) : NULL;
    int status = -1;

    if (log)
        status = copy_jobs(jobs, log, error);
    csv_destroy(&jobs);
    return status;
}

/* ---- final_result.csv ---- */

/* Refuses to replace files with the names of logs, which may be a user's own, even the trace of the
 * run. */
static int check_free(const struct export *self, struct error *error)
{
    const char *const names[] = {JOBS_LOG, FINAL_LOG, EVENTS_LOG,
                                 self->summary.lends ? RESOURCES_LOG : NULL};
    char path[4096];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && names[i]; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", self->folder, names[i]);
        if (access(path, F_OK) == 0)
            return error_set(error,
                             "%s: is there already; name another folder for the logs, or say "
                             "--force to replace it",
                             path);
    }
    return 0;
}

static int write_final(struct export *self, struct error *error)
{
    const struct result_summary *summary = &self->summary;
    const int64_t jobs = summary->accepted + summary->declined;
    output_t *log = open_log(self, FINAL_LOG, error);
    char ratio[NUMBER_TEXT_BYTES];

    if (!log)
        return -1;
    number_print_real(jobs > 0 ? (double)summary->accepted / (double)jobs : 0, ratio);
    output_format(log,
                  "time,ddl_satis_ratio,cluster_spec,trace_file,scheduler,scheme\n"
                  "-,%s,%s,%s,%s,%s\n",
                  ratio, summary->cluster, summary->trace, summary->policy, summary->placement);
    return 0;
}

static int write_all(struct export *self, struct error *error)
{
    if (self->summary.lends) {
        if (write_uses(self, RESOURCES_LOG, error) < 0 || write_uses(self, EVENTS_LOG, error) < 0)
            return -1;
    } else if (write_events(self, error) < 0) {
        return -1;
    }
    return write_jobs(self, error) < 0 ? -1 : write_final(self, error);
}

/* Writes all logs. On failure neither a log nor a folder made for them stays. */
static int write_folder(struct export *self, struct error *error)
{
    const int made = output_make_folder(self->folder, error);
    int status = made < 0 ? -1 : write_all(self, error);

    if (status == 0)
        status = output_commit_all(self->logs, self->log_count, error);
    for (size_t i = 0; i < self->log_count; i++)
        output_destroy(&self->logs[i]);
    if (status < 0 && made > 0)
        output_remove_folders(self->folder, made);
    return status;
}

int artifact_logs_write(const char *results, const char *folder, bool forced, struct error *error)
{
    struct export self = {.results = results, .folder = folder};
    int status;

    if (result_summary_read(&self.summary, results, error) < 0)
        return -1;
    status = forced ? 0 : check_free(&self, error);
    if (status == 0)
        status = write_folder(&self, error);
    result_summary_free(&self.summary);
    return status;
}
