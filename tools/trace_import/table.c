/* table.c - see table.h. */
#include "tools/trace_import/table.h"

#include "common/number.h"

#include <math.h>

#define NUMBER_MAX 1e18

int table_read(const struct table *table, const char *path, const struct format_setting *setting,
               foreign_t *jobs, struct error *error)
{
    csv_t *csv = csv_open(path, ',', error);
    int got = csv ? csv_expect(csv, table->columns, table->count, error) : -1;

    if (got == 0)
        while ((got = csv_next(csv, error)) > 0) {
            struct foreign_job job = {.name = NULL};

            if (table->read_job(csv, setting, &job, error) < 0 ||
                foreign_add(jobs, &job, path, csv_line(csv), error) < 0) {
                got = -1;
                break;
            }
        }
    csv_destroy(&csv);
    return got;
}

int table_real(const csv_t *csv, size_t column, double *value, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, column);

    *value = NAN;
    if (local_time_is_none(cell.text) ||
        number_parse_real(cell.text, cell.length, 0, NUMBER_MAX, value) == NUMBER_OK)
        return 0;
    return csv_complain(csv, column, "a number that is not negative, or nothing", error);
}

int table_time(const csv_t *csv, size_t column, struct local_time *time, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, column);

    *time = (struct local_time)LOCAL_TIME_NONE;
    if (local_time_is_none(cell.text) || local_time_parse(cell.text, time))
        return 0;
    return csv_complain(csv, column, LOCAL_TIME_EXPECTED ", or nothing", error);
}

const char *table_text(const csv_t *csv, size_t column)
{
    return csv_has(csv, column) ? csv_get(csv, column).text : NULL;
}
