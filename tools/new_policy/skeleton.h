/* skeleton.h - the files that a new policy begins with. In each file, @NAME@ stands for the name of
 * the policy and @FILE@ for the name as a C identifier. */
#ifndef NEW_POLICY_SKELETON_H
#define NEW_POLICY_SKELETON_H

#include "common/output.h"

extern const char skeleton_c[];      /* text of scheduler/policies/FILE.c */
extern const char skeleton_test[];   /* text of tests/policies/FILE_test.c */
extern const char skeleton_python[]; /* text of FILE.py */

/* Writes `skeleton` for the policy `name`. */
void skeleton_write(const char *skeleton, const char *name, output_t *output);

/* `name` as a C identifier; the caller frees it. */
char *skeleton_file(const char *name) __attribute__((returns_nonnull));

#endif
