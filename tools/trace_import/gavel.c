/* gavel.c - the traces of Gavel: fields between tabs, 7 in the older layout and 10 in the newer
 * layout. A job has steps and no duration; its duration is steps / rate, by Gavel's own file of
 * rates. The command of a job is text, which nothing runs.
 *
 * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
 * Workloads", OSDI 2020. */
#include "tools/trace_import/format.h"
#include "tools/trace_import/json_text.h"
#include "tools/trace_import/split.h"

#include <stdio.h>
#include <string.h>

#define GPUS_MAX       4096
#define TYPE_BYTES_MAX ((size_t)128)

enum { TYPE, STEPS_OLDER = 4, ARRIVAL_OLDER = 5, GPUS_OLDER = 6, FIELDS_OLDER = 7 };
enum { STEPS_NEWER = 5, GPUS_NEWER = 6, ARRIVAL_NEWER = 9, FIELDS_NEWER = 10 };

/* The places of a layout's fields. */
struct layout {
    size_t steps;
    size_t gpus;
    size_t arrival;
};

/* The rates of the GPU type `gpu`; NULL with `error` if the file has none. */
static json_t *rates_of(json_t *file, const char *path, const char *gpu, struct error *error)
{
    json_t *rates = json_object_get(file, gpu);

    if (json_is_object(rates))
        return rates;
    error_set(error, "--gavel-gpu: expected a type of GPUs of %s, found \"%s\"", path, gpu);
    return NULL;
}

/* The steps per second of a job of `type` that runs alone on `gpus` GPUs; NULL if the file has
 * none. */
static const json_t *rate_on(const json_t *rates, const char *type, int gpus)
{
    char key[TYPE_BYTES_MAX + 32];

    (void)snprintf(key, sizeof(key), "('%s', %d)", type, gpus);
    return json_object_get(json_object_get(rates, key), "null");
}

/* Finds the rate on `gpus` GPUs, or else the rate on the next smaller number of GPUs with a
 * rate. */
static int find_rate(const json_t *rates, const split_t *line, int gpus, double *rate,
                     struct error *error)
{
    const char *type = split_at(line, TYPE);
    const json_t *found = NULL;

    if (strlen(type) > TYPE_BYTES_MAX)
        return split_complain(line, TYPE, "job type", "a type of at most 128 bytes", error);
    while (!found && gpus > 0)
        found = rate_on(rates, type, gpus--);
    if (!json_is_number(found) || json_number_value(found) < 0)
        return split_complain(line, TYPE, "job type", "a type that the rates have", error);
    *rate = json_number_value(found);
    return 0;
}

/* The layout of a line; NULL with `error` if the line has neither layout. */
static const struct layout *find_layout(const split_t *line, struct error *error)
{
    static const struct layout older = {STEPS_OLDER, GPUS_OLDER, ARRIVAL_OLDER};
    static const struct layout newer = {STEPS_NEWER, GPUS_NEWER, ARRIVAL_NEWER};

    if (split_count(line) == FIELDS_OLDER)
        return &older;
    if (split_count(line) == FIELDS_NEWER)
        return &newer;
    (void)split_complain_count(line, "7 or 10 fields between tabs", error);
    return NULL;
}

static int read_job(const split_t *line, const json_t *rates, size_t number, foreign_t *jobs,
                    struct error *error)
{
    struct foreign_job job = {.name = NULL};
    const struct layout *layout = find_layout(line, error);
    char name[24];
    double steps = 0;
    double rate = 0;

    if (!layout || split_real(line, layout->steps, "steps", &steps, error) < 0 ||
        split_real(line, layout->gpus, "scale factor", &job.gpus, error) < 0 ||
        split_real(line, layout->arrival, "arrival", &job.submit_s, error) < 0)
        return -1;
    if (job.gpus < 1 || job.gpus > GPUS_MAX || job.gpus != (int)job.gpus)
        return split_complain(line, layout->gpus, "scale factor",
                              "a whole number of GPUs, 1 to 4096", error);
    if (find_rate(rates, line, (int)job.gpus, &rate, error) < 0)
        return -1;
    (void)snprintf(name, sizeof(name), "%zu", number);
    job.name = name;
    job.duration_s = rate > 0 ? steps / rate : 0;
    return foreign_add(jobs, &job, split_path(line), split_line(line), error);
}

static int read_trace(const char *path, const json_t *rates, foreign_t *jobs, struct error *error)
{
    split_t *line = split_open(path, '\t', '\0', error);
    int got = -1;

    if (!line)
        return -1;
    for (size_t number = 0; (got = split_next(line, error)) > 0; number++)
        if (read_job(line, rates, number, jobs, error) < 0) {
            got = -1;
            break;
        }
    split_destroy(&line);
    return got;
}

int gavel_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
               struct error *error)
{
    json_text_t *text = json_text_open(paths[1], error);
    json_t *file = text ? json_text_whole(text, error) : NULL;
    const json_t *rates = file ? rates_of(file, paths[1], setting->gavel_gpu, error) : NULL;
    const int result = rates ? read_trace(paths[0], rates, jobs, error) : -1;

    json_decref(file);
    json_text_destroy(&text);
    return result;
}
