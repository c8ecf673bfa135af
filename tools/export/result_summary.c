/* result_summary.c - see result_summary.h. */
#include "tools/export/result_summary.h"

#include "common/json_text.h"

#include "scheduler/report/result_folder.h"
#include "scheduler/state/cluster_spec.h"

#include <stdio.h>

static const char *text_or_empty(json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));

    return text ? text : "";
}

static int check_numbers(const struct result_summary *self, const char *path, struct error *error)
{
    if (self->nodes < 1 || self->gpus < self->nodes || self->gpus > CLUSTER_GPUS_MAX ||
        self->gpus % self->nodes != 0)
        return error_set(error,
                         "%s: expected nodes with the same number of GPUs each, at most %d in all",
                         path, CLUSTER_GPUS_MAX);
    if (self->accepted < 0 || self->accepted > INT32_MAX || self->declined < 0 ||
        self->declined > INT32_MAX)
        return error_set(error, "%s: expected accepted and declined jobs from 0 to %d", path,
                         INT32_MAX);
    return 0;
}

int result_summary_read(struct result_summary *self, const char *results, struct error *error)
{
    char path[4096];
    json_error_t why;
    json_int_t counts[4];

    (void)snprintf(path, sizeof(path), "%s/" RESULT_SUMMARY, results);
    *self = (struct result_summary){.root = json_read(path, error)};
    if (!self->root)
        return -1;
    if (json_unpack_ex(self->root, &why, 0, "{s:s, s:s, s:I, s:I, s:I, s:I}", "policy",
                       &self->policy, "placement", &self->placement, "nodes", &counts[0], "gpus",
                       &counts[1], "accepted", &counts[2], "declined", &counts[3]) < 0) {
        result_summary_free(self);
        return error_set(error, "%s: %s", path, why.text);
    }
    if (json_array_size(json_object_get(self->root, "pools")) > 1) {
        result_summary_free(self);
        return error_set(error, "%s: a run on several pools; the artifact's logs know one", path);
    }
    self->nodes = counts[0];
    self->gpus = counts[1];
    self->accepted = counts[2];
    self->declined = counts[3];
    self->trace = text_or_empty(self->root, "trace");
    self->cluster = text_or_empty(self->root, "cluster");
    self->lends = json_object_get(self->root, "leasing") != NULL;
    if (check_numbers(self, path, error) == 0)
        return 0;
    result_summary_free(self);
    return -1;
}

void result_summary_free(struct result_summary *self)
{
    json_decref(self->root);
    self->root = NULL;
}
