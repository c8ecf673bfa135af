/* upkeep.h - an operator's operations on a state: check, back up, restore. */
#ifndef JOURNAL_UPKEEP_H
#define JOURNAL_UPKEEP_H

#include "common/error.h"
#include "scheduler/journal/journal.h"
#include "scheduler/journal/loss.h"

#include <limits.h>

/* A state as the next start would find it. */
struct found_state {
    struct extent extent;
    int64_t damaged;           /* number of documents that a start sets aside */
    char writer[WRITER_BYTES]; /* version that wrote the last step, "" if unknown */
};

/* Looks through the state in `folder` as a start does, and changes nothing in there; another
 * process may use the state. -1, with `error`, if a start would fail. */
int upkeep_check(const char *folder, struct found_state *found, struct error *error);

/* ---- of a state that no process uses: each call locks the folder, and fails, with `error`, while
 * a process uses it ---- */

/* Looks through the state as a start does, and writes its copy anew. Without `forced` a backup.db
 * that is no copy of this state stays. */
int upkeep_back_up(const char *folder, bool forced, struct extent *found, struct error *error);

/* Puts the copy in the place of the database. What it replaces goes to `aside`, a folder in there,
 * "" if there was nothing. The next start has what the copy `found` and gives no number again. */
int upkeep_restore(const char *folder, struct extent *found, char aside[PATH_MAX],
                   struct error *error);

/* The next start goes on with what is there, and gives no number again. A copy that has more goes
 * to `aside`, "" if there is none. */
int upkeep_accept_loss(const char *folder, char aside[PATH_MAX], struct error *error);

#endif
