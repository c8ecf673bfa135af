/* folder_lock.h - one process at a time uses a folder. */
#ifndef COMMON_FOLDER_LOCK_H
#define COMMON_FOLDER_LOCK_H

#include "common/error.h"

#include <sys/types.h>

/* Makes `folder`, for its owner alone, if it is not there, and locks it until the descriptor that
 * this returns is closed, by the end of the process at the latest. No child holds it. -1, with
 * `error`, which names the process that has it. */
int folder_lock(const char *folder, struct error *error);

/* -1, with `error`, if `folder` is no folder, or one that others may write to: no process uses such
 * a one. */
int folder_lock_allows(const char *folder, struct error *error);

/* The process that has `folder` locked, 0 if none has. */
pid_t folder_lock_holder(const char *folder);

#endif
