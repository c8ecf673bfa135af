/* result_summary.h - the members of a run's summary.json that an export needs. */
#ifndef EXPORT_RESULT_SUMMARY_H
#define EXPORT_RESULT_SUMMARY_H

#include "common/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct result_summary {
    json_t *root; /* owns the texts */
    const char *policy;
    const char *placement;
    const char *trace;   /* "" for none */
    const char *cluster; /* "" without a file */
    int64_t nodes;
    int64_t gpus;
    int64_t accepted;
    int64_t declined;
    bool lends; /* whether the policy gives out GPUs by leases */
};

/* Reads the summary of the folder `results`. Returns -1 with `error`. */
int result_summary_read(struct result_summary *self, const char *results, struct error *error);
void result_summary_free(struct result_summary *self);

#endif
