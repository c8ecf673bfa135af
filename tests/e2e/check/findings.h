/* findings.h - what is wrong with a run: one line each, with the place where it shows. */
#ifndef CHECK_FINDINGS_H
#define CHECK_FINDINGS_H

#include "tests/e2e/check/log_line.h"

#include <stddef.h>
#include <stdio.h>

typedef struct findings findings_t;

/* Findings are printed on `out` as they come: "FILE:LINE: I3 gpu-given: sentence". */
findings_t *findings_new(FILE *out);
void findings_destroy(findings_t **self);

/* `invariant` as docs have it ("I2"), or "log"; `at` where it shows. */
void findings_add(findings_t *self, const char *invariant, const struct log_line *at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

size_t findings_count(const findings_t *self);

#endif
