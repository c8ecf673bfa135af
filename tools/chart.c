/* chart.c - see chart.h. */
#include "tools/chart.h"

#include "tools/picture/marks.h"

#include <inttypes.h>
#include <string.h>

#define POLICY_CELLS 22
#define COUNT_CELLS  24

typedef void print_fn(const struct cell *cell, int cells, const struct look *look);

static bool begins_trace(const struct comparison *comparison, size_t index)
{
    return index == 0 || strcmp(comparison->cells[index].simulation.trace,
                                comparison->cells[index - 1].simulation.trace) != 0;
}

static void print_bar(const struct cell *cell, int cells, const struct look *look)
{
    const int64_t jobs = cell->figures.deadline_jobs;
    const int64_t on_time = cell->figures.outcomes.on_time;
    char bar[MARKS_BYTES];

    marks_bar(jobs > 0 ? (double)on_time / (double)jobs : 0, cells, look->unicode, bar);
    (void)fprintf(look->out, "  %-*s", POLICY_CELLS, cell->simulation.policy);
    look_print(look, cell->figures.outcomes.broken > 0 ? COLOUR_MIDDLING : COLOUR_GOOD, bar);
    (void)fprintf(look->out, " %" PRId64 " of %" PRId64, on_time, jobs);
    if (cell->figures.outcomes.broken > 0)
        (void)fprintf(look->out, ", %" PRId64 " broken", cell->figures.outcomes.broken);
    (void)fputc('\n', look->out);
}

/* Prints a curve whose full height is all GPUs of the cluster. */
static void print_curve(const struct cell *cell, int cells, const struct look *look)
{
    const struct figures *figures = &cell->figures;
    double means[MARKS_CELLS_MAX];
    char curve[MARKS_BYTES];

    use_curve_means(&figures->use, (size_t)cells, means);
    marks_curve(means, (size_t)cells, figures->use.gpus_most, look->unicode, curve);
    (void)fprintf(look->out, "  %-*s%s %5.1f %% over %" PRId64 " s\n", POLICY_CELLS,
                  cell->simulation.policy, curve, 100 * figures->gpu_utilisation,
                  figures->makespan_s);
}

/* Prints all cells of one trace, from cell `first` on. Returns the cell after the last of them. */
static size_t print_group(const struct comparison *comparison, size_t first, const char *title,
                          print_fn *print, const struct look *look)
{
    const int room = look->columns - POLICY_CELLS - COUNT_CELLS;
    const char *trace = comparison->cells[first].simulation.trace;
    const char *slash = strrchr(trace, '/');
    size_t i = first;

    (void)fprintf(look->out, "\n%s, %s\n", title, slash ? slash + 1 : trace);
    do
        if (comparison->cells[i].state == CELL_DONE)
            print(&comparison->cells[i], room < 10 ? 10 : (room > 60 ? 60 : room), look);
    while (++i < comparison->count && !begins_trace(comparison, i));
    return i;
}

void chart_print(const struct comparison *comparison, const struct look *look)
{
    for (size_t i = 0; i < comparison->count;) {
        (void)print_group(comparison, i, "on time", print_bar, look);
        i = print_group(comparison, i, "GPUs used", print_curve, look);
    }
}
