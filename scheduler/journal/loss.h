/* loss.h - whether a state has all that it is known to have had: what is beside its database says
 * more than the database itself. */
#ifndef JOURNAL_LOSS_H
#define JOURNAL_LOSS_H

#include "common/error.h"
#include "scheduler/journal/mark.h"

#include <stdbool.h>
#include <stdint.h>

/* The contents of a database of a state. */
struct extent {
    uint64_t run; /* 0 if there is no state in it */
    uint64_t commits;
    uint64_t digest;
    int64_t steps;
    int64_t jobs; /* number of the last, 0 for none */
};

/* The extent of the database at `path`, which is only read. Its log is not read. All members are 0
 * if there is no database or if the database is no state. */
struct extent extent_of(const char *path);

/* Whether all pages of the database at `path` are in order and all documents are as they were
 * written. The database is only read. */
bool extent_is_whole(const char *path);

/* Before the database in `folder` is opened: -1, with `error`, if there is none, and `mark`, its
 * log or the copy says that there was one. */
int loss_check_missing(const char *folder, const struct mark *mark, struct error *error);

/* Once it is open and has `found`: -1, with `error`, if it lacks what `mark` or the copy has. */
int loss_check(const char *folder, const struct extent *found, const struct mark *mark,
               struct error *error);

/* The end of each such sentence: what an operator may do. */
int loss_complain(const char *folder, const char *what, struct error *error);

#endif
