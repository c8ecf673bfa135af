/* folder_lock.h - one process at a time uses a folder. */
#ifndef JOURNAL_FOLDER_LOCK_H
#define JOURNAL_FOLDER_LOCK_H

#include "common/error.h"

/* Makes `folder`, for its owner alone, if it is not there, and locks it until the descriptor that
 * this returns is closed, by the end of the process at the latest. No child holds it. -1, with
 * `error`, which names the process that has it. */
int folder_lock(const char *folder, struct error *error);

#endif
