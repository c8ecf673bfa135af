/* findings.h - the faults of a run, printed on one line each, with the line of a log that shows the
 * fault. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "tests/e2e/check/log_line.h"

#include <stddef.h>
#include <stdio.h>

typedef struct findings findings_t;

/* Findings are printed on `out` at once, as "FILE:LINE: I3 gpu-given: sentence". */
findings_t *findings_new(FILE *out);
void findings_destroy(findings_t **self);

/* Adds a finding. `invariant` is the name of an invariant in the docs, such as "I2", or "log". `at`
 * is the line that shows the fault. */
void findings_add(findings_t *self, const char *invariant, const struct log_line *at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

size_t findings_count(const findings_t *self);

#endif
