/* helios.c - the job logs of the Helios clusters: CSV, times of day, whole GPUs, with some jobs of
 * no GPU. A job ran from its start to its end.
 *
 * Source: Hu et al., "Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU
 * Datacenters", SC 2021. */
#include "tools/trace_import/table.h"

enum { JOB, GPUS, SUBMIT, START, END, USER, VIRTUAL_CLUSTER, STATE };

static const struct csv_column columns[] = {
    {{"job_id"}, false},      {{"gpu_num", "num_gpu"}, false},
    {{"submit_time"}, false}, {{"start_time"}, false},
    {{"end_time"}, false},    {{"user"}, true},
    {{"vc"}, true},           {{"state"}, true},
};

static int read_job(csv_t *csv, const struct format_setting *setting, struct foreign_job *job,
                    struct error *error)
{
    struct local_time times[3]; /* submission, start and end */

    (void)setting;
    if (table_real(csv, GPUS, &job->gpus, error) < 0 ||
        table_time(csv, SUBMIT, &times[0], error) < 0 ||
        table_time(csv, START, &times[1], error) < 0 || table_time(csv, END, &times[2], error) < 0)
        return -1;
    local_time_order(times, 3);
    job->name = csv_get(csv, JOB).text;
    job->user = table_text(csv, USER);
    job->virtual_cluster = table_text(csv, VIRTUAL_CLUSTER);
    job->submit_s = times[0].seconds;
    foreign_span(job, times[1].seconds, times[2].seconds, table_text(csv, STATE));
    return 0;
}

int helios_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error)
{
    const struct table table = {columns, sizeof(columns) / sizeof(columns[0]), read_job};

    return table_read(&table, paths[0], setting, jobs, error);
}
