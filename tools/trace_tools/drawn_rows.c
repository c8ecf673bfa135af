/* drawn_rows.c - see drawn_rows.h. */
#include "tools/trace_tools/drawn_rows.h"

void drawn_rows_header(struct drawn_rows *self, enum dialect dialect)
{
    const char *const names[] = {"job_id",
                                 dialect_column_name(dialect, DIALECT_SUBMISSION),
                                 dialect_column_name(dialect, DIALECT_ITERATIONS),
                                 "model_name",
                                 dialect_column_name(dialect, DIALECT_DEADLINE),
                                 "batch_size",
                                 "num_gpu",
                                 "duration",
                                 self->best_effort ? "best_effort" : NULL,
                                 self->users ? "user" : NULL,
                                 self->virtual_clusters ? "virtual_cluster" : NULL};
    const size_t count = sizeof(names) / sizeof(names[0]);

    for (size_t i = 0; i < count; i++)
        if (names[i])
            trace_row_text(&self->row, names[i]);
    trace_row_end(&self->row);
}

void drawn_rows_job(struct drawn_rows *self, const char *name, const char *user,
                    const char *virtual_cluster, const struct generated_job *job)
{
    struct trace_row *row = &self->row;

    trace_row_text(row, name);
    trace_row_whole(row, job->submit_s);
    trace_row_whole(row, job->iterations);
    trace_row_text(row, job->row->model);
    trace_row_whole(row, job->deadline_s);
    trace_row_whole(row, job->row->batch_size);
    trace_row_whole(row, job->gpus);
    trace_row_whole(row, job->duration_s);
    if (self->best_effort)
        trace_row_whole(row, job->best_effort);
    if (self->users)
        trace_row_text(row, user);
    if (self->virtual_clusters)
        trace_row_text(row, virtual_cluster);
    trace_row_end(row);
}
