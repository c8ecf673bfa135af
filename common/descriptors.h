/* descriptors.h - the file descriptors of this process. */
#ifndef COMMON_DESCRIPTORS_H
#define COMMON_DESCRIPTORS_H

#include "common/error.h"

#include <stddef.h>

/* Opens standard input, output and error where the caller left them closed: otherwise the next file
 * that is opened would be taken for one of them. Reads then find nothing, and writes still fail.
 * Called first in a program. */
void descriptors_open_standard(void);

/* Raises the soft limit of this process to the hard one, at most to 524288. -1 with `error` if
 * fewer than `count` may be open at once even so. */
int descriptors_allow(size_t count, struct error *error);

#endif
