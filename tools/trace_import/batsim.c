/* batsim.c - workloads of Batsim: one JSON object with jobs and the profiles that they name. A job
 * runs for the delay of its profile. The duration of other profiles depends on a platform; for
 * these jobs the walltime is taken instead.
 *
 * Source: the documentation of Batsim, "Workload". */
#include "tools/trace_import/format.h"
#include "tools/trace_import/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The place in the workload that an error message names. */
struct place {
    const char *path;
    size_t index; /* number of the job, from 0 */
};

static int complain(const struct place *place, const char *member, const char *expected,
                    struct error *error)
{
    return error_set(error, "%s: jobs[%zu].%s: expected %s", place->path, place->index, member,
                     expected);
}

/* Reads a number. The value is NaN for a missing number or a negative one, which stands for a
 * missing number. */
static int read_number(const json_t *object, const char *member, const struct place *place,
                       double *value, struct error *error)
{
    const json_t *found = json_object_get(object, member);

    *value = NAN;
    if (!found || json_is_null(found))
        return 0;
    if (!json_is_number(found))
        return complain(place, member, "a number", error);
    if (json_number_value(found) >= 0)
        *value = json_number_value(found);
    return 0;
}

static int read_name(const json_t *job, const struct place *place, char *name, size_t size,
                     struct error *error)
{
    const json_t *id = json_object_get(job, "id");

    if (json_is_integer(id))
        (void)snprintf(name, size, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    else if (json_is_string(id))
        (void)snprintf(name, size, "%s", json_string_value(id));
    else
        return complain(place, "id", "a text or a whole number", error);
    return 0;
}

/* Whether `type` is a profile of delays. Batsim 5 writes the name of its class, earlier versions
 * write a word. */
static bool is_delay(const char *type)
{
    return !strcmp(type, "DelayProfile") || !strcmp(type, "delay");
}

static int read_duration(const json_t *job, const json_t *profiles, const struct place *place,
                         double *duration_s, struct error *error)
{
    const char *name = json_string_value(json_object_get(job, "profile"));
    const json_t *profile = name ? json_object_get(profiles, name) : NULL;
    const char *type = json_string_value(json_object_get(profile, "type"));

    if (!type)
        return complain(place, "profile", "the name of a profile with a type", error);
    return is_delay(type) ? read_number(profile, "delay", place, duration_s, error)
                          : read_number(job, "walltime", place, duration_s, error);
}

static int read_job(const json_t *from, const json_t *profiles,
                    const struct format_setting *setting, const struct place *place,
                    foreign_t *jobs, struct error *error)
{
    struct foreign_job job = {.name = NULL};
    char name[256];
    double processors;

    if (!json_is_object(from))
        return error_set(error, "%s: jobs[%zu]: expected an object", place->path, place->index);
    if (read_name(from, place, name, sizeof(name), error) < 0 ||
        read_number(from, "subtime", place, &job.submit_s, error) < 0 ||
        read_number(from, "res", place, &processors, error) < 0 ||
        read_duration(from, profiles, place, &job.duration_s, error) < 0)
        return -1;
    job.name = name;
    job.gpus = processors / (double)setting->processors_per_gpu;
    return foreign_add(jobs, &job, place->path, 1, error);
}

static int read_jobs(const json_t *file, const char *path, const struct format_setting *setting,
                     foreign_t *jobs, struct error *error)
{
    const json_t *list = json_object_get(file, "jobs");
    const json_t *profiles = json_object_get(file, "profiles");
    struct place place = {.path = path};

    if (!json_is_array(list) || !json_is_object(profiles))
        return error_set(error,
                         "%s: expected an object with a list \"jobs\" and an object "
                         "\"profiles\"",
                         path);
    for (; place.index < json_array_size(list); place.index++)
        if (read_job(json_array_get(list, place.index), profiles, setting, &place, jobs, error) < 0)
            return -1;
    return 0;
}

int batsim_read(const char *const paths[], const struct format_setting *setting, foreign_t *jobs,
                struct error *error)
{
    json_text_t *text = json_text_open(paths[0], error);
    json_t *file = text ? json_text_whole(text, error) : NULL;
    const int result = file ? read_jobs(file, paths[0], setting, jobs, error) : -1;

    json_decref(file);
    json_text_destroy(&text);
    return result;
}
