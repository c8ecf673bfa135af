/* result_curves.c - see result_curves.h. */
#include "tools/figure/result_curves.h"

#include "common/csv.h"
#include "common/memory.h"
#include "common/number.h"
#include "scheduler/report/result_folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TIME_MOST_S (INT64_MAX / 2)

void curve_add(struct result_curve *self, double x, double y)
{
    self->x = grow_array(self->x, self->count, &self->x_room, sizeof(*self->x));
    self->y = grow_array(self->y, self->count, &self->y_room, sizeof(*self->y));
    self->x[self->count] = x;
    self->y[self->count++] = y;
}

void curve_free(struct result_curve *self)
{
    free(self->x);
    free(self->y);
    *self = (struct result_curve){.x = NULL};
}

static double hours(int64_t seconds)
{
    return (double)seconds / 3600;
}

static csv_t *open_result(const char *results, const char *name, const struct csv_column columns[],
                          size_t count, struct error *error)
{
    char path[4096];
    csv_t *csv;

    (void)snprintf(path, sizeof(path), "%s/%s", results, name);
    csv = csv_open(path, ',', error);
    if (csv && csv_expect(csv, columns, count, error) < 0)
        csv_destroy(&csv);
    return csv;
}

static int read_real(const csv_t *csv, size_t column, double *value, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, column);

    if (number_parse_real(cell.text, cell.length, 0, 1e18, value) == NUMBER_OK)
        return 0;
    return csv_complain(csv, column, "a number", error);
}

int curve_read(struct result_curve *self, const char *results, const char *column, int64_t start_s,
               int64_t apart_s, struct error *error)
{
    const struct csv_column columns[] = {{{"time"}, false}, {{column}, false}};
    csv_t *csv = open_result(results, RESULT_CLUSTER, columns, 2, error);
    int64_t last_s = INT64_MIN / 2;
    int got = csv ? 0 : -1;

    while (got >= 0 && (got = csv_next(csv, error)) > 0) {
        int64_t time_s;
        double value;

        if (csv_whole(csv, 0, 0, TIME_MOST_S, &time_s, error) < 0 ||
            read_real(csv, 1, &value, error) < 0)
            got = -1;
        else if (time_s - last_s >= apart_s)
            curve_add(self, hours((last_s = time_s) - start_s), value);
    }
    csv_destroy(&csv);
    return got;
}

int curve_count(struct result_curve *self, const char *path, int64_t start_s, int64_t bin_s,
                struct error *error)
{
    const struct csv_column columns[] = {{{"submit_time", "submission_time"}, false}};
    csv_t *csv = csv_open(path, ',', error);
    int got = csv ? csv_expect(csv, columns, 1, error) : -1;

    while (got >= 0 && (got = csv_next(csv, error)) > 0) {
        int64_t time_s;

        if (csv_whole(csv, 0, 0, TIME_MOST_S, &time_s, error) < 0) {
            got = -1;
            break;
        }
        time_s = time_s < start_s ? start_s : time_s;
        while ((int64_t)self->count <= (time_s - start_s) / bin_s)
            curve_add(self, hours((int64_t)self->count * bin_s), 0);
        self->y[(time_s - start_s) / bin_s]++;
    }
    csv_destroy(&csv);
    return got;
}

int result_start(const char *results, int64_t *start_s, struct error *error)
{
    const struct csv_column columns[] = {{{"time"}, false}};
    csv_t *csv = open_result(results, RESULT_CLUSTER, columns, 1, error);
    int got = csv ? csv_next(csv, error) : -1;

    *start_s = 0;
    if (got > 0)
        got = csv_whole(csv, 0, 0, TIME_MOST_S, start_s, error);
    csv_destroy(&csv);
    return got;
}

struct flags {
    bool *items;
    size_t count;
    size_t room;
};

/* Reads the column best_effort of the trace, row by row. */
static int read_flags(const char *trace, struct flags *flags, struct error *error)
{
    const struct csv_column columns[] = {{{"best_effort"}, false}};
    csv_t *csv = csv_open(trace, ',', error);
    int got = csv ? csv_expect(csv, columns, 1, error) : -1;

    while (got >= 0 && (got = csv_next(csv, error)) > 0) {
        int64_t flag;

        if (csv_whole(csv, 0, 0, 1, &flag, error) < 0) {
            got = -1;
            break;
        }
        flags->items = grow_array(flags->items, flags->count, &flags->room, sizeof(*flags->items));
        flags->items[flags->count++] = flag == 1;
    }
    csv_destroy(&csv);
    return got;
}

enum { ID, SUBMIT, END, JOB_COLUMNS };

static int sum_jct(const char *results, const struct flags *flags, double *mean_s,
                   struct error *error)
{
    static const struct csv_column columns[JOB_COLUMNS] = {[ID] = {{"job_id"}, false},
                                                           [SUBMIT] = {{"submit_time"}, false},
                                                           [END] = {{"end_time"}, false}};
    csv_t *csv = open_result(results, RESULT_JOBS, columns, JOB_COLUMNS, error);
    double sum_s = 0;
    int64_t jobs = 0;
    int got = csv ? 0 : -1;

    while (got >= 0 && (got = csv_next(csv, error)) > 0) {
        int64_t row;
        double submit_s;
        double end_s;

        if (csv_whole(csv, ID, 0, (int64_t)flags->count - 1, &row, error) < 0 ||
            read_real(csv, SUBMIT, &submit_s, error) < 0 ||
            read_real(csv, END, &end_s, error) < 0) {
            got = -1;
            break;
        }
        sum_s += flags->items[row] ? end_s - submit_s : 0;
        jobs += flags->items[row];
    }
    *mean_s = jobs > 0 ? sum_s / (double)jobs : NAN;
    csv_destroy(&csv);
    return got;
}

int result_best_effort_jct(const struct simulation *run, double *mean_s, struct error *error)
{
    struct flags flags = {.items = NULL};
    int status = read_flags(run->trace, &flags, error);

    *mean_s = NAN;
    if (status == 0 && flags.items)
        status = sum_jct(run->log_path, &flags, mean_s, error);
    free(flags.items);
    return status;
}
