/* database.c - see database.h. */
#include "scheduler/journal/database.h"

#include "common/failpoint.h"
#include "common/memory.h"
#include "scheduler/journal/journal.h"
#include "scheduler/journal/wal_damage.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAL_PAGES_MAX 1000 /* pages of the log, before they are moved into the database */

static const char tables[] =
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE step (sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, told TEXT NOT NULL,"
    " decision INTEGER, by_clock INTEGER NOT NULL, checked INTEGER NOT NULL);"
    "CREATE TABLE document (place INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,"
    " body TEXT NOT NULL, checked INTEGER NOT NULL, UNIQUE (kind, name));"
    "CREATE TABLE damaged (place INTEGER PRIMARY KEY, kind, name, body, checked);";

/* ---- errors ---- */

/* After a failed write, earlier writes may be lost even if later ones succeed: the database is used
 * no more. */
static int complain_broken(struct database *self, int number, struct error *error)
{
    self->broken = true;
    error_set(&self->reason, "%s: the disk did not keep what was written: %s; start again",
              self->path, strerror(number ? number : EIO));
    *error = self->reason;
    return -1;
}

int database_complain_damage(const struct database *self, const char *what, struct error *error)
{
    return error_set(error,
                     "%s: is damaged: %s; a copy from when it was last opened is %s, and `rubato "
                     "state restore` goes back to it",
                     self->path, what, self->backup);
}

int database_complain(struct database *self, int code, struct error *error)
{
    const int number = sqlite3_system_errno(self->sqlite);

    switch (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC ? code : code & 0xff) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
        return complain_broken(self, number, error);
    case SQLITE_FULL:
        return error_set(error, "%s: the disk is full", self->path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        return error_set(error, "%s: %s", self->path,
                         number ? strerror(number) : sqlite3_errmsg(self->sqlite));
    case SQLITE_BUSY:
        return error_set(error, "%s: is used by another process", self->path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return database_complain_damage(self, sqlite3_errmsg(self->sqlite), error);
    default:
        return error_set(error, "%s: %s", self->path, sqlite3_errmsg(self->sqlite));
    }
}

/* ---- statements ---- */

int database_run(struct database *self, const char *sql, struct error *error)
{
    const int code = sqlite3_exec(self->sqlite, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? 0 : database_complain(self, code, error);
}

sqlite3_stmt *database_prepare(struct database *self, const char *sql, struct error *error)
{
    sqlite3_stmt *statement;
    const int code = sqlite3_prepare_v2(self->sqlite, sql, -1, &statement, NULL);

    if (code == SQLITE_OK)
        return statement;
    (void)database_complain(self, code, error);
    return NULL;
}

sqlite3_stmt *database_keep(struct database *self, enum database_statement which, const char *sql,
                            struct error *error)
{
    if (!self->kept[which])
        self->kept[which] = database_prepare(self, sql, error);
    return self->kept[which];
}

/* Resets a kept statement for its next use, and destroys any other. */
void database_end(const struct database *self, sqlite3_stmt *statement)
{
    for (int i = 0; i < STATEMENTS; i++) {
        if (statement != self->kept[i])
            continue;
        (void)sqlite3_reset(statement);
        (void)sqlite3_clear_bindings(statement);
        return;
    }
    (void)sqlite3_finalize(statement);
}

int database_finish(struct database *self, sqlite3_stmt *statement, struct error *error)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_DONE)
        code = SQLITE_OK;
    if (code != SQLITE_OK)
        (void)database_complain(self, code, error);
    database_end(self, statement);
    return code == SQLITE_OK ? 0 : -1;
}

/* Puts the first column of the first row of `sql` into `answer`, cut to `size` - 1 bytes. */
static int ask(struct database *self, const char *sql, char *answer, size_t size,
               struct error *error)
{
    sqlite3_stmt *statement = database_prepare(self, sql, error);
    int code;

    if (!statement)
        return -1;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        (void)snprintf(answer, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    else
        (void)database_complain(self, code, error);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? 0 : -1;
}

/* ---- transactions ---- */

bool database_is_in_transaction(const struct database *self)
{
    return !sqlite3_get_autocommit(self->sqlite);
}

static int on_wal(void *owner, sqlite3 *sqlite, const char *name, int pages)
{
    struct database *self = owner;

    (void)sqlite;
    (void)name;
    self->wal_pages = pages;
    return SQLITE_OK;
}

/* Moves the log into the database. Committed steps are safe in the log, so of all failures only
 * that of an fsync matters. */
static void move_log(struct database *self)
{
    struct error ignored;
    int code;

    if (self->wal_pages < WAL_PAGES_MAX && !FAILPOINT("journal-move"))
        return;
    code = sqlite3_wal_checkpoint_v2(self->sqlite, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    if (code != SQLITE_OK)
        (void)database_complain(self, code, &ignored);
}

int database_commit(struct database *self, struct error *error)
{
    if (FAILPOINT("journal-commit"))
        return error_set(error, "%s: the disk is full", self->path);
    if (database_run(self, "COMMIT", error) < 0) {
        database_roll_back(self);
        return -1;
    }
    (void)FAILPOINT("journal-committed");
    move_log(self);
    (void)FAILPOINT("journal-moved");
    return 0;
}

void database_roll_back(struct database *self)
{
    if (database_is_in_transaction(self))
        (void)sqlite3_exec(self->sqlite, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- life ---- */

static int make_tables(struct database *self, struct error *error)
{
    char sql[sizeof(tables) + 64];

    (void)snprintf(sql, sizeof(sql), "BEGIN IMMEDIATE;%sPRAGMA user_version=%d;", tables,
                   JOURNAL_VERSION);
    if (database_run(self, sql, error) == 0)
        return database_commit(self, error);
    database_roll_back(self);
    return -1;
}

static int check_by(struct database *self, const char *pragma, struct error *error)
{
    char answer[256];

    if (ask(self, pragma, answer, sizeof(answer), error) < 0)
        return -1;
    answer[strcspn(answer, "\n")] = '\0';
    return strcmp(answer, "ok") != 0 ? database_complain_damage(self, answer, error) : 0;
}

/* Checks what SQLite's integrity_check would, but for index_check.h's part: quick_check leaves
 * indices out, and no table with row numbers but that of the documents has one. */
static int check_pages(struct database *self, struct error *error)
{
    return check_by(self, "PRAGMA quick_check(1)", error) < 0
               ? -1
               : check_by(self, "PRAGMA integrity_check('meta')", error);
}

static int check_version(struct database *self, struct error *error)
{
    char version[32];
    char names[32];

    if (ask(self, "PRAGMA user_version", version, sizeof(version), error) < 0 ||
        ask(self, "SELECT count(*) FROM sqlite_master", names, sizeof(names), error) < 0)
        return -1;
    if (strtol(version, NULL, 10) > JOURNAL_VERSION)
        return error_set(error,
                         "%s: is a state of version %s, which a newer Rubato wrote; this one reads "
                         "version %d",
                         self->path, version, JOURNAL_VERSION);
    if (!strcmp(version, "0") && !strcmp(names, "0"))
        return make_tables(self, error);
    if (strtol(version, NULL, 10) < 1)
        return database_complain_damage(self, "it has no version", error);
    return check_pages(self, error);
}

static int prepare_use(struct database *self, struct error *error)
{
    char mode[16];

    sqlite3_extended_result_codes(self->sqlite, 1);
    if (database_run(self, "PRAGMA locking_mode=EXCLUSIVE", error) < 0 ||
        ask(self, "PRAGMA journal_mode=WAL", mode, sizeof(mode), error) < 0)
        return -1;
    if (strcmp(mode, "wal") != 0)
        return error_set(error, "%s: the folder cannot have a write-ahead log", self->path);
    if (database_run(self, "PRAGMA synchronous=FULL; PRAGMA trusted_schema=OFF", error) < 0)
        return -1;
    sqlite3_wal_hook(self->sqlite, on_wal, self); /* in place of SQLite's own hook */
    return check_version(self, error);
}

/* Makes database and log readable by the state's user only, as environments of jobs may be secret.
 * SQLite gives a new log the mode of the database. */
static int make_private(const struct database *self, const char *log, struct error *error)
{
    const int file = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool is_private =
        file >= 0 && fchmod(file, 0600) == 0 && (chmod(log, 0600) == 0 || errno == ENOENT);

    if (!is_private)
        error_set(error, "%s: cannot be opened: %s", self->path, strerror(errno));
    if (file >= 0)
        (void)close(file);
    return is_private ? 0 : -1;
}

static int open_file(struct database *self, struct error *error)
{
    char log[PATH_MAX];

    (void)snprintf(log, sizeof(log), "%s-wal", self->path);
    if (wal_damage_check(log, error) < 0) {
        const struct error damage = *error;

        return error_set(error,
                         "%s; a copy of the state from when it was last opened is %s, and "
                         "`rubato state restore` goes back to it",
                         damage.text, self->backup);
    }
    if (make_private(self, log, error) < 0)
        return -1;
    if (sqlite3_open_v2(self->path, &self->sqlite,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return database_complain(self, sqlite3_extended_errcode(self->sqlite), error);
    return prepare_use(self, error);
}

static char *path_in(const char *folder, const char *name)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return xstrdup(path);
}

int database_open(struct database *self, const char *folder, struct error *error)
{
    *self = (struct database){.path = path_in(folder, "state.db"),
                              .backup = path_in(folder, "backup.db")};
    if (open_file(self, error) == 0)
        return 0;
    database_close(self);
    return -1;
}

void database_close(struct database *self)
{
    for (int i = 0; i < STATEMENTS; i++)
        (void)sqlite3_finalize(self->kept[i]);
    if (self->broken) /* the log may differ from the disk */
        (void)sqlite3_db_config(self->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    (void)sqlite3_close(self->sqlite);
    self->sqlite = NULL;
    free(self->path);
    free(self->backup);
}
