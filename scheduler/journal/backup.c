/* backup.c - the copy of a database that is known to be good. */
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

/* By the descriptor that SQLite has: closing another one would end its locks. */
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

/* Its log is in it, and only this process writes to it. */
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
