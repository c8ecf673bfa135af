/* expected.h - the counts that a comparison should give: rows of trace, policy, accepted, declined.
 */
#ifndef TOOLS_EXPECTED_H
#define TOOLS_EXPECTED_H

#include "common/error.h"
#include "tools/cells.h"

#include <stdbool.h>
#include <stdint.h>

struct expected;

/* Reads the CSV file at `path`; NULL with `error` if it makes no sense. */
struct expected *expected_read(const char *path, struct error *error);
void expected_destroy(struct expected **self);

/* Finds the counts of `policy` on `trace`, of which only the file name without its endings counts.
 * Returns -1 if nothing is expected. */
int expected_find(const struct expected *self, const char *trace, const char *policy,
                  int64_t *accepted, int64_t *declined);

/* Whether the counts of `cell` are those expected, which are written to `text`, "-" for none. A
 * NULL `self` expects nothing. */
bool expected_agrees(const struct expected *self, const struct cell *cell, char *text, size_t size);

#endif
