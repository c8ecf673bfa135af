/* gantt.c - see gantt.h. */
#include "tools/show/gantt.h"

#include "common/memory.h"
#include "common/plural.h"
#include "tools/picture/marks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CELLS    12
#define OUTCOME_CELLS 11

/* The time of a run, cut into as many parts as fit into a line. */
struct axis {
    int cells;
    double from_s;
    double cell_s;
};

static struct axis axis_of(const struct results *run, const struct look *look)
{
    const int room = look->columns - NAME_CELLS - OUTCOME_CELLS - 4;
    const int cells = room < MARKS_CELLS_MAX ? room : MARKS_CELLS_MAX;
    double from_s = (double)run->end_s;

    for (size_t i = 0; i < run->given->job_count; i++)
        if ((double)run->given->jobs[i].submit_s < from_s)
            from_s = (double)run->given->jobs[i].submit_s;
    return (struct axis){
        .cells = cells, .from_s = from_s, .cell_s = ((double)run->end_s - from_s) / cells};
}

/* Adds the GPU time of a seat to the cells that it spans. */
static void add_seat(const struct axis *axis, const struct results_seat *seat, double gpu_s[])
{
    const double from = ((double)seat->from_s - axis->from_s) / axis->cell_s;
    const double until = ((double)seat->until_s - axis->from_s) / axis->cell_s;

    for (int i = from > 0 ? (int)from : 0; i < axis->cells && i < until; i++) {
        const double left = from > i ? from : i;
        const double right = until < i + 1 ? until : i + 1;

        gpu_s[i] += (right - left) * (double)seat->gpus;
    }
}

static const struct {
    const char *word;
    enum colour colour;
} ends[] = {[AUDIT_NO_END] = {"declined", COLOUR_MIDDLING},
            [AUDIT_ON_TIME] = {"on time", COLOUR_GOOD},
            [AUDIT_LATE] = {"late", COLOUR_BAD},
            [AUDIT_DONE] = {"done", COLOUR_GOOD},
            [AUDIT_FAILED] = {"failed", COLOUR_BAD},
            [AUDIT_UNFINISHED] = {"unfinished", COLOUR_MIDDLING}};

static void print_job(const struct results *run, size_t job, const double gpus[],
                      const struct axis *axis, const struct look *look)
{
    const struct audit_outcome *told = run->outcomes[job];
    const enum audit_end end = told ? told->end : AUDIT_UNFINISHED;
    char marks[MARKS_BYTES];
    char *at = marks;

    for (int i = 0; i < axis->cells; i++)
        at = stpcpy(at, marks_gpus(gpus[i], look->unicode));
    look_print_name(look, run->given->jobs[job].id, NAME_CELLS);
    (void)fputc(' ', look->out);
    look_print(look, ends[end].colour, marks);
    (void)fputs("  ", look->out);
    look_print(look, ends[end].colour, ends[end].word);
    (void)fputc('\n', look->out);
}

static void print_scale(const struct results *run, const struct axis *axis, const struct look *look)
{
    char end[32];

    (void)snprintf(end, sizeof(end), "%" PRId64 " s", run->end_s);
    (void)fprintf(look->out, "%-*s %-*.0f%s  END\n", NAME_CELLS, "JOB",
                  axis->cells - (int)strlen(end), axis->from_s, end);
}

/* Prints the meaning of the marks, with those of 1, 2, 4 ... GPUs. */
static void print_key(const struct look *look)
{
    (void)fputs("\nGPUs of a job:", look->out);
    for (int gpus = 1; gpus <= 128; gpus *= 2)
        (void)fprintf(look->out, "  %s %d%s", marks_gpus(gpus, look->unicode), gpus,
                      gpus == 128 ? " and more" : "");
    (void)fputc('\n', look->out);
}

void gantt_print(const struct results *run, int64_t rows, const struct look *look)
{
    const struct axis axis = axis_of(run, look);
    const size_t count = run->given->job_count;
    const size_t shown = count < (size_t)rows ? count : (size_t)rows;
    double *gpus = xcalloc(shown * (size_t)axis.cells + 1, sizeof(*gpus));

    for (size_t i = 0; i < run->seat_count && axis.cell_s > 0; i++)
        if (run->seats[i].job < shown)
            add_seat(&axis, &run->seats[i], gpus + run->seats[i].job * (size_t)axis.cells);
    print_scale(run, &axis, look);
    for (size_t job = 0; job < shown; job++)
        print_job(run, job, gpus + job * (size_t)axis.cells, &axis, look);
    if (shown < count)
        (void)fprintf(look->out, "and %zu more job%s; --rows=%zu shows all\n", count - shown,
                      PLURAL(count - shown), count);
    print_key(look);
    free(gpus);
}
