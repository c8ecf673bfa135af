/* gpu2023.c - the pods of Alibaba's GPU trace of 2023: CSV, seconds from the beginning of the
 * trace, and thousandths of a GPU where pods share a GPU.
 *
 * Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
 * Fragmentation Gradient Descent", USENIX ATC 2023. */
#include "tools/trace_import/table.h"

enum { NAME, GPUS, MILLI, CREATED, DELETED, SCHEDULED };

static const struct csv_column columns[] = {
    {{"name"}, false},          {{"num_gpu"}, false},       {{"gpu_milli"}, false},
    {{"creation_time"}, false}, {{"deletion_time"}, false}, {{"scheduled_time"}, false},
};

/* Reads a pod. A pod of one GPU may use part of the GPU; a pod of several GPUs uses them whole. */
static int read_pod(csv_t *csv, const struct format_setting *setting, struct foreign_job *job,
                    struct error *error)
{
    double milli;
    double deleted_s;
    double scheduled_s;

    (void)setting;
    if (table_real(csv, GPUS, &job->gpus, error) < 0 || table_real(csv, MILLI, &milli, error) < 0 ||
        table_real(csv, CREATED, &job->submit_s, error) < 0 ||
        table_real(csv, DELETED, &deleted_s, error) < 0 ||
        table_real(csv, SCHEDULED, &scheduled_s, error) < 0)
        return -1;
    if (milli > 1000)
        return csv_complain(csv, MILLI, "thousandths of a GPU, at most 1000", error);
    job->name = csv_get(csv, NAME).text;
    job->gpus = job->gpus == 1 ? milli / 1000 : job->gpus;
    foreign_span(job, scheduled_s, deleted_s, NULL);
    return 0;
}

int gpu2023_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                 struct error *error)
{
    const struct table table = {columns, sizeof(columns) / sizeof(columns[0]), read_pod};

    return table_read(&table, paths[0], setting, jobs, error);
}
