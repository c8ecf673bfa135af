/* case.c - see case.h. Reads summary.json and then the files that the summary names. */
#include "tools/audit/case.h"

#include "common/json_text.h"
#include "tools/audit/same_inputs.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *keep_text(struct audit_case *self, const char *text)
{
    return text ? arena_text(self->texts, text, strlen(text)) : NULL;
}

const char *audit_seen_from(struct audit_case *self, const char *folder, const char *file)
{
    char path[4096];

    if (!folder || !file || file[0] == '/')
        return file;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, file);
    return access(path, F_OK) == 0 ? keep_text(self, path) : file;
}

#define SCHEMA_VERSION 1 /* schema of the summaries that this auditor reads */

static int unpack_counts(struct audit_summary *s, json_t *root, const char *path,
                         struct error *error)
{
    json_error_t why;
    json_int_t counts[14];
    json_int_t later = 0; /* 0 and -1 stand for counts that summaries of older runs lack */
    json_int_t at_arrival = -1;
    json_int_t withdrawn = -1;
    json_int_t withdrawals = -1;
    int promises;
    const int result = json_unpack_ex(
        root, &why, 0,
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b,"
        " s?I, s?I, s?I, s?I, s?F, s:F, s:F, s:F, s:F, s:F}",
        "switches", &counts[0], "nodes", &counts[1], "gpus", &counts[2], "jobs", &counts[3],
        "deadline_jobs", &counts[4], "on_time", &counts[5], "promised", &counts[6], "broken",
        &counts[7], "best_effort_on_time", &counts[8], "accepted", &counts[9], "declined",
        &counts[10], "finished", &counts[11], "makespan_s", &counts[12], "rounds", &counts[13],
        "promises", &promises, "promised_later", &later, "promised_at_arrival", &at_arrival,
        "withdrawn", &withdrawn, "withdrawals", &withdrawals, "value_on_time", &s->value_on_time,
        "on_time_share", &s->on_time_share, "deadline_satisfaction", &s->deadline_satisfaction,
        "jct_mean_s", &s->jct_mean_s, "jct_p99_s", &s->jct_p99_s, "gpu_utilisation",
        &s->gpu_utilisation);
    int64_t *const fields[] = {&s->switches,   &s->nodes,         &s->gpus,
                               &s->jobs,       &s->deadline_jobs, &s->on_time,
                               &s->promised,   &s->broken,        &s->best_effort_on_time,
                               &s->accepted,   &s->declined,      &s->finished,
                               &s->makespan_s, &s->rounds};

    if (result < 0)
        return error_set(error, "%s: %s", path, why.text);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        *fields[i] = counts[i];
    s->promises = promises;
    s->promised_later = later;
    s->withdrawn = withdrawn;
    s->withdrawals = withdrawals;
    s->promised_at_arrival = at_arrival >= 0 ? at_arrival : s->promised - later;
    return 0;
}

static int unpack_names(struct audit_case *self, json_t *root, const char *path,
                        struct error *error)
{
    struct audit_summary *s = &self->summary;
    const char **const names[] = {&s->policy,   &s->trace, &s->cluster,
                                  &s->gpu_type, &s->rules, &s->throughputs};
    const char **const files[] = {&s->trace, &s->cluster, &s->throughputs};
    json_error_t why;
    const char *folder = json_string_value(json_object_get(root, "folder"));
    int version = 0;

    s->rules = "reference";
    if (json_object_get(root, "pools"))
        return error_set(
            error, "%s: the run was on several pools, and only runs on one are audited", path);
    if (json_unpack_ex(root, &why, 0, "{s:i, s:s, s:s, s?s, s:s, s?s, s?s}", "schema_version",
                       &version, "policy", &s->policy, "trace", &s->trace, "cluster", &s->cluster,
                       "gpu_type", &s->gpu_type, "throughputs", &s->throughputs, "rules",
                       &s->rules) < 0)
        return error_set(error, "%s: %s", path, why.text);
    if (version != SCHEMA_VERSION)
        return error_set(error, "%s: schema_version %d, expected %d", path, version,
                         SCHEMA_VERSION);
    if (json_is_true(json_object_get(root, "interrupted")))
        return error_set(error, "%s: the run was interrupted, so there is no end to judge", path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        *names[i] = keep_text(self, *names[i]);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        *files[i] = audit_seen_from(self, folder, *files[i]);
    return 0;
}

static int unpack_world(struct audit_world *world, json_t *root, const char *path,
                        struct error *error)
{
    json_t *object = json_object_get(root, "world");
    json_error_t why;
    json_int_t mtbf_s;
    double per_cent;

    *world = (struct audit_world){.slowest = 1, .fastest = 1, .overhead_factor = 1};
    if (!object)
        return 0;
    if (json_unpack_ex(object, &why, 0, "{s:I, s:F, s:F}", "node_mtbf_s", &mtbf_s, "speed_error",
                       &per_cent, "overhead_factor", &world->overhead_factor) < 0)
        return error_set(error, "%s: world: %s", path, why.text);
    world->loses_work = mtbf_s > 0 || json_is_string(json_object_get(object, "faults"));
    world->slowest = 1 - per_cent / 100;
    world->fastest = 1 + per_cent / 100;
    return 0;
}

static int unpack_service(struct audit_metrics *metrics, const json_t *root, const char *path,
                          struct error *error)
{
    const json_t *service = json_object_get(root, "attained_service_gpu_s");

