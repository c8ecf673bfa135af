/* backup.c - copies of a database that was found to be good. */
#include "scheduler/journal/database.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int complain(const char *path, struct error *error)
{
    return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}

static int write_all(int to, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        const ssize_t put = write(to, bytes + at, length - at);

        if (put < 0 && errno != EINTR)
            return -1;
        at += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

/* Reads through SQLite's own descriptor: closing a second one would release SQLite's locks. */
static int copy_bytes(sqlite3_file *from, int to)
{
    char bytes[64 * 1024];
    sqlite3_int64 size = 0;

    errno = EIO;
    if (from->pMethods->xFileSize(from, &size) != SQLITE_OK)
        return -1;
    for (sqlite3_int64 at = 0; at < size; at += (sqlite3_int64)sizeof(bytes)) {
        const size_t part =
            (size_t)(size - at) < sizeof(bytes) ? (size_t)(size - at) : sizeof(bytes);

        if (from->pMethods->xRead(from, bytes, (int)part, at) != SQLITE_OK ||
            write_all(to, bytes, part) < 0)
            return -1;
    }
    return fsync(to);
}

static int copy_to(sqlite3_file *from, const char *path, struct error *error)
{
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int status = 0;

    if (to < 0)
        return complain(path, error);
    if (copy_bytes(from, to) < 0)
        status = complain(path, error);
    (void)close(to);
    return status;
}

/* Copies the database at once. Its log is moved into it first, and no other process writes to
 * it. */
int database_back_up(struct database *self, struct error *error)
{
    char aside[PATH_MAX];
    sqlite3_file *from = NULL;
    int status;

    if ((size_t)snprintf(aside, sizeof(aside), "%s.tmp", self->backup) >= sizeof(aside))
        return error_set(error, "%s: the path is too long", self->backup);
    status = sqlite3_wal_checkpoint_v2(self->sqlite, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (status != SQLITE_OK)
        return database_complain(self, status, error);
    status = sqlite3_file_control(self->sqlite, "main", SQLITE_FCNTL_FILE_POINTER, &from);
    if (status != SQLITE_OK)
        return database_complain(self, status, error);
    status = copy_to(from, aside, error);
    if (status == 0 && rename(aside, self->backup) < 0)
        status = complain(self->backup, error);
    if (status < 0)
        (void)unlink(aside);
    return status;
}

/* ---- a copy while the database is in use ---- */

#define PAGES 256 /* pages that a call copies */

static void name_copy(const struct database *self, char path[PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s.copy", self->backup);
}

/* Removes the unfinished copy, with the rollback journal that a killed process may have left. */
static void remove_copy(const struct database *self)
{
    char path[PATH_MAX];
    char journal[PATH_MAX + 16];

    name_copy(self, path);
    (void)snprintf(journal, sizeof(journal), "%s-journal", path);
    (void)unlink(journal);
    (void)unlink(path);
}

void database_give_up_copy(struct database *self)
{
    if (!self->copy)
        return;
    (void)sqlite3_backup_finish(self->copying);
    (void)sqlite3_close(self->copy);
    self->copying = NULL;
    self->copy = NULL;
    remove_copy(self);
}

static int complain_copy(struct database *self, const char *why, struct error *error)
{
    error_set(error, "%s: cannot be written: %s", self->backup, why);
    database_give_up_copy(self);
    return -1;
}

/* Begins a copy. The log is moved into the database first, as at any start. */
static int begin_copy(struct database *self, struct error *error)
{
    char path[PATH_MAX];
    const int code =
        sqlite3_wal_checkpoint_v2(self->sqlite, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    int fd;

    if (code != SQLITE_OK)
        return database_complain(self, code, error);
    remove_copy(self);
    name_copy(self, path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return complain(path, error);
    (void)close(fd);
    if (sqlite3_open_v2(path, &self->copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return complain_copy(self, sqlite3_errmsg(self->copy), error);
    self->copying = sqlite3_backup_init(self->copy, "main", self->sqlite, "main");
    return self->copying ? 0 : complain_copy(self, sqlite3_errmsg(self->copy), error);
}

static int end_copy(struct database *self, struct error *error)
{
    char path[PATH_MAX];
    const int code = sqlite3_backup_finish(self->copying);

    self->copying = NULL;
    if (code != SQLITE_OK)
        return complain_copy(self, sqlite3_errmsg(self->copy), error);
    (void)sqlite3_close(self->copy); /* the copy is on the disk by now */
    self->copy = NULL;
    name_copy(self, path);
    if (rename(path, self->backup) == 0)
        return 1;
    (void)unlink(path);
    return complain(self->backup, error);
}

int database_copy(struct database *self, struct error *error)
{
    int code;

    if (!self->copy && begin_copy(self, error) < 0)
        return -1;
    code = sqlite3_backup_step(self->copying, PAGES);
    if (code == SQLITE_DONE)
        return end_copy(self, error);
    if (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return 0;
    return complain_copy(self, sqlite3_errstr(code), error);
}
