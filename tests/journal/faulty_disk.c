/* faulty_disk.c - see faulty_disk.h: the methods of SQLite's own files, two of them others. */
#include "tests/journal/faulty_disk.h"

#include <assert.h>
#include <sqlite3.h>
#include <stddef.h>

static sqlite3_vfs *under;
static sqlite3_vfs own;
static struct {
    const sqlite3_io_methods *real;
    sqlite3_io_methods own;
} methods[2]; /* of a database, and of its log */
static int64_t writes_left = -1;
static bool loses;
static int64_t syncs;

static const sqlite3_io_methods *real_of(const sqlite3_file *file)
{
    return methods[file->pMethods == &methods[1].own].real;
}

static int on_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    if (writes_left == 0)
        return SQLITE_FULL;
    writes_left -= writes_left > 0;
    return real_of(file)->xWrite(file, bytes, count, at);
}

static int on_sync(sqlite3_file *file, int flags)
{
    syncs++;
    return loses ? SQLITE_IOERR_FSYNC : real_of(file)->xSync(file, flags);
}

static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    const int code = under->xOpen(under, name, file, flags, out);
    const int which = (flags & SQLITE_OPEN_WAL) != 0;

    (void)vfs;
    if (code != SQLITE_OK || !(flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_DB)))
        return code;
    assert(!methods[which].real || methods[which].real == file->pMethods);
    methods[which].real = file->pMethods;
    methods[which].own = *file->pMethods;
    methods[which].own.xWrite = on_write;
    methods[which].own.xSync = on_sync;
    file->pMethods = &methods[which].own;
    return code;
}

void faulty_disk_install(void)
{
    under = sqlite3_vfs_find(NULL);
    own = *under;
    own.zName = "faulty";
    own.xOpen = on_open;
    (void)sqlite3_vfs_register(&own, 1);
}

void faulty_disk_fill(int64_t left)
{
    writes_left = left;
}

void faulty_disk_lose(bool loses_now)
{
    loses = loses_now;
}

int64_t faulty_disk_syncs(void)
{
    return syncs;
}