    if (service && !json_is_array(service))
        return error_set(error, "%s: attained_service_gpu_s: expected an array", path);
    metrics->queues = json_array_size(service);
    for (size_t i = 0; i < metrics->queues; i++) {
        const json_t *gpu_s = json_array_get(service, i);

        if (!json_is_integer(gpu_s) || json_integer_value(gpu_s) < 0 ||
            json_integer_value(gpu_s) > INT64_MAX / 2 - metrics->service_gpu_s)
            return error_set(error, "%s: attained_service_gpu_s: expected GPU seconds", path);
        metrics->service_gpu_s += json_integer_value(gpu_s);
    }
    return 0;
}

static int unpack_metrics(struct audit_case *self, json_t *root, const char *path,
                          struct error *error)
{
    struct audit_metrics *metrics = &self->summary.metrics;
    json_error_t why;
    json_int_t counts[3];

    metrics->present = json_object_get(root, "preemptions") != NULL;
    if (!metrics->present)
        return 0;
    if (json_unpack_ex(root, &why, 0, "{s:I, s:I, s:I, s:F, s:F}", "preemptions", &counts[0],
                       "migrations", &counts[1], "resizes", &counts[2], "queueing_delay_mean_s",
                       &metrics->queueing_delay_mean_s, "queueing_delay_p99_s",
                       &metrics->queueing_delay_p99_s) < 0)
        return error_set(error, "%s: %s", path, why.text);
    metrics->preemptions = counts[0];
    metrics->migrations = counts[1];
    metrics->resizes = counts[2];
    return unpack_service(metrics, root, path, error);
}

int audit_read_summary(struct audit_case *self, const char *folder, struct error *error)
{
    char path[4096];
    json_t *root;
    int result;

    (void)snprintf(path, sizeof(path), "%s/summary.json", folder);
    root = json_read(path, error);
    if (!root)
        return -1;
    /* `cluster` is null if the run was on the default cluster, and `throughputs` is null if the
     * policy measures nothing. audit_read_summary takes null as absent. */
    if (json_is_null(json_object_get(root, "cluster")))
        json_object_del(root, "cluster");
    if (json_is_null(json_object_get(root, "throughputs")))
        json_object_del(root, "throughputs");
    result = unpack_names(self, root, path, error);
    if (result == 0)
        result = unpack_counts(&self->summary, root, path, error);
    if (result == 0)
        result = unpack_metrics(self, root, path, error);
    if (result == 0)
        result = unpack_world(&self->summary.world, root, path, error);
    self->document = root;
    return result;
}

/* Reads the folder's copies of the inputs in the place of the originals. */
static void use_copies(struct audit_case *self, const char *folder)
{
    const struct {
        const char *kind;
        const char **path;
    } inputs[] = {{"trace", &self->summary.trace},
                  {"cluster", &self->summary.cluster},
                  {"throughputs", &self->summary.throughputs}};

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        char *copy = same_inputs_copy(self->document, folder, inputs[i].kind);

        if (copy)
            *inputs[i].path = keep_text(self, copy);
        free(copy);
    }
}

static int read_all(struct audit_case *self, const struct audit_inputs *inputs, struct error *error)
{
    const struct audit_summary *summary = &self->summary;
    const char *folder = inputs->folder;
    const char *cluster;
    const char *trace;

    if (audit_read_summary(self, folder, error) < 0)
        return -1;
    use_copies(self, folder);
    cluster = inputs->cluster ? inputs->cluster : summary->cluster;
    trace = inputs->trace ? inputs->trace : summary->trace;
    if (inputs->gpu_type)
        self->summary.gpu_type = keep_text(self, inputs->gpu_type);
    if (inputs->throughputs)
        self->summary.throughputs = keep_text(self, inputs->throughputs);
    if (same_inputs_check(self->document, folder, "cluster", cluster,
                          audit_read_cluster(self, cluster, error), error) < 0 ||
        (summary->throughputs &&
         audit_read_rates(self, summary->throughputs, summary->gpu_type, error) < 0) ||
        same_inputs_check(self->document, folder, "throughputs", self->rates.path, 0, error) < 0 ||
        same_inputs_check(self->document, folder, "trace", trace,
                          audit_read_trace(self, trace, error), error) < 0)
        return -1;
    return audit_read_results(self, folder, error);
}

struct audit_case *audit_case_read(const struct audit_inputs *inputs, struct error *error)
{
    struct audit_case *self = xcalloc(1, sizeof(*self));

    assert(inputs->folder);
    self->texts = arena_new();
    if (read_all(self, inputs, error) < 0)
        audit_case_destroy(&self);
    return self;
}

void audit_case_destroy(struct audit_case **self)
{
    if (!*self)
        return;
    arena_destroy(&(*self)->texts);
    json_decref((*self)->document);
    free((*self)->rates.items);
    free((*self)->jobs);
    free((*self)->records);
    free((*self)->works);
    free((*self)->outcomes);
    free((*self)->rounds);
    free((*self)->runs);
    free((*self)->changes);
    free((*self)->uses);
    free((*self)->grants);
    free((*self)->by_id);
    free(*self);
    *self = NULL;
}

const char *audit_case_name(const struct audit_case *self, size_t job, struct audit_row_name *name)
{
    if (job < self->job_count)
        return self->jobs[job].id;
    (void)snprintf(name->text, sizeof(name->text), "#%zu", job);
    return name->text;
}
