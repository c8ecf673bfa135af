/* policy_report.h - files that a policy writes beside those of every run, and what it counts for
 * its figures meanwhile. */
#ifndef POLICIES_POLICY_REPORT_H
#define POLICIES_POLICY_REPORT_H

#include "common/output.h"
#include "scheduler/state/job.h"

#include <stdbool.h>
#include <stdint.h>

/* The most files that a policy has of its own. */
#define POLICY_FILES_MAX 4

struct policy_report {
    const char *files[POLICY_FILES_MAX + 1]; /* their names, ended with NULL */

    /* Starts a report on a run into `files`, in the order of their names, which are lent and are
     * not committed; NULL counts only. The caller closes it. */
    void *(*open)(output_t *const files[]);
    void (*close)(void *self);

    /* A round was held at `now_s`, or `job` retired in it. `memory` is the policy's. */
    void (*round)(void *self, void *memory, int64_t now_s);
    void (*retired)(void *self, void *memory, const struct job *job, bool late);

    /* The run is over: completes the policy's figures, which its `count` began. */
    void (*count)(void *self, void *figures);
};

#endif
