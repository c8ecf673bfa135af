/* draft.h - the next version of a folder's files, which takes the place of the older version as a
 * whole.
 *
 * The files gather in a folder of their own, FOLDER/.rubato-running-PID. A commit puts all
 * of them into FOLDER, and the regular files that had their names there go:
 *
 * - by one exchange of two folders (renameat2) where FOLDER holds files alone. Files of others come
 *   along as hard links, and the older version is FOLDER.rubato-aside until its files are removed;
 * - else by moving: the older files to FOLDER/.rubato-aside-PID, the last name first, then the new
 *   files to FOLDER, the last name last. FOLDER keeps its identity where it holds folders, where it
 * is a mount point, where a process stands in it (the process would stand in a folder without a
 * name afterwards), where a new folder would lack its owner or attributes, and where the file
 * system cannot exchange.
 *
 * Where a call fails, the older version stays. Where the process is killed, one version is whole,
 * and draft_mend, which the next run calls, puts that version where it belongs. A living process
 * holds a lock on its draft (flock). */
#ifndef COMMON_DRAFT_H
#define COMMON_DRAFT_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Names of a draft in a folder, each followed by a process number: the first while the process
 * writes, the second once the draft is kept. */
#define DRAFT_RUNNING ".rubato-running-"
#define DRAFT_KEPT    "unfinished-"

/* Where older files are during a commit: a folder in the folder, followed by a process number; and
 * what follows the name of the folder in a name beside it. */
#define DRAFT_ASIDE  ".rubato-aside-"
#define DRAFT_BESIDE ".rubato-aside"

/* The names that files of a version may have, 64 at most, lent for as long as a draft is there.
 * Each version has the first name and the last name. A folder that has the file with the last name
 * is whole. */
struct draft_names {
    const char *const *names;
    size_t count;
};

typedef struct draft draft_t;

/* Starts an empty draft of `folder`, which is there. NULL, with `error`, if it cannot be made. */
draft_t *draft_new(const char *folder, const struct draft_names *names, struct error *error);

/* The draft's own folder, into which the files are written. */
const char *draft_path(const draft_t *self);

/* The draft becomes the folder's version. -1, with `error`, if that cannot be; the files are then
 * in the draft again. A file in the folder that is not regular stays. */
int draft_commit(draft_t *self, struct error *error);

/* The files stay in the draft, which no later run removes. Adds to `error` where they are. */
void draft_keep(draft_t *self, struct error *error);

/* Removes the files and the draft, for a process that ends at once: async-signal-safe. */
void draft_abandon(const draft_t *self);

/* Ends the draft; removes its files unless they are committed or kept. */
void draft_destroy(draft_t **self);

/* Puts right what killed processes have left of drafts of `folder`, and says so on stderr with a
 * line for each. */
void draft_mend(const char *folder, const struct draft_names *names);

#endif
