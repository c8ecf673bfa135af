/* upkeep.h - what an operator does with a state that no process uses. Each call locks the folder,
 * and fails, with `error`, while a process uses it. */
#ifndef JOURNAL_UPKEEP_H
#define JOURNAL_UPKEEP_H

#include "common/error.h"
#include "scheduler/journal/loss.h"

#include <limits.h>

/* Looks through the state in `folder` as a start does, and writes its copy anew. */
int upkeep_check(const char *folder, struct extent *found, struct error *error);

/* Puts the copy in the place of the database. What it replaces goes to `aside`, a folder in there,
 * "" if there was nothing. The next start has what the copy `found` and gives no number again. */
int upkeep_restore(const char *folder, struct extent *found, char aside[PATH_MAX],
                   struct error *error);

/* The next start goes on with what is there, and gives no number again. A copy that has more goes
 * to `aside`, "" if there is none. */
int upkeep_accept_loss(const char *folder, char aside[PATH_MAX], struct error *error);

#endif
