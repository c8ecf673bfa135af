/* chart.c - see chart.h. */
#include "tools/chart.h"

#include "tools/picture/marks.h"

#include <inttypes.h>
#include <string.h>

#define POLICY_CELLS 22
#define COUNT_CELLS  24

static bool begins_trace(const struct comparison *comparison, size_t index)
{
    return index == 0 || strcmp(comparison->cells[index].simulation.trace,
                                comparison->cells[index - 1].simulation.trace) != 0;
}

static void print_cell(const struct cell *cell, int cells, const struct look *look)
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

void chart_print(const struct comparison *comparison, const struct look *look)
{
    const int room = look->columns - POLICY_CELLS - COUNT_CELLS;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct cell *cell = &comparison->cells[i];
        const char *slash = strrchr(cell->simulation.trace, '/');

        if (begins_trace(comparison, i))
            (void)fprintf(look->out, "\non time, %s\n", slash ? slash + 1 : cell->simulation.trace);
        if (cell->state == CELL_DONE)
            print_cell(cell, room < 10 ? 10 : (room > 60 ? 60 : room), look);
    }
}
