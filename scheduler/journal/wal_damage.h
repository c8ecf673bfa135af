/* wal_damage.h - damage in the middle of a write-ahead log of SQLite. SQLite takes the damage for
 * the end of the log, and silently drops later commits. */
#ifndef JOURNAL_WAL_DAMAGE_H
#define JOURNAL_WAL_DAMAGE_H

#include "common/error.h"

/* -1, with `error`, if the log at `path` is damaged before its last transaction, which is the only
 * one that a crash may leave unfinished. 0 if the log is intact or missing. */
int wal_damage_check(const char *path, struct error *error);

/* Cuts the log at `path`, if there is one, after the last frame that SQLite takes. -1 with
 * `error`. */
int wal_damage_cut(const char *path, struct error *error);

#endif
