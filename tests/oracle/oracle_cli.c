/* oracle_cli.c - runs the oracle by hand, on files.
 *
 *     oracle POLICY TRACE CLUSTER.csv|SxNxG SLOT GPU_TYPE TABLES_DIR OUT_DIR
 *
 * writes OUT_DIR/jobs.csv and OUT_DIR/rounds.csv and prints the two counters. TABLES_DIR holds a
 * folder per GPU type, or the tables themselves, one CSV file per model. Exit status: 0 done, 1 the
 * reference would abort, 2 bad usage or files, 3 endless. In the environment, ORACLE_ROUNDS bounds
 * the rounds and ORACLE_CLEANED lists the quirks to do without: GA-Q3,GA-Q4. */
#define _POSIX_C_SOURCE 200809L

#include "oracle_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 1000000

static const char *const models[] = {"vgg16", "resnet50", "inception3",      "bert",
                                     "gpt2",  "cifar10",  "imagenet",        "deepspeech2",
                                     "ncf",   "yolov3",   "resnet50_cifar10"};
#define MODEL_COUNT (sizeof(models) / sizeof(models[0]))

static struct oracle_cell cell_of(const struct sheet *sheet, const char *text)
{
    struct oracle_cell cell = {.kind = ORACLE_CELL_NUMBER};
    char *end;

    if (text[0] == '\0')
        return (struct oracle_cell){.kind = ORACLE_CELL_EMPTY};
    if (strcmp(text, "nan") == 0)
        return (struct oracle_cell){.kind = ORACLE_CELL_NAN};
    cell.iters_per_s = strtod(text, &end);
    if (*end != '\0')
        die("%s: no throughput: '%s'", sheet->path, text);
    return cell;
}

static struct oracle_table table_of(struct oracle_call *memory, const struct sheet *sheet,
                                    const char *model)
{
    size_t level_count = sheet->column_count - 1;
    int *levels = oracle_resize(memory, NULL, level_count * sizeof(levels[0]) + 1);
    struct oracle_row *rows = oracle_resize(memory, NULL, sheet->row_count * sizeof(rows[0]) + 1);

    for (size_t i = 0; i < level_count; i++)
        levels[i] = atoi(sheet->columns[i + 1]);
    for (size_t i = 0; i < sheet->row_count; i++) {
        struct oracle_cell *cells = oracle_resize(memory, NULL, level_count * sizeof(cells[0]) + 1);

        for (size_t k = 0; k < level_count; k++)
            cells[k] = cell_of(sheet, sheet->rows[i][k + 1]);
        rows[i] = (struct oracle_row){.batch_size = atol(sheet->rows[i][0]), .cells = cells};
    }
    return (struct oracle_table){.model = model,
                                 .levels = levels,
                                 .level_count = level_count,
                                 .rows = rows,
                                 .row_count = sheet->row_count};
}

static struct oracle_tables tables_read_from(struct oracle_call *memory, const char *folder)
{
    struct oracle_table *tables = oracle_resize(memory, NULL, MODEL_COUNT * sizeof(tables[0]));
    size_t count = 0;

    for (size_t i = 0; i < MODEL_COUNT; i++) {
        struct sheet sheet;
        char path[LINE_MAX_BYTES];

        snprintf(path, sizeof(path), "%s/%s.csv", folder, models[i]);
        if (sheet_read(memory, &sheet, path) == 0 && sheet.column_count > 0)
            tables[count++] = table_of(memory, &sheet, models[i]);
    }
    return (struct oracle_tables){.at = tables, .count = count};
}

static struct oracle_tables tables_read(struct oracle_call *memory, const char *folder,
                                        const char *gpu_type)
{
    struct oracle_tables tables = tables_read_from(memory, folder);
    char path[LINE_MAX_BYTES];

    if (tables.count > 0)
        return tables;
    /* EF-Q5: whatever is not A100 is T4. */
    snprintf(path, sizeof(path), "%s/%s", folder, strcmp(gpu_type, "A100") == 0 ? "A100" : "T4");
    tables = tables_read_from(memory, path);
    if (tables.count == 0)
        die("%s: no tables", path);
    return tables;
}

static struct oracle_job *trace_read(struct oracle_call *memory, const char *path, size_t *count)
{
    struct oracle_job *jobs;
    struct sheet sheet;
    int best_effort;
    int duration;
    int num_gpu;

