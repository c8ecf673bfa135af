/* audit.h - checks a result folder against its inputs, with no code of the scheduler. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "common/error.h"
#include "tools/audit/case.h"
#include "tools/audit/finding.h"

struct audit_totals {
    size_t jobs;
    size_t records;
    size_t rounds;
    size_t promised;
    bool unchecked; /* the summary has no checksums of the inputs */
    char policy[32];
};

/* Reads everything, runs every check and adds its findings to `findings` (empty before, cleared by
 * the caller) in order of time. -1, with `error` set, if an input cannot be read. */
int audit_run(const struct audit_inputs *inputs, struct findings *findings,
              struct audit_totals *totals, struct error *error);

#endif
