/* other_users.h - whether a worker can run programs of other users. */
#ifndef WORKER_OTHER_USERS_H
#define WORKER_OTHER_USERS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether this process may run programs as other users, and these can enter the folder `run_dir`, a
 * path from the root without links. Otherwise `why` is set to the reason, as the end of a
 * sentence. */
bool other_users_can_run(const char *run_dir, char *why, size_t size);

#endif
