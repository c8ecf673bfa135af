/* folder_lock.h - one process at a time uses a folder. */
#ifndef COMMON_FOLDER_LOCK_H
#define COMMON_FOLDER_LOCK_H

#include "common/error.h"

#include <sys/types.h>

/* Creates `folder` if missing, accessible to its owner alone, and locks it until the returned
 * descriptor is closed, at the latest when the process ends. Children do not inherit the lock. -1,
 * with `error`, which names the process that has it. */
int folder_lock(const char *folder, struct error *error);

/* -1, with `error`, if `folder` is no folder, or if other users may write to it: no process uses
 * such a folder. */
int folder_lock_allows(const char *folder, struct error *error);

/* The process that has `folder` locked, 0 if none has. */
pid_t folder_lock_holder(const char *folder);

#endif
