/* philly.c - Microsoft's Philly log: a JSON list of jobs, each with the attempts to run it and, for
 * each attempt, the GPUs on each machine. Times have no zone; they may be null or None, and an
 * attempt may have no length. A job ran as long as all its attempts together, on as many GPUs as
 * the largest of them had.
 *
 * Source: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training
 * Workloads", USENIX ATC 2019. */
#include "tools/trace_import/format.h"
#include "tools/trace_import/json_text.h"
#include "tools/trace_import/local_time.h"

#include <inttypes.h>
#include <math.h>

/* The time in `member`; NaN where there is none. */
static int read_time(const json_t *object, const char *member, const json_text_t *text,
                     double *seconds, struct error *error)
{
    const json_t *found = json_object_get(object, member);
    const char *time = json_string_value(found);

    *seconds = NAN;
    if (!found || json_is_null(found) || (time && local_time_is_none(time)) ||
        (time && local_time_parse(time, seconds)))
        return 0;
    return error_set(error, "%s:%" PRId64 ": %s: expected " LOCAL_TIME_EXPECTED ", or null",
                     json_text_path(text), json_text_line(text), member);
}

static size_t count_gpus(const json_t *attempt)
{
    const json_t *details = json_object_get(attempt, "detail");
    size_t gpus = 0;

    for (size_t i = 0; i < json_array_size(details); i++)
        gpus += json_array_size(json_object_get(json_array_get(details, i), "gpus"));
    return gpus;
}

static int read_attempt(const json_t *attempt, const json_text_t *text, struct foreign_job *job,
                        struct error *error)
{
    const double gpus = (double)count_gpus(attempt);
    double start_s;
    double end_s;

    if (read_time(attempt, "start_time", text, &start_s, error) < 0 ||
        read_time(attempt, "end_time", text, &end_s, error) < 0)
        return -1;
    if (end_s > start_s)
        job->duration_s += end_s - start_s;
    job->gpus = fmax(job->gpus, gpus);
    return 0;
}

static int read_job(const json_t *from, const json_text_t *text, foreign_t *jobs,
                    struct error *error)
{
    const char *name = json_string_value(json_object_get(from, "jobid"));
    const json_t *attempts = json_object_get(from, "attempts");
    struct foreign_job job = {.name = name};

    if (!name || !json_is_array(attempts))
        return error_set(error,
                         "%s:%" PRId64 ": expected a job with a text \"jobid\" and a list "
                         "\"attempts\"",
                         json_text_path(text), json_text_line(text));
    if (read_time(from, "submitted_time", text, &job.submit_s, error) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(attempts); i++)
        if (read_attempt(json_array_get(attempts, i), text, &job, error) < 0)
            return -1;
    return foreign_add(jobs, &job, json_text_path(text), json_text_line(text), error);
}

int philly_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error)
{
    json_text_t *text = json_text_open(paths[0], error);
    json_t *element;
    int got = -1;

    (void)setting;
    if (!text)
        return -1;
    while ((got = json_text_next(text, &element, error)) > 0) {
        const int added = read_job(element, text, jobs, error);

        json_decref(element);
        if (added < 0) {
            got = -1;
            break;
        }
    }
    json_text_destroy(&text);
    return got;
}
