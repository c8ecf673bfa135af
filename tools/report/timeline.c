/* timeline.c - the readers of timeline.csv and cluster.csv. */
#include "tools/report/results.h"

#include "common/csv.h"
#include "common/memory.h"
#include "common/number.h"

#include <math.h>
#include <string.h>

enum { AT, JOB, POOL, GPUS, REASON, CHANGE_COLUMNS };

static const struct csv_column change_columns[CHANGE_COLUMNS] = {
    [AT] = {{"time"}, false},   [JOB] = {{"job_id"}, false},    [POOL] = {{"pool"}, false},
    [GPUS] = {{"gpus"}, false}, [REASON] = {{"reason"}, false},
};

static size_t find_pool(const struct results *self, const char *name)
{
    size_t pool = self->pool_count - 1;

    while (pool > 0 && strcmp(self->pools[pool].name, name) != 0)
        pool--;
    return pool;
}

static int read_time(const csv_t *csv, int64_t *last_s, int64_t *at_s, struct error *error)
{
    if (csv_whole(csv, AT, 0, RESULTS_TIME_MAX_S, at_s, error) < 0)
        return -1;
    if (*at_s < *last_s)
        return csv_complain(csv, AT, "a time not before that of the row above", error);
    *last_s = *at_s;
    return 0;
}

static int read_change(struct results *self, const csv_t *csv, int64_t *last_s, size_t *capacity,
                       struct error *error)
{
    struct results_change change;

    if (read_time(csv, last_s, &change.at_s, error) < 0 ||
        csv_whole(csv, GPUS, 0, self->gpus, &change.gpus, error) < 0)
        return -1;
    change.job = audit_case_find(self->given, csv_get(csv, JOB).text);
    if (change.job == AUDIT_NO_JOB)
        return csv_complain(csv, JOB, "a job of the trace of the run, which --trace names", error);
    change.pool = find_pool(self, csv_get(csv, POOL).text);
    change.reason = results_reason(self, csv_get(csv, REASON).text);
    self->changes = grow_array(self->changes, self->change_count, capacity, sizeof(*self->changes));
    self->changes[self->change_count++] = change;
    return 0;
}

enum { UP = 1, USED, RUNNING, WAITING, EFFICIENCY, MOMENT_COLUMNS };

static const struct csv_column moment_columns[MOMENT_COLUMNS] = {
    [AT] = {{"time"}, false},
    [UP] = {{"gpus_up"}, false},
    [USED] = {{"gpus_used"}, false},
    [RUNNING] = {{"jobs_running"}, false},
    [WAITING] = {{"jobs_waiting"}, false},
    [EFFICIENCY] = {{"efficiency"}, false},
};

/* Empty where nothing is known of it. */
static int read_efficiency(const csv_t *csv, int64_t *ppm, struct error *error)
{
    const struct csv_cell cell = csv_get(csv, EFFICIENCY);
    double efficiency;

    *ppm = -1;
    if (cell.length == 0)
        return 0;
    if (number_parse_real(cell.text, cell.length, 0, 1000, &efficiency) != NUMBER_OK)
        return csv_complain(csv, EFFICIENCY, "a number from 0 on, or nothing", error);
    *ppm = llround(efficiency * 1e6);
    return 0;
}

static int read_moment(struct results *self, const csv_t *csv, int64_t *last_s, size_t *capacity,
                       struct error *error)
{
    const int64_t jobs = (int64_t)self->given->job_count;
    struct results_moment moment;

    if (read_time(csv, last_s, &moment.at_s, error) < 0 ||
        csv_whole(csv, UP, 0, self->gpus, &moment.gpus_up, error) < 0 ||
        csv_whole(csv, USED, 0, self->gpus, &moment.gpus_used, error) < 0 ||
        csv_whole(csv, RUNNING, 0, jobs, &moment.running, error) < 0 ||
        csv_whole(csv, WAITING, 0, jobs, &moment.waiting, error) < 0 ||
        read_efficiency(csv, &moment.efficiency_ppm, error) < 0)
        return -1;
    self->moments = grow_array(self->moments, self->moment_count, capacity, sizeof(*self->moments));
    self->moments[self->moment_count++] = moment;
    return 0;
}

typedef int read_row_fn(struct results *self, const csv_t *csv, int64_t *last_s, size_t *capacity,
                        struct error *error);

static int read_rows(struct results *self, const char *name, const struct csv_column columns[],
                     size_t count, read_row_fn *read_row, struct error *error)
{
    csv_t *csv = results_open(self, name, error);
    int got = csv ? csv_expect(csv, columns, count, error) : -1;
    size_t capacity = 0;
    int64_t last_s = 0;

    while (got >= 0 && (got = csv_next(csv, error)) > 0)
        got = read_row(self, csv, &last_s, &capacity, error);
    csv_destroy(&csv);
    return got;
}

int results_read_timeline(struct results *self, struct error *error)
{
    if (read_rows(self, "timeline.csv", change_columns, CHANGE_COLUMNS, read_change, error) < 0)
        return -1;
    results_sort_changes(self);
    return 0;
}

int results_read_cluster(struct results *self, struct error *error)
{
    return read_rows(self, "cluster.csv", moment_columns, MOMENT_COLUMNS, read_moment, error);
}