    if (sheet_read(memory, &sheet, path) < 0)
        die("%s: %s", path, strerror(errno));
    best_effort = sheet_column(&sheet, "best_effort", NULL);
    duration = sheet_column(&sheet, "duration", NULL);
    num_gpu = sheet_column(&sheet, "num_gpu", NULL);
    jobs = oracle_resize(memory, NULL, sheet.row_count * sizeof(jobs[0]) + 1);
    for (size_t i = 0; i < sheet.row_count; i++) {
        struct oracle_job *job = &jobs[i];

        *job = (struct oracle_job){
            .id = sheet_text(&sheet, i, sheet_column(&sheet, "job_id", NULL), "job_id"),
            .row = (int)i,
            .submit_s = sheet_integer(
                &sheet, i, sheet_column(&sheet, "submission_time", "submit_time"), "submit_time"),
            .iterations = sheet_integer(
                &sheet, i, sheet_column(&sheet, "iteration", "num_iteration"), "iteration"),
            .model = sheet_text(&sheet, i, sheet_column(&sheet, "model_name", NULL), "model_name"),
            .batch_size = (long)sheet_integer(&sheet, i, sheet_column(&sheet, "batch_size", NULL),
                                              "batch_size"),
            .best_effort =
                best_effort >= 0 && sheet_integer(&sheet, i, best_effort, "best_effort") == 1,
            .num_gpu = num_gpu >= 0 ? (long)sheet_integer(&sheet, i, num_gpu, "num_gpu") : -1,
            .duration_s = duration >= 0 ? sheet_integer(&sheet, i, duration, "duration") : 0};
        if (!job->best_effort)
            job->deadline_s =
                sheet_integer(&sheet, i, sheet_column(&sheet, "deadline", "ddl"), "deadline");
    }
    *count = sheet.row_count;
    return jobs;
}

static enum oracle_policy policy_of(const char *name)
{
    static const char *const names[] = {"ef-accessctrl", "ef",       "edf",   "edf-accessctrl",
                                        "gandiva",       "dlas-gpu", "themis"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return (enum oracle_policy)i;
    die("%s: no such policy", name);
}

int main(int argc, char **argv)
{
    struct oracle_call memory = {.blocks = NULL};
    const char *rounds_max = getenv("ORACLE_ROUNDS");
    struct oracle_run_result result;
    struct oracle_setting setting;
    struct oracle_cluster cluster;
    struct oracle_tables tables;
    struct oracle_job *jobs;
    size_t job_count;
    int exit_status;

    if (argc != 8)
        die("usage: oracle POLICY TRACE CLUSTER.csv|SxNxG SLOT GPU_TYPE TABLES_DIR OUT_DIR");
    setting = (struct oracle_setting){.policy = policy_of(argv[1]),
                                      .slot_s = atoi(argv[4]),
                                      .gpu_type = argv[5],
                                      .cleaned = cleaned_of(&memory, getenv("ORACLE_CLEANED"))};
    if (setting.slot_s < 1)
        die("%s: no slot length", argv[4]);
    jobs = trace_read(&memory, argv[2], &job_count);
    cluster = cluster_read(&memory, argv[3]);
    tables = tables_read(&memory, argv[6], setting.gpu_type);
    folder_make(argv[7]);

    oracle_run(&setting, &cluster, &tables, jobs, job_count,
               rounds_max ? atol(rounds_max) : ROUNDS_MAX, &result);
    file_write(argv[7], "jobs.csv", &result.jobs_csv);
    file_write(argv[7], "rounds.csv", &result.rounds_csv);
    printf("accepted jobs: %ld\ndeclined jobs: %ld\n", result.accepted, result.declined);
    fprintf(stderr, "rounds: %ld\n", result.rounds);
    if (result.status.outcome != ORACLE_DONE)
        fprintf(stderr, "oracle: %s (reason %d): %s\n",
                result.status.outcome == ORACLE_ABORT ? "abort" : "endless",
                (int)result.status.reason, result.status.text);
    exit_status = result.status.outcome == ORACLE_DONE    ? 0
                  : result.status.outcome == ORACLE_ABORT ? 1
                                                          : 3;
    oracle_run_result_clear(&result);
    oracle_call_end(&memory);
    return exit_status;
}
