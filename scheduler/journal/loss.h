/* loss.h - detects a state that has lost commits: files beside its database tell of more than the
 * database has. */
#ifndef JOURNAL_LOSS_H
#define JOURNAL_LOSS_H

#include "common/error.h"
#include "scheduler/journal/mark.h"

#include <stdbool.h>
#include <stdint.h>

/* The contents of a database of a state. */
struct extent {
    uint64_t run; /* id of the run, 0 without a state */
    uint64_t commits;
    uint64_t digest;
    int64_t steps;
    int64_t jobs; /* number of the last job, 0 for none */
};

/* The extent of the database at `path`, which is only read. Its log is not read. All members are 0
 * if there is no database or if the database is no state. */
struct extent extent_of(const char *path);

/* Whether all pages of the database at `path` are in order and all documents match their checksums.
 * The database is only read. */
bool extent_is_whole(const char *path);

/* Before the database in `folder` is opened: -1, with `error`, if it is missing, although `mark`,
 * its log or the copy shows that it existed. */
int loss_check_missing(const char *folder, const struct mark *mark, struct error *error);

/* Check of an open database with the extent `found`: -1, with `error`, if it lacks commits of
 * `mark` or of the copy. */
int loss_check(const char *folder, const struct extent *found, const struct mark *mark,
               struct error *error);

/* Ends each such sentence with the operator's options. */
int loss_complain(const char *folder, const char *what, struct error *error);

#endif
