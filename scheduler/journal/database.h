/* database.h - the database of a journal: SQLite with its errors in sentences. */
#ifndef JOURNAL_DATABASE_H
#define JOURNAL_DATABASE_H

#include "common/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Prepared statements, as they are run again and again. */
enum database_statement {
    STATEMENT_STEP,
    STATEMENT_PUT,
    STATEMENT_GET,
    STATEMENT_COUNT,
    STATEMENTS
};

struct database {
    sqlite3 *sqlite;
    sqlite3_stmt *kept[STATEMENTS];
    char *path;
    char *backup;
    sqlite3 *copy; /* the copy being made; NULL for none */
    sqlite3_backup *copying;
    bool broken;         /* an accepted write did not reach the disk */
    int wal_pages;       /* pages in the log since it was last moved into the database */
    struct error reason; /* why the database is broken */
};

/* Opens the database in `folder`, checked and of this version, after a look at its log. -1 with
 * `error`. */
int database_open(struct database *self, const char *folder, struct error *error);
void database_close(struct database *self);

/* Copies the database, whole or not at all. -1 with `error`. */
int database_back_up(struct database *self, struct error *error);

/* As database_back_up while the database is in use, some pages with each call; the first call
 * begins a copy. 1 once the copy is whole, 0 while there is more to copy; -1 with `error`, and the
 * copy is abandoned. */
int database_copy(struct database *self, struct error *error);
void database_give_up_copy(struct database *self);

/* -1 with the sentence of SQLite's last error. */
int database_complain(struct database *self, int code, struct error *error);

/* Complains that the database is damaged: `what` is wrong, and where the copy is. Returns -1. */
int database_complain_damage(const struct database *self, const char *what, struct error *error);

int database_run(struct database *self, const char *sql, struct error *error);

/* NULL with `error`. To be finalised. */
sqlite3_stmt *database_prepare(struct database *self, const char *sql, struct error *error);

/* As database_prepare, kept for the next time: to be ended by database_end or database_finish. */
sqlite3_stmt *database_keep(struct database *self, enum database_statement which, const char *sql,
                            struct error *error);

/* `statement` is over: finalised, or kept for the next time. */
void database_end(const struct database *self, sqlite3_stmt *statement);

/* Ends `statement`, which must give no row. -1 with `error`. */
int database_finish(struct database *self, sqlite3_stmt *statement, struct error *error);

bool database_is_in_transaction(const struct database *self);

/* As journal_commit. Then moves a full log into the database. */
int database_commit(struct database *self, struct error *error);
void database_roll_back(struct database *self);

#endif
