/* overheads.c - see overheads.h. */
#include "tools/figure/overheads.h"

#include "common/memory.h"
#include "common/number.h"
#include "common/output.h"
#include "tools/local/command_crew.h"
#include "tools/trace_tools/overhead_trace.h"
#include "tools/trace_tools/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* The factor between emulated and real seconds: emulated work takes next to no real time. */
#define TIME_SCALE 1e6

/* The real time that a job is left alone after its start, at first and at most. If a job does not
 * train by then, all starts are measured again with a longer time. */
#define SETTLE_S     0.1
#define SETTLE_MOST  10.0
#define SETTLE_TIMES 4

/* The seconds for which a job trains after each start of the artifact's pre-runs, and for which the
 * artifact waits after the start. */
#define PRE_RUN_S 25

#define REPEATS   3
#define CASES_MAX 128

/* The starts of one model. The first start of a change only brings the job to the GPUs that the
 * change begins with. */
struct timed_case {
    size_t series;
    size_t setting; /* the setting of the first start that counts */
    int skipped;    /* number of starts before the first one that counts */
    int starts;
};

struct measuring {
    const struct experiment *experiment;
    char commands[PATH_BYTES];
    char table[PATH_BYTES];
    int64_t nodes;
    struct overhead_case cases[CASES_MAX];
    struct timed_case timed[CASES_MAX];
    size_t count;
    double *start_s; /* time of each start, from its command until the job trains */
    size_t start_count;
};

static struct overhead_case case_of(const char *name, const char *model, int batch_size)
{
    return (struct overhead_case){.name = name,
                                  .model = model,
                                  .batch_size = batch_size,
                                  .nodes = 2,
                                  .gpus_per_node = 8,
                                  .iterations = 1000000000000,
                                  .addresses = "127.0.0.1",
                                  .port = 9000};
}

static void add_case(struct measuring *self, const struct overhead_case *commands,
                     const struct timed_case *timed)
{
    if (self->count == CASES_MAX)
        return;
    self->cases[self->count] = *commands;
    self->timed[self->count++] = *timed;
}

/* Lists a pre-run, on up to 64 GPUs, of each batch size that the table has. */
static void list_pre_runs(struct measuring *self, const throughput_table_t *table)
{
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        for (size_t i = 0; i < throughput_count(table); i++) {
            const struct throughput_row *row = throughput_row_at(table, i);
            struct overhead_case commands = case_of("profile", row->model, row->batch_size);

            commands.nodes = self->nodes = 8;
            if (!strcmp(row->model, self->experiment->models[k]))
                add_case(self, &commands, &(struct timed_case){.setting = k});
        }
}

static int largest_batch(const throughput_table_t *table, const char *model)
{
    int largest = 0;

    for (size_t i = 0; i < throughput_count(table); i++) {
        const struct throughput_row *row = throughput_row_at(table, i);

        if (!strcmp(row->model, model) && row->batch_size > largest)
            largest = row->batch_size;
    }
    return largest;
}

/* Lists the changes: from 1 GPU to 2 and back, from 8 to 16 and back, from 8 to 8 others. */
static void list_changes(struct measuring *self, const throughput_table_t *table)
{
    self->nodes = 2;
    for (size_t i = 0; i < self->experiment->series_count * REPEATS; i++) {
        const size_t series = i % self->experiment->series_count;
        const char *model = self->experiment->models[series];
        const int batch_size = largest_batch(table, model);
        struct overhead_case commands = case_of("internode", model, batch_size);

        add_case(self, &commands, &(struct timed_case){series, 2, 1, 0});
        commands.name = "migration";
        commands.min_gpus = 8;
        add_case(self, &commands, &(struct timed_case){series, 4, 1, 0});
        commands = case_of("intranode", model, batch_size);
        commands.nodes = 1;
        commands.gpus_per_node = 2;
        add_case(self, &commands, &(struct timed_case){series, 0, 1, 0});
    }
}

static int write_commands(struct measuring *self, const throughput_table_t *table, double settle_s,
                          struct error *error)
{
    int starts[CASES_MAX];
    output_t *output = output_new(self->commands, error);
    int all;

    for (size_t i = 0; i < self->count; i++)
        self->cases[i].warm_up_s = self->cases[i].train_s = settle_s * TIME_SCALE;
    all =
        output ? overhead_trace_write(self->cases, self->count, table, starts, output, error) : -1;
    if (all >= 0 && output_commit(&output, error) < 0)
        all = -1;
    output_destroy(&output);
    for (size_t i = 0; all > 0 && i < self->count; i++)
        self->timed[i].starts = starts[i];
    self->start_count = all > 0 ? (size_t)all : 0;
    return all < 0 ? -1 : 0;
}

/* ---- the master's output ---- */

/* Adds the time in a row of the master's table to its start. A row "start" has the time from the
 * command, which also stops the job's earlier run, until all parts are ready. A row "train" has the
 * time from then until the job trains. Returns false if a time never ended or belongs to no
 * start. */
static bool take_row(struct measuring *self, const char *line, size_t *starts)
{
    char operation[16];
    char text[32];
    double seconds;

    if (sscanf(line, "%15s %*s %*s %31s", operation, text) != 2)
        return true;
    if (!strcmp(operation, "start"))
        ++*starts;
    else if (strcmp(operation, "train") != 0)
        return true;
    if (*starts == 0 || *starts > self->start_count ||
        number_parse_real(text, strlen(text), 0, 1e18, &seconds) != NUMBER_OK)
        return false;
    self->start_s[*starts - 1] += seconds / TIME_SCALE;
    return true;
}

