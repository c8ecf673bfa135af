/* policy_report.h - what a policy reports beside the files and figures of every run. */
#ifndef REPORT_POLICY_REPORT_H
#define REPORT_POLICY_REPORT_H

#include "scheduler/report/report.h"

#include <stdbool.h>

struct policy_report {
    /* Starts the files of its own. -1 with `error`. */
    int (*open)(report_t *report, struct error *error);

    /* A round was held at `now_s`, or `job` retired in it. `memory` is the policy's. */
    void (*retired)(report_t *report, void *memory, const struct job *job, bool late);
    void (*round)(report_t *report, void *memory, int64_t now_s);

    /* Adds its figures, before report_count. */
    void (*count)(void *memory, struct figures *figures);
};

#endif
