/* state_image.c - see state_image.h.
 *
 * The mark is copied first: the log is copied later, and has all commits that the mark knows of.
 * Database and log belong together if meanwhile the database did not change and the log was not
 * begun anew. A commit that reached the log meanwhile may be in the copy by half, and is cut
 * off. */
#include "scheduler/journal/state_image.h"

#include "scheduler/journal/mark.h"
#include "scheduler/journal/wal_damage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES      500
#define PAUSE_MS   20 /* more than the kernel rounds times of files to */
#define HEAD_BYTES 32 /* of a log: a log that is begun anew has another head */

static const char *const copied[] = {MARK, "state.db", "state.db-wal"};

#define COPIED (sizeof(copied) / sizeof(copied[0]))

static int put_path(char path[PATH_MAX], const char *folder, const char *name, struct error *error)
{
    return (size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
               ? 0
               : error_set(error, "%s: the path is too long", folder);
}

/* Opens a file. -1 if it is not there; -2 with `error`. */
static int open_in(const char *folder, const char *name, struct error *error)
{
    char path[PATH_MAX];
    int fd;

    if (put_path(path, folder, name, error) < 0)
        return -2;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 || errno == ENOENT)
        return fd;
    error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    return -2;
}

/* ---- whether files stay as they are ---- */

struct facts {
    struct stat database;
    struct stat log;
    char head[HEAD_BYTES]; /* the first bytes of the log */
};

static int find_facts(const char *folder, struct facts *facts, struct error *error)
{
    const int database = open_in(folder, "state.db", error);
    const int log = database < -1 ? -2 : open_in(folder, "state.db-wal", error);

    *facts = (struct facts){.head = ""};
    if (database >= 0) {
        (void)fstat(database, &facts->database);
        (void)close(database);
    }
    if (log >= 0) {
        (void)fstat(log, &facts->log);
        if (pread(log, facts->head, HEAD_BYTES, 0) < 0)
            facts->head[0] = '\0';
        (void)close(log);
    }
    return database < -1 || log < -1 ? -1 : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Whether the file changed so lately that another change may have the same time. */
static bool is_fresh(const struct stat *file)
{
    struct timespec now;
    double age_s;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    age_s = (double)(now.tv_sec - file->st_mtim.tv_sec) +
            (double)(now.tv_nsec - file->st_mtim.tv_nsec) / 1e9;
    return age_s > -PAUSE_MS / 1e3 && age_s < PAUSE_MS / 1e3;
}

/* ---- copying ---- */

static int copy_bytes(int from, int to)
{
    ssize_t put;

    while ((put = sendfile(to, from, NULL, (size_t)1 << 20)) > 0)
        continue;
    return put < 0 ? -1 : 0;
}

static int copy_file(const char *folder, const char *image, const char *name, struct error *error)
{
    char path[PATH_MAX];
    const int from = open_in(folder, name, error);
    int to;
    int status = 0;

    if (from == -2 || put_path(path, image, name, error) < 0)
        return -1;
    (void)unlink(path);
    if (from < 0)
        return 0;
    to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0 || copy_bytes(from, to) < 0)
        status = error_set(error, "%s/%s: cannot be copied to %s: %s", folder, name, image,
                           strerror(errno));
    (void)close(from);
    if (to >= 0)
        (void)close(to);
    return status;
}

/* Copies all files. 1 if the copies belong together, 0 if they do not; -1 with `error`. */
static int copy_all(const struct state_image *self, const char *folder, struct error *error)
{
    char log[PATH_MAX];
    struct facts before;
    struct facts after;

    if (find_facts(folder, &before, error) < 0)
        return -1;
    for (size_t i = 0; i < COPIED; i++)
        if (copy_file(folder, self->path, copied[i], error) < 0)
            return -1;
    if (find_facts(folder, &after, error) < 0 ||
        put_path(log, self->path, "state.db-wal", error) < 0)
        return -1;
    if (!is_same(&before.database, &after.database) || is_fresh(&before.database) ||
        before.log.st_ino != after.log.st_ino || memcmp(before.head, after.head, HEAD_BYTES) != 0)
        return 0;
    if (is_same(&before.log, &after.log) && !is_fresh(&before.log))
        return 1;
    return wal_damage_cut(log, error) < 0 ? -1 : 1;
}

static int copy_steady(const struct state_image *self, const char *folder, struct error *error)
{
    for (int i = 0; i < TRIES; i++) {
        const int got = copy_all(self, folder, error);

        if (got != 0)
            return got < 0 ? -1 : 0;
        (void)nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    }
    return error_set(error, "%s/state.db: changes faster than it can be copied; try again", folder);
}

/* Links to the opened backup, not to its name: a later backup may have more than the image. */
static int link_backup(struct state_image *self, const char *folder, struct error *error)
{
    char path[PATH_MAX];
    char target[64];

    self->backup = open_in(folder, "backup.db", error);
    if (self->backup < 0)
        return self->backup + 1;
    (void)snprintf(target, sizeof(target), "/proc/self/fd/%d", self->backup);
    if (put_path(path, self->path, "backup.db", error) < 0)
        return -1;
    return symlink(target, path) == 0
               ? 0
               : error_set(error, "%s: cannot be made: %s", path, strerror(errno));
}

int state_image_make(struct state_image *self, const char *folder, struct error *error)
{
    const char *parent = getenv("TMPDIR");

    *self = (struct state_image){.backup = -1};
    (void)snprintf(self->path, sizeof(self->path), "%.3000s/rubato-state-XXXXXX",
                   parent && *parent ? parent : "/tmp");
    if (!mkdtemp(self->path)) {
        error_set(error, "%s: cannot be made: %s", self->path, strerror(errno));
        self->path[0] = '\0';
        return -1;
    }
    if (link_backup(self, folder, error) == 0 && copy_steady(self, folder, error) == 0)
        return 0;
    state_image_remove(self);
    return -1;
}

void state_image_remove(struct state_image *self)
{
    static const char *const names[] = {MARK,   "state.db",  "state.db-wal",    "state.db-shm",
                                        "lock", "backup.db", "state.db-journal"};
    struct error ignored;
    char path[PATH_MAX];

    if (self->backup >= 0)
        (void)close(self->backup);
    self->backup = -1;
    if (!self->path[0])
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (put_path(path, self->path, names[i], &ignored) == 0)
            (void)unlink(path);
    (void)rmdir(self->path);
    self->path[0] = '\0';
}

void state_image_rename(const struct state_image *self, const char *folder, struct error *error)
{
    const struct error before = *error;
    const char *from = before.text;
    const char *at;

    error->text[0] = '\0';
    while ((at = strstr(from, self->path))) {
        error_append(error, "%.*s%s", (int)(at - from), from, folder);
        from = at + strlen(self->path);
    }
    error_append(error, "%s", from);
}
