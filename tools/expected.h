/* expected.h - the counts that a comparison should give, in rows of trace, policy, accepted,
 * declined. */
#ifndef TOOLS_EXPECTED_H
#define TOOLS_EXPECTED_H

#include "common/error.h"
#include "tools/cells.h"

#include <stdbool.h>
#include <stdint.h>

struct expected;

/* Reads the CSV file at `path`. NULL, with `error`, if the file is invalid. */
struct expected *expected_read(const char *path, struct error *error);
void expected_destroy(struct expected **self);

/* Finds the counts of `policy` on `trace`. Traces are compared by their file names without endings.
 * Returns -1 if no counts are expected. */
int expected_find(const struct expected *self, const char *trace, const char *policy,
                  int64_t *accepted, int64_t *declined);

/* Whether the counts of `cell` are the expected ones. Writes the expected counts to `text`, "-" for
 * none. If `self` is NULL, every cell agrees. */
bool expected_agrees(const struct expected *self, const struct cell *cell, char *text, size_t size);

#endif
