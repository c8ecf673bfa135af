/* table.h - job logs that are CSV with a header and have one job in each row. */
#ifndef TRACE_IMPORT_TABLE_H
#define TRACE_IMPORT_TABLE_H

#include "common/csv.h"
#include "common/error.h"
#include "tools/trace_import/format.h"
#include "tools/trace_import/local_time.h"

#include <stddef.h>

struct table {
    const struct csv_column *columns;
    size_t count;

    /* Reads the job of the current row; the job's name is lent. Returns -1 with `error`. */
    int (*read_job)(csv_t *csv, const struct format_setting *setting, struct foreign_job *job,
                    struct error *error);
};

/* Adds the jobs of the table at `path`. Returns -1 with `error`. */
int table_read(const struct table *table, const char *path, const struct format_setting *setting,
               foreign_t *jobs, struct error *error);

/* Reads a cell as a number >= 0 or as a time; NaN stands for a missing value. Returns -1 with
 * `error`. */
int table_real(const csv_t *csv, size_t column, double *value, struct error *error);
int table_time(const csv_t *csv, size_t column, struct local_time *time, struct error *error);

/* The text of an optional column, lent; NULL if the table lacks the column. */
const char *table_text(const csv_t *csv, size_t column);

#endif
