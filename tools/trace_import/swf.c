/* swf.c - the Standard Workload Format 2.2 of the Parallel Workloads Archive: 18 numbers a line, -1
 * for an unknown number, comments after a semicolon.
 *
 * Source: D. Feitelson, "The Standard Workload Format". */
#include "tools/trace_import/format.h"
#include "tools/trace_import/split.h"

#include <math.h>
#include <string.h>

#define CANCELLED "5" /* the value of STATUS for a cancelled job */

enum {
    JOB,
    SUBMIT,
    RUN = 3,
    ALLOCATED = 4,
    REQUESTED = 7,
    STATUS = 10,
    USER = 11,
    QUEUE = 14,
    FIELD_COUNT = 18
};

/* The text of a field, "" for an unknown number. */
static const char *known_number(const split_t *line, size_t field)
{
    return split_at(line, field)[0] == '-' ? "" : split_at(line, field);
}

static int read_job(const split_t *line, const struct format_setting *setting, foreign_t *jobs,
                    struct error *error)
{
    struct foreign_job job = {.name = NULL};
    double allocated;
    double requested;

    if (split_count(line) != FIELD_COUNT)
        return split_complain_count(line, "18 fields between blanks", error);
    if (split_known_real(line, SUBMIT, "submit time", &job.submit_s, error) < 0 ||
        split_known_real(line, RUN, "run time", &job.duration_s, error) < 0 ||
        split_known_real(line, ALLOCATED, "allocated processors", &allocated, error) < 0 ||
        split_known_real(line, REQUESTED, "requested processors", &requested, error) < 0)
        return -1;
    job.name = split_at(line, JOB);
    job.user = known_number(line, USER);
    job.virtual_cluster = known_number(line, QUEUE);
    if (!strcmp(split_at(line, STATUS), CANCELLED))
        job.unknown = FOREIGN_CANCELLED;
    job.gpus = (requested > 0 ? requested : allocated) / (double)setting->processors_per_gpu;
    return foreign_add(jobs, &job, split_path(line), split_line(line), error);
}

int swf_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
             struct error *error)
{
    split_t *line = split_open(paths[0], SPLIT_BLANKS, ';', error);
    int got = -1;

    if (!line)
        return -1;
    while ((got = split_next(line, error)) > 0)
        if (read_job(line, setting, jobs, error) < 0) {
            got = -1;
            break;
        }
    split_destroy(&line);
    return got;
}
