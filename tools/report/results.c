/* results.c - see results.h. */
#include "tools/report/results.h"

#include "common/json_text.h"
#include "common/memory.h"
#include "tools/audit/same_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

static void name_file(const struct results *self, const char *name, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", self->folder, name);
}

/* ---- summary.json ---- */

static int add_pool(struct results *self, const char *name, json_int_t nodes, json_int_t gpus)
{
    if (self->pool_count == RESULTS_POOLS_MAX || nodes < 1 || gpus < nodes || gpus % nodes != 0 ||
        gpus > RESULTS_GPUS_MAX - self->gpus)
        return -1;
    self->pools[self->pool_count++] =
        (struct results_pool){.name = name, .nodes = nodes, .gpus = gpus};
    self->gpus += gpus;
    return 0;
}

static int add_pools(struct results *self, json_t *pools)
{
    const char *type = json_string_value(json_object_get(self->summary, "gpu_type"));
    json_int_t nodes = 0;
    json_int_t gpus = 0;
    const char *name;
    json_t *item;
    size_t i;

    if (!pools)
        return json_unpack(self->summary, "{s:I, s:I}", "nodes", &nodes, "gpus", &gpus) < 0
                   ? -1
                   : add_pool(self, type ? type : "GPU", nodes, gpus);
    json_array_foreach(pools, i, item)
    {
        if (json_unpack(item, "{s:s, s:I, s:I}", "name", &name, "nodes", &nodes, "gpus", &gpus) <
                0 ||
            add_pool(self, name, nodes, gpus) < 0)
            return -1;
    }
    return self->pool_count > 0 ? 0 : -1;
}

/* Checks that each count in the summary is a whole number. */
static int check_counts(const struct results *self, const char *path, struct error *error)
{
    static const char *const names[] = {"jobs", "deadline_jobs", "on_time"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const json_t *count = json_object_get(self->summary, names[i]);

        if (count && (!json_is_integer(count) || json_integer_value(count) < 0))
            return error_set(error, "%s: %s: expected a whole number of 0 or more", path, names[i]);
    }
    return 0;
}

int results_read_summary(struct results *self, struct error *error)
{
    const char *policy;
    const char *trace;
    char path[PATH_BYTES];
    json_error_t why;
    int version;

    name_file(self, "summary.json", path);
    self->summary = json_read(path, error);
    if (!self->summary)
        return -1;
    if (json_unpack_ex(self->summary, &why, 0, "{s:i, s:s, s:s}", "schema_version", &version,
                       "policy", &policy, "trace", &trace) < 0)
        return error_set(error, "%s: %s", path, why.text);
    if (version != 1)
        return error_set(error, "%s: schema_version %d, expected 1", path, version);
    if (add_pools(self, json_object_get(self->summary, "pools")) < 0)
        return error_set(error, "%s: nodes and gpus, or pools, make no cluster of 1 to %d GPUs",
                         path, (int)RESULTS_GPUS_MAX);
    return check_counts(self, path, error);
}

/* ---- the records and outcomes of jobs ---- */

static int no_such_job(const struct results *self, const char *file, const char *id,
                       struct error *error)
{
    return error_set(error, "%s/%s: job \"%s\" is not in the trace of the run; --trace names it",
                     self->folder, file, id);
}

static int too_late(const struct results *self, const char *file, const char *id,
                    struct error *error)
{
    return error_set(error, "%s/%s: job \"%s\" has a time after %lld s", self->folder, file, id,
                     (long long)RESULTS_TIME_MAX_S);
}

static int sort_records(struct results *self, struct error *error)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->record_count; i++) {
        const struct audit_record *record = &given->records[i];

        if (record->job == AUDIT_NO_JOB)
            return no_such_job(self, "jobs.csv", record->id, error);
        if (record->retired_at_s > RESULTS_TIME_MAX_S || record->end_s > RESULTS_TIME_MAX_S)
            return too_late(self, "jobs.csv", record->id, error);
        self->records[record->job] = record;
        if (record->retired_at_s > self->end_s)
            self->end_s = record->retired_at_s;
    }
    return 0;
}

static int sort_outcomes(struct results *self, struct error *error)
{
    const struct audit_case *given = self->given;

    for (size_t i = 0; i < given->outcome_count; i++) {
        const struct audit_outcome *outcome = &given->outcomes[i];

        if (outcome->job == AUDIT_NO_JOB)
            return no_such_job(self, "outcomes.csv", outcome->id, error);
        if (outcome->decided_s > RESULTS_TIME_MAX_S ||
            (outcome->promised_s != AUDIT_DEADLINE_NONE_S &&
             outcome->promised_s > RESULTS_TIME_MAX_S))
            return too_late(self, "outcomes.csv", outcome->id, error);
        self->outcomes[outcome->job] = outcome;
    }
    return 0;
}

static int check_jobs(const struct audit_case *given, const char *trace, struct error *error)
{
    for (size_t i = 0; i < given->job_count; i++) {
        const struct audit_job *job = &given->jobs[i];

        if (job->submit_s > RESULTS_TIME_MAX_S ||
            (job->deadline_s != AUDIT_DEADLINE_NONE_S && job->deadline_s > RESULTS_TIME_MAX_S))
            return error_set(error, "%s: job \"%s\" has a time after %lld s", trace, job->id,
                             (long long)RESULTS_TIME_MAX_S);
    }
    return 0;
}

static int read_jobs(struct results *self, const char *trace, struct error *error)
{
    struct audit_case *given = self->given;

    if (same_inputs_check(self->summary, self->folder, "trace", trace,
                          audit_read_trace(given, trace, error), error) < 0)
        return -1;
    self->unchecked = !same_inputs_known(self->summary);
    (void)json_object_del(self->summary, "folder"); /* drops places on this machine */
    (void)json_object_del(self->summary, "inputs");
    if (check_jobs(given, trace, error) < 0 || audit_read_results(given, self->folder, error) < 0)
        return -1;
    self->records = xcalloc(given->job_count, sizeof(*self->records));
    self->outcomes = xcalloc(given->job_count, sizeof(*self->outcomes));
    return sort_records(self, error) < 0 ? -1 : sort_outcomes(self, error);
}

/* Finds the jobs in the trace `trace`. If `trace` is NULL, takes the folder's copy of the trace, or
 * else the file that the summary names. */
static int find_jobs(struct results *self, const char *trace, struct error *error)
{
    char *copy = trace ? NULL : same_inputs_copy(self->summary, self->folder, "trace");
    int status;

    if (!trace && !copy)
        trace = audit_seen_from(self->given,
                                json_string_value(json_object_get(self->summary, "folder")),
                                json_string_value(json_object_get(self->summary, "trace")));
    status = read_jobs(self, copy ? copy : trace, error);
    free(copy);
    return status;
}

int results_read(struct results *self, const char *folder, const char *trace, struct error *error)
{
    *self = (struct results){.folder = folder};
    self->given = xcalloc(1, sizeof(*self->given));
    self->given->texts = arena_new();
    if (results_read_summary(self, error) < 0 || find_jobs(self, trace, error) < 0 ||
        results_read_layouts(self, error) < 0)
        return -1;
    return self->given->has_timeline ? results_take_timeline(self, error) : 0;
}

void results_close(struct results *self)
{
    json_decref(self->summary);
    audit_case_destroy(&self->given);
    free(self->records);
    free(self->outcomes);
    free(self->seats);
    free(self->changes);
    free(self->moments);
}
