/* faulty_disk.c - see faulty_disk.h: the methods of SQLite's own files, two of them replaced. */
#include "tests/journal/faulty_disk.h"

#include <assert.h>
#include <errno.h>
#include <sqlite3.h>

static sqlite3_vfs *under;
static sqlite3_vfs own;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *real_methods;
static int64_t writes_left = -1;
static bool loses;
static int64_t writes;
static int64_t syncs;

static int on_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
    if (writes_left == 0) {
        errno = ENOSPC;
        return SQLITE_FULL;
    }
    writes_left -= writes_left > 0;
    writes++;
    return real_methods->xWrite(file, bytes, count, at);
}

static int on_sync(sqlite3_file *file, int flags)
{
    syncs++;
    return loses ? SQLITE_IOERR_FSYNC : real_methods->xSync(file, flags);
}

/* SQLite has several tables of methods, one for each way to lock; all files here have the same. */
static int on_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    const int code = under->xOpen(under, name, file, flags, out);

    (void)vfs;
    if (code != SQLITE_OK || !file->pMethods)
        return code;
    assert(!real_methods || real_methods->xWrite == file->pMethods->xWrite);
    if (!real_methods) {
        real_methods = file->pMethods;
        methods = *real_methods;
        methods.xWrite = on_write;
        methods.xSync = on_sync;
    }
    if (real_methods == file->pMethods)
        file->pMethods = &methods;
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

int64_t faulty_disk_writes(void)
{
    return writes;
}

int64_t faulty_disk_syncs(void)
{
    return syncs;
}