/* Reads the table at the end of the master's output, below its heading. Returns 0; 1 if the table
 * is not complete; -1 with `error`. */
static int read_table(struct measuring *self, struct error *error)
{
    FILE *file = fopen(self->table, "r");
    char line[256];
    size_t starts = 0;
    bool begun = false;
    bool complete = true;

    if (!file)
        return error_set(error, "%s: %s", self->table, strerror(errno));
    memset(self->start_s, 0, self->start_count * sizeof(*self->start_s));
    while (complete && fgets(line, sizeof(line), file)) {
        if (begun)
            complete = take_row(self, line, &starts);
        begun = begun || !strncmp(line, "operation", strlen("operation"));
    }
    (void)fclose(file);
    return complete && starts == self->start_count ? 0 : 1;
}

/* Runs the master and reads its table. Returns like read_table, or 128 + n if signal n stopped the
 * master. */
static int run(struct measuring *self, const throughput_table_t *table, double settle_s,
               struct error *error)
{
    const struct command_crew_setting crew = {.commands = self->commands,
                                              .table = self->table,
                                              .gpu_type = self->experiment->gpu_type,
                                              .nodes = self->nodes,
                                              .gpus_per_node = 8,
                                              .time_scale = TIME_SCALE};
    int status;

    if (write_commands(self, table, settle_s, error) < 0)
        return -1;
    free(self->start_s);
    self->start_s = xcalloc(self->start_count, sizeof(*self->start_s));
    status = command_crew_run(&crew, error);
    return status == 0 ? read_table(self, error) : status;
}

/* ---- figures ---- */

static void sum_pre_runs(const struct measuring *self, struct overheads *overheads)
{
    const double *start_s = self->start_s;

    for (size_t i = 0; i < self->count; i++) {
        const struct timed_case *timed = &self->timed[i];

        for (int n = 0; n < timed->starts; n++)
            overheads->own_s[timed->series][timed->setting] += *start_s++;
        overheads->starts[timed->series][timed->setting] += timed->starts;
    }
    for (size_t k = 0; k < self->experiment->setting_count; k++)
        overheads->seconds[0][k] = overheads->own_s[0][k] + PRE_RUN_S * overheads->starts[0][k];
}

static int compare_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Takes the median of each change's repetitions. */
static void pick_changes(const struct measuring *self, struct overheads *overheads)
{
    double repeats[EXPERIMENT_SERIES_MAX][EXPERIMENT_SETTINGS_MAX][REPEATS] = {0};
    const double *start_s = self->start_s;

    for (size_t i = 0; i < self->count; i++) {
        const struct timed_case *timed = &self->timed[i];

        for (int n = timed->skipped; n < timed->starts; n++) {
            const size_t setting = timed->setting + (size_t)(n - timed->skipped);

            repeats[timed->series][setting][overheads->starts[timed->series][setting]++] =
                start_s[n];
        }
        start_s += timed->starts;
    }
    for (size_t i = 0; i < self->experiment->series_count; i++)
        for (size_t k = 0; k < self->experiment->setting_count; k++) {
            qsort(repeats[i][k], REPEATS, sizeof(double), compare_seconds);
            overheads->seconds[i][k] = overheads->own_s[i][k] = repeats[i][k][REPEATS / 2];
        }
}

static int prepare(struct measuring *self, const struct figure_setting *setting,
                   const throughput_table_t *table, struct error *error)
{
    char folder[PATH_BYTES - 16];

    (void)snprintf(folder, sizeof(folder), "%s/runs/figure%s", setting->output,
                   self->experiment->figure);
    (void)snprintf(self->commands, sizeof(self->commands), "%s/commands.txt", folder);
    (void)snprintf(self->table, sizeof(self->table), "%s/table.txt", folder);
    if (self->experiment->shows == SHOWS_PRE_RUNS)
        list_pre_runs(self, table);
    else
        list_changes(self, table);
    if (!setting->forced && access(self->commands, F_OK) == 0)
        return error_set(error,
                         "%s: is there already; name another folder with --output, or say --force "
                         "to replace it",
                         self->commands);
    return output_make_folder(folder, error) < 0 ? -1 : 0;
}

/* Measures all starts. Returns like run. */
static int measure(struct measuring *self, const struct figure_setting *setting,
                   struct error *error)
{
    throughput_table_t *table = tables_read(NULL, self->experiment->gpu_type, error);
    int status = table ? prepare(self, setting, table, error) : -1;

    if (status == 0)
        status = 1;
    for (double settle_s = SETTLE_S; status == 1 && settle_s <= SETTLE_MOST;
         settle_s *= SETTLE_TIMES)
        status = run(self, table, settle_s, error);
    throughput_destroy(&table);
    return status;
}

int overheads_measure(const struct experiment *experiment, const struct figure_setting *setting,
                      struct overheads *overheads, struct error *error)
{
    struct measuring *self = xcalloc(1, sizeof(*self));
    int status;

    *overheads = (struct overheads){.starts = {{0}}};
    self->experiment = experiment;
    status = measure(self, setting, error);
    if (status == 0 && experiment->shows == SHOWS_PRE_RUNS)
        sum_pre_runs(self, overheads);
    else if (status == 0)
        pick_changes(self, overheads);
    else if (status == 1)
        status =
            error_set(error, "%s: a job was stopped before it trained, many times", self->table);
    else if (status > 128) {
        error_set(error, "figure %s: stopped while it was measured", experiment->figure);
        status = 1;
    }
    free(self->start_s);
    free(self);
    return status;
}
