/* show_run.c - see show_run.h. */
#include "tools/show/show_run.h"

#include "common/input.h"
#include "common/json_text.h"
#include "common/plural.h"
#include "tools/audit/same_inputs.h"
#include "tools/picture/marks.h"
#include "tools/show/gantt.h"

#include <inttypes.h>
#include <string.h>

#define LABEL_CELLS 16
#define BAR_CELLS   40

static int64_t whole(const struct results *run, const char *name)
{
    return (int64_t)json_integer_value(json_object_get(run->summary, name));
}

static double real(const struct results *run, const char *name)
{
    return json_number_value(json_object_get(run->summary, name));
}

static const char *text(const struct results *run, const char *name)
{
    const char *found = json_string_value(json_object_get(run->summary, name));

    return found ? found : "-";
}

/* Text of a file, as far as a terminal may see it. */
static void print_shown(const struct look *look, const char *words)
{
    char shown[1024];

    (void)input_printable(shown, sizeof(shown), words, strlen(words));
    (void)fputs(shown, look->out);
}

static void print_counted(const struct look *look, int64_t count, const char *thing,
                          const char *after)
{
    (void)fprintf(look->out, "%" PRId64 " %s%s%s", count, thing, PLURAL(count), after);
}

static void print_bar(const struct look *look, const char *label, double share, enum colour colour,
                      const char *words)
{
    char bar[MARKS_BYTES];

    marks_bar(share, BAR_CELLS, look->unicode, bar);
    (void)fprintf(look->out, "%-*s", LABEL_CELLS, label);
    look_print(look, colour, bar);
    (void)fprintf(look->out, " %5.1f %%  %s\n", 100 * share, words);
}

/* The part that `count` is of the jobs with a deadline. */
static void print_count(const struct results *run, const struct look *look, const char *label,
                        const char *name, enum colour colour)
{
    const int64_t all = whole(run, "deadline_jobs");
    const int64_t count = whole(run, name);
    char words[64];

    (void)snprintf(words, sizeof(words), "%" PRId64 " of %" PRId64, count, all);
    print_bar(look, label, all > 0 ? (double)count / (double)all : 0, colour, words);
}

static void print_figures(const struct results *run, const struct look *look)
{
    const char *trace = text(run, "trace");
    const char *slash = strrchr(trace, '/');
    char words[64];

    print_shown(look, slash ? slash + 1 : trace);
    (void)fputs(" under ", look->out);
    print_shown(look, text(run, "policy"));
    (void)fputs(": ", look->out);
    print_counted(look, whole(run, "jobs"), "job", " on ");
    print_counted(look, whole(run, "nodes"), "node", " with ");
    print_counted(look, whole(run, "gpus"), "GPU", ", ");
    (void)fprintf(look->out, "slot %" PRId64 " s\n\n", whole(run, "slot_s"));
    print_count(run, look, "on time", "on_time", COLOUR_GOOD);
    if (json_is_true(json_object_get(run->summary, "promises"))) {
        print_count(run, look, "promised", "promised", COLOUR_GOOD);
        print_count(run, look, "broken", "broken", COLOUR_BAD);
    }
    (void)snprintf(words, sizeof(words), "over %" PRId64 " s", whole(run, "makespan_s"));
    print_bar(look, "GPU use", real(run, "gpu_utilisation"), COLOUR_NONE, words);
    (void)fprintf(look->out, "%-*smean %.0f s, 99th percentile %.0f s\n\n", LABEL_CELLS, "JCT",
                  real(run, "jct_mean_s"), real(run, "jct_p99_s"));
}

/* ---- the cluster over time ---- */

typedef int64_t moment_value(const struct results_moment *moment);

static int64_t used(const struct results_moment *moment)
{
    return moment->gpus_used;
}

static int64_t waiting(const struct results_moment *moment)
{
    return moment->waiting;
}

/* The mean of a value over each of `cells` equal parts of the run. Returns the largest value. */
static double sample(const struct results *run, moment_value *value, size_t cells, double means[])
{
    const double from_s = (double)run->moments[0].at_s;
    const double cell_s = ((double)run->end_s - from_s) / (double)cells;
    double most = 0;

    memset(means, 0, cells * sizeof(*means));
    for (size_t i = 0; i < run->moment_count && cell_s > 0; i++) {
        const struct results_moment *next = i + 1 < run->moment_count ? &run->moments[i + 1] : NULL;
        const double begin = ((double)run->moments[i].at_s - from_s) / cell_s;
        const double end = ((double)(next ? next->at_s : run->end_s) - from_s) / cell_s;
        const double now = (double)value(&run->moments[i]);

        most = now > most ? now : most;
        for (size_t k = (size_t)begin; k < cells && (double)k < end; k++) {
            const double left = begin > (double)k ? begin : (double)k;
            const double right = end < (double)k + 1 ? end : (double)k + 1;

            means[k] += (right - left) * now;
        }
    }
    return most;
}

static void print_curve(const struct results *run, const struct look *look, const char *label,
                        moment_value *value, double most)
{
    const int room = look->columns - LABEL_CELLS - 14;
    const size_t cells = (size_t)(room < MARKS_CELLS_MAX ? room : MARKS_CELLS_MAX);
    double means[MARKS_CELLS_MAX];
    char curve[MARKS_BYTES];
    const double highest = sample(run, value, cells, means);

    marks_curve(means, cells, most > 0 ? most : highest, look->unicode, curve);
    (void)fprintf(look->out, "%-*s%s  up to %.0f\n", LABEL_CELLS, label, curve, highest);
}

static void print_run(const struct results *run, int64_t rows, const struct look *look)
{
    print_figures(run, look);
    if (run->moment_count > 0) {
        print_curve(run, look, "GPUs used", used, (double)run->gpus);
        print_curve(run, look, "jobs waiting", waiting, 0);
        (void)fputc('\n', look->out);
    }
    if (rows > 0)
        gantt_print(run, rows, look);
}

static int print_summary(const char *folder, struct error *error)
{
    struct results run = {.folder = folder};
    const int status = results_read_summary(&run, error);

    if (status == 0)
        (void)json_print(run.summary);
    results_close(&run);
    return status;
}

int show_run(const char *folder, const char *trace, int64_t rows, bool json, struct error *error)
{
    const struct look look = look_of_stdout();
    struct results run;
    int status;

    if (json)
        return print_summary(folder, error);
    status = results_read(&run, folder, trace, error);
    if (status == 0 && run.unchecked)
        same_inputs_remark("rubato show", folder);
    if (status == 0)
        print_run(&run, rows, &look);
    results_close(&run);
    return status;
}
