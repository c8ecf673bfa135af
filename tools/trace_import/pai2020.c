/* pai2020.c - Alibaba's GPU trace of 2020, from the Platform of Artificial Intelligence: two tables
 * of CSV without a header. The job table has the arrival of each job. A job has tasks, each with a
 * number of instances that ask for hundredths of a GPU. A job ran from the first start of a task to
 * the last end of a task.
 *
 * Source: Weng et al., "MLaaS in the Wild: Workload Analysis and Scheduling in Large-Scale
 * Heterogeneous GPU Clusters", NSDI 2022. */
#include "common/memory.h"
#include "tools/trace_import/format.h"
#include "tools/trace_import/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOB_NAME, JOB_USER = 2, JOB_STATE = 3, JOB_SUBMIT = 4, JOB_FIELDS = 6 };
enum { TASK_JOB, TASK_INSTANCES = 2, TASK_START = 4, TASK_END = 5, TASK_GPU = 8, TASK_FIELDS = 10 };

/* A row of the job table, completed by the job's tasks. */
struct job {
    char *name;
    char *user;
    char *state;
    int64_t line;
    double submit_s;
    double start_s;
    double end_s;
    double gpus;
};

struct job_table {
    struct job *jobs;
    size_t count;
    size_t capacity;
};

static int check_count(const split_t *line, size_t wanted, struct error *error)
{
    char expected[40];

    if (split_count(line) == wanted)
        return 0;
    (void)snprintf(expected, sizeof(expected), "%zu fields between commas", wanted);
    return split_complain_count(line, expected, error);
}

static int read_job(struct job_table *table, const split_t *line, struct error *error)
{
    struct job job = {.line = split_line(line), .start_s = NAN, .end_s = NAN};

    if (check_count(line, JOB_FIELDS, error) < 0 ||
        split_known_real(line, JOB_SUBMIT, "start_time", &job.submit_s, error) < 0)
        return -1;
    job.name = xstrdup(split_at(line, JOB_NAME));
    job.user = xstrdup(split_at(line, JOB_USER));
    job.state = xstrdup(split_at(line, JOB_STATE));
    table->jobs = grow_array(table->jobs, table->count, &table->capacity, sizeof(*table->jobs));
    table->jobs[table->count++] = job;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct job *)a)->name, ((const struct job *)b)->name);
}

static int compare_name(const void *name, const void *job)
{
    return strcmp(name, ((const struct job *)job)->name);
}

static int by_line(const void *a, const void *b)
{
    const int64_t x = ((const struct job *)a)->line;
    const int64_t y = ((const struct job *)b)->line;

    return (x > y) - (x < y);
}

/* Adds a task to its job in the table, which is sorted by name. Skips a task whose job belongs to
 * another part of the trace. */
static int read_task(struct job_table *table, const split_t *line, struct error *error)
{
    struct job *job;
    double instances;
    double hundredths;
    double start_s;
    double end_s;

    if (check_count(line, TASK_FIELDS, error) < 0 ||
        split_known_real(line, TASK_INSTANCES, "inst_num", &instances, error) < 0 ||
        split_known_real(line, TASK_GPU, "plan_gpu", &hundredths, error) < 0 ||
        split_known_real(line, TASK_START, "start_time", &start_s, error) < 0 ||
        split_known_real(line, TASK_END, "end_time", &end_s, error) < 0)
        return -1;
    job = table->count > 0 ? bsearch(split_at(line, TASK_JOB), table->jobs, table->count,
                                     sizeof(*table->jobs), compare_name)
                           : NULL;
    if (!job)
        return 0;
    job->start_s = fmin(job->start_s, start_s);
    job->end_s = fmax(job->end_s, end_s);
    if (instances > 0 && hundredths > 0)
        job->gpus += instances * hundredths / 100;
    return 0;
}

typedef int row_fn(struct job_table *table, const split_t *line, struct error *error);

static int read_rows(const char *path, row_fn *read_row, struct job_table *table,
                     struct error *error)
{
    split_t *line = split_open(path, ',', '\0', error);
    int got = -1;

    if (!line)
        return -1;
    while ((got = split_next(line, error)) > 0)
        if (read_row(table, line, error) < 0) {
            got = -1;
            break;
        }
    split_destroy(&line);
    return got;
}

static void sort(struct job_table *table, int (*compare)(const void *, const void *))
{
    if (table->count > 1)
        qsort(table->jobs, table->count, sizeof(*table->jobs), compare);
}

static int add_jobs(const struct job_table *table, const char *path, foreign_t *jobs,
                    struct error *error)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct job *from = &table->jobs[i];
        struct foreign_job job = {
            .name = from->name, .user = from->user, .submit_s = from->submit_s, .gpus = from->gpus};

        foreign_span(&job, from->start_s, from->end_s, from->state);
        if (foreign_add(jobs, &job, path, from->line, error) < 0)
            return -1;
    }
    return 0;
}

int pai2020_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                 struct error *error)
{
    struct job_table table = {.jobs = NULL};
    int result = read_rows(paths[0], read_job, &table, error);

    (void)setting;
    sort(&table, by_name);
    if (result == 0)
        result = read_rows(paths[1], read_task, &table, error);
    sort(&table, by_line);
    if (result == 0)
        result = add_jobs(&table, paths[0], jobs, error);
    for (size_t i = 0; i < table.count; i++) {
        free(table.jobs[i].name);
        free(table.jobs[i].user);
        free(table.jobs[i].state);
    }
    free(table.jobs);
    return result;
}
