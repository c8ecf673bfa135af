/* philly.c - Microsoft's Philly log: a JSON list of jobs, each with the attempts to run it and, for
 * each attempt, the GPUs on each machine. Times have no zone and may be null or None. An attempt
 * may have no length. A job's run time is the sum of its attempts; its GPUs are those of its
 * largest attempt.
 *
 * Source: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training
 * Workloads", USENIX ATC 2019. */
#include "tools/trace_import/format.h"
#include "tools/trace_import/json_text.h"
#include "tools/trace_import/local_time.h"

#include <inttypes.h>
#include <math.h>

/* Reads the time in `member`; NaN for a missing time. */
static int read_time(const json_t *object, const char *member, const json_text_t *text,
                     struct local_time *time, struct error *error)
{
    const json_t *found = json_object_get(object, member);
    const char *told = json_string_value(found);

    *time = (struct local_time)LOCAL_TIME_NONE;
    if (!found || json_is_null(found) || (told && local_time_is_none(told)) ||
        (told && local_time_parse(told, time)))
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

/* Adds the run time and GPUs of the attempt. `times` has the job's submission, whose reading the
 * first attempt settles, and room for start and end. */
static int read_attempt(const json_t *attempt, const json_text_t *text, struct local_time times[3],
                        struct foreign_job *job, struct error *error)
{
    const double gpus = (double)count_gpus(attempt);

    if (read_time(attempt, "start_time", text, &times[1], error) < 0 ||
        read_time(attempt, "end_time", text, &times[2], error) < 0)
        return -1;
    local_time_order(times, 3);
    times[0].otherwise = times[0].seconds;
    if (!isnan(times[1].seconds + times[2].seconds))
        job->duration_s = fmax(0, job->duration_s) + fmax(0, times[2].seconds - times[1].seconds);
    job->gpus = fmax(job->gpus, gpus);
    return 0;
}

static int read_job(const json_t *from, const json_text_t *text, foreign_t *jobs,
                    struct error *error)
{
    const char *name = json_string_value(json_object_get(from, "jobid"));
    const json_t *attempts = json_object_get(from, "attempts");
    struct foreign_job job = {.name = name,
                              .duration_s = NAN,
                              .user = json_string_value(json_object_get(from, "user")),
                              .virtual_cluster = json_string_value(json_object_get(from, "vc"))};
    struct local_time times[3] = {LOCAL_TIME_NONE, LOCAL_TIME_NONE, LOCAL_TIME_NONE};

    if (!name || !json_is_array(attempts))
        return error_set(error,
                         "%s:%" PRId64 ": expected a job with a text \"jobid\" and a list "
                         "\"attempts\"",
                         json_text_path(text), json_text_line(text));
    if (read_time(from, "submitted_time", text, &times[0], error) < 0)
        return -1;
    for (size_t i = 0; i < json_array_size(attempts); i++)
        if (read_attempt(json_array_get(attempts, i), text, times, &job, error) < 0)
            return -1;
    job.submit_s = times[0].seconds;
    if (isnan(job.duration_s))
        foreign_span(&job, times[1].seconds, times[2].seconds,
                     json_string_value(json_object_get(from, "status")));
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
