/* upkeep.c - see upkeep.h. */
#include "scheduler/journal/upkeep.h"

#include "common/folder_lock.h"
#include "scheduler/journal/journal_internal.h"
#include "scheduler/journal/state_image.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASIDES_MAX 1000

static void name_in(char path[PATH_MAX], const char *folder, const char *name)
{
    (void)snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];

    name_in(path, folder, name);
    return access(path, F_OK) == 0;
}

static struct extent extent_in(const char *folder, const char *name)
{
    char path[PATH_MAX];

    name_in(path, folder, name);
    return extent_of(path);
}

/* Puts the names of a folder on the disk. */
static int sync_folder(const char *folder, struct error *error)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int status = fd >= 0 ? fsync(fd) : -1;

    if (status < 0)
        error_set(error, "%s: %s", folder, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return status;
}

/* ---- putting aside ---- */

static int make_aside(const char *folder, char aside[PATH_MAX], struct error *error)
{
    for (int i = 1; i <= ASIDES_MAX; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "replaced-%d", i);
        name_in(aside, folder, name);
        if (mkdir(aside, 0700) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return error_set(error, "%s: cannot be made: %s", aside, strerror(errno));
}

/* Moves a file into `aside`, a folder that is made when the first file is moved. */
static int put_aside(const char *folder, const char *name, char aside[PATH_MAX],
                     struct error *error)
{
    char from[PATH_MAX];
    char to[PATH_MAX];

    if (!is_there(folder, name))
        return 0;
    if (!*aside && make_aside(folder, aside, error) < 0)
        return -1;
    name_in(from, folder, name);
    name_in(to, aside, name);
    if (rename(from, to) < 0)
        return error_set(error, "%s: cannot be moved to %s: %s", from, aside, strerror(errno));
    return 0;
}

/* ---- the mark ---- */

static uint64_t most(uint64_t a, int64_t b)
{
    return b > 0 && (uint64_t)b > a ? (uint64_t)b : a;
}

/* Marks the state, so that the next start knows of a loss. */
static int mark_lost(const char *folder, uint64_t numbers, struct error *error)
{
    struct mark_file file;
    struct mark mark;
    int status;

    if (mark_open(&file, folder, MARK, error) < 0)
        return -1;
    mark = file.mark;
    mark.run = mark.run > 0 ? mark.run : 1;
    mark.numbers = numbers > mark.numbers ? numbers : mark.numbers;
    mark.lost = true;
    status = mark_write(&file, &mark, true, error);
    mark_close(&file);
    return status;
}

/* ---- the copy in the place of the database ---- */

static int copy_bytes(int from, int to)
{
    ssize_t put;

    while ((put = sendfile(to, from, NULL, (size_t)1 << 20)) > 0)
        continue;
    return put < 0 ? -1 : fsync(to);
}

static int copy_file(const char *from_path, const char *to_path, struct error *error)
{
    const int from = open(from_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const int to =
        from < 0 ? -1 : open(to_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int status = 0;

    if (from < 0)
        status = error_set(error, "%s: cannot be read: %s", from_path, strerror(errno));
    else if (to < 0 || copy_bytes(from, to) < 0)
        status = error_set(error, "%s: cannot be written: %s", to_path, strerror(errno));
    if (to >= 0)
        (void)close(to);
    if (from >= 0)
        (void)close(from);
    return status;
}

/* Checks the copy before it replaces anything. */
static int check_copy(const char *folder, const struct extent *copy, struct error *error)
{
    char path[PATH_MAX];

    name_in(path, folder, "backup.db");
    if (!is_there(folder, "backup.db"))
        return error_set(error, "%s/backup.db: there is no copy to go back to", folder);
    if (copy->run == 0)
        return error_set(error, "%s/backup.db: is no state", folder);
    if (!extent_is_whole(path))
        return error_set(error,
                         "%s: is damaged, and nothing was changed; move a damaged state.db away, "
                         "and `rubato state accept-loss %s` goes on without what is missing",
                         path, folder);
    return 0;
}

/* Replaces the database by its copy. The copy takes its name last: until then nothing is lost. */
static int put_copy(const char *folder, char aside[PATH_MAX], struct error *error)
{
    char copy[PATH_MAX];
    char staged[PATH_MAX];
    char named[PATH_MAX];

    name_in(copy, folder, "backup.db");
    name_in(staged, folder, "state.db.tmp");
    name_in(named, folder, "state.db");
    if (copy_file(copy, staged, error) < 0 || put_aside(folder, "state.db-wal", aside, error) < 0 ||
        put_aside(folder, "state.db", aside, error) < 0)
        return -1;
    if (rename(staged, named) < 0)
        return error_set(error, "%s: cannot be renamed: %s", staged, strerror(errno));
    return sync_folder(folder, error);
}

static int restore(const char *folder, struct extent *found, char aside[PATH_MAX],
                   struct error *error)
{
    const uint64_t known = most(0, extent_in(folder, "state.db").jobs);

    *found = extent_in(folder, "backup.db");
    if (check_copy(folder, found, error) < 0 ||
        mark_lost(folder, most(known, found->jobs), error) < 0)
        return -1;
    return put_copy(folder, aside, error);
}

int upkeep_restore(const char *folder, struct extent *found, char aside[PATH_MAX],
                   struct error *error)
{
    const int lock = folder_lock(folder, error);
    int status;

    *aside = '\0';
    if (lock < 0)
        return -1;
    status = restore(folder, found, aside, error);
    (void)close(lock);
    return status;
}

/* ---- going on without what is missing ---- */

static int accept_loss(const char *folder, char aside[PATH_MAX], struct error *error)
{
    const struct extent state = extent_in(folder, "state.db");
    const struct extent copy = extent_in(folder, "backup.db");
    char path[PATH_MAX];
    struct stat found;

    name_in(path, folder, "state.db");
    if ((stat(path, &found) < 0 || found.st_size == 0) &&
        put_aside(folder, "state.db-wal", aside, error) < 0)
        return -1;
    if (mark_lost(folder, most(most(0, state.jobs), copy.jobs), error) < 0)
        return -1;
    return put_aside(folder, "backup.db", aside, error);
}

int upkeep_accept_loss(const char *folder, char aside[PATH_MAX], struct error *error)
{
    const int lock = folder_lock(folder, error);
    int status;

    *aside = '\0';
    if (lock < 0)
        return -1;
    status = accept_loss(folder, aside, error);
    (void)close(lock);
    return status;
}

/* ---- checking a state ---- */

static int check_there(const char *folder, struct error *error)
{
    if (!is_there(folder, "state.db") && !is_there(folder, MARK) && !is_there(folder, "backup.db"))
        return error_set(error, "%s: holds no state", folder);
    return 0;
}

/* Checks that the copy that is to be replaced is of this state. If that copy has more than the
 * state, the start of the journal reports the loss. */
static int check_replaced(const char *folder, uint64_t run, struct error *error)
{
    if (!is_there(folder, "backup.db") || extent_in(folder, "backup.db").run == run)
        return 0;
    return error_set(
        error,
        "%s/backup.db: is no copy of this state; move the file away, or say --force to "
        "replace it",
        folder);
}

int upkeep_back_up(const char *folder, bool forced, struct extent *found, struct error *error)
{
    journal_t *journal;
    int status;

    if (check_there(folder, error) < 0)
        return -1;
    journal = journal_open(folder, error);
    if (!journal)
        return -1;
    status = forced ? 0 : check_replaced(folder, journal_run(journal), error);
    if (status == 0)
        status = database_back_up(&journal->database, error);
    journal_close(&journal);
    if (status == 0)
        *found = extent_in(folder, "state.db");
    return status;
}

static int look_through(const char *image, struct found_state *found, struct error *error)
{
    struct journal_writer writer;
    journal_t *journal = journal_open(image, error);
    int status;

    if (!journal)
        return -1;
    status = journal_find_writer(journal, INT64_MAX, &writer, error);
    found->damaged = journal_set_aside(journal);
    (void)snprintf(found->writer, sizeof(found->writer), "%s", writer.text);
    journal_close(&journal);
    found->extent = extent_in(image, "state.db");
    return status;
}

int upkeep_check(const char *folder, struct found_state *found, struct error *error)
{
    struct state_image image;
    int status;

    if (folder_lock_allows(folder, error) < 0 || check_there(folder, error) < 0 ||
        state_image_make(&image, folder, error) < 0)
        return -1;
    status = look_through(image.path, found, error);
    if (status < 0)
        state_image_rename(&image, folder, error);
    state_image_remove(&image);
    return status;
}
