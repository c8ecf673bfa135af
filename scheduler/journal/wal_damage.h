/* wal_damage.h - damage in the middle of a write-ahead log of SQLite. SQLite takes such a log for
 * one that ends there, and drops what was committed later without a word. */
#ifndef JOURNAL_WAL_DAMAGE_H
#define JOURNAL_WAL_DAMAGE_H

#include "common/error.h"

/* -1, with `error`, if the log at `path` is damaged before its last transaction, which is the only
 * one that a crash may leave unfinished. 0 if it is not, or if there is none. */
int wal_damage_check(const char *path, struct error *error);

/* Cuts the log at `path`, if there is one, after the last frame that SQLite takes. -1 with
 * `error`. */
int wal_damage_cut(const char *path, struct error *error);

#endif
