/* helios.c - the job logs of the Helios clusters: CSV, times of day, whole GPUs, jobs without any
 * among them. How long a job ran is what its start and end say.
 *
 * Source: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
 * Datacenters", SC 2021. */
#include "tools/trace_import/table.h"

enum { JOB, GPUS, SUBMIT, START, END };

static const struct csv_column columns[] = {
    {{"job_id"}, false},     {{"gpu_num", "num_gpu"}, false}, {{"submit_time"}, false},
    {{"start_time"}, false}, {{"end_time"}, false},
};

static int read_job(csv_t *csv, const struct format_setting *setting, struct foreign_job *job,
                    struct error *error)
{
    double start_s;
    double end_s;

    (void)setting;
    if (table_real(csv, GPUS, &job->gpus, error) < 0 ||
        table_time(csv, SUBMIT, &job->submit_s, error) < 0 ||
        table_time(csv, START, &start_s, error) < 0 || table_time(csv, END, &end_s, error) < 0)
        return -1;
    job->name = csv_get(csv, JOB).text;
    job->duration_s = end_s - start_s;
    return 0;
}

int helios_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error)
{
    const struct table table = {columns, sizeof(columns) / sizeof(columns[0]), read_job};

    return table_read(&table, paths[0], setting, jobs, error);
}
