/* result_folder.c - see result_folder.h. */
#include "scheduler/report/result_folder.h"

#include "common/failpoint.h"
#include "common/input.h"
#include "common/memory.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STAGE      "unfinished-"
#define STAGES_MAX 100 /* of one process number */

/* In the order in which they are moved. */
static const char *const names[] = {
    ".rubato-results", RESULT_JOBS,         RESULT_OUTCOMES, RESULT_ROUNDS,
    RESULT_WORK,       RESULT_TIMELINE,     RESULT_CLUSTER,  RESULT_PROMISES,
    RESULT_LEASES,     RESULT_DISTURBANCES, RESULT_SUMMARY,
};
enum { MARKER, NAMES = sizeof(names) / sizeof(names[0]), SUMMARY = NAMES - 1 };

static const char marker_text[] =
    "Results of Rubato: a run that is to write here replaces them. See rubato-results(5).\n";

/* What an earlier version begins its summary with. */
static const char summary_start[] = "{\n  \"schema_version\": ";

/* What stands where a result file is to be. */
struct found {
    bool exists;
    struct stat status; /* not through a link */
};

struct result_folder {
    char *path;
    int made;    /* so many folders were made for it */
    char *stage; /* NULL until it is made */
    bool staged[NAMES];
    bool kept;
    struct found found[NAMES];
};

/* The folder whose stage a signal handler takes away, NULL for none. */
static result_folder_t *volatile under_way;

/* ---- names ---- */

static int number_of(const char *name)
{
    int number = 0;

    while (number < NAMES && strcmp(names[number], name) != 0)
        number++;
    return number;
}

static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = xmalloc(size);

    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static struct found look(const char *folder, const char *name)
{
    char *path = join(folder, name);
    struct found found = {.exists = false};

    found.exists = lstat(path, &found.status) == 0;
    free(path);
    return found;
}

static bool is_file(const struct found *found)
{
    return found->exists && S_ISREG(found->status.st_mode);
}

/* It is written where it stands. */
static bool is_special(const struct found *found)
{
    return found->exists && !S_ISREG(found->status.st_mode) && !S_ISDIR(found->status.st_mode);
}

static bool is_same(const struct found *a, const struct found *b)
{
    return a->exists && b->exists && a->status.st_dev == b->status.st_dev &&
           a->status.st_ino == b->status.st_ino &&
           a->status.st_mtim.tv_sec == b->status.st_mtim.tv_sec &&
           a->status.st_mtim.tv_nsec == b->status.st_mtim.tv_nsec;
}

static int complain(const char *folder, const char *name, struct error *error)
{
    const int number = errno;
    char *path = join(folder, name);

    (void)error_unwritten(error, path, number);
    free(path);
    return -1;
}

/* ---- whether the folder is one of ours ---- */

static bool has_marker(const char *folder)
{
    const struct found marker = look(folder, names[MARKER]);

    return is_file(&marker);
}

/* Whether a run of a version without a marker has written here. */
static bool has_summary(const char *folder)
{
    char *path = join(folder, RESULT_SUMMARY);
    char start[sizeof(summary_start)] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t length = fd >= 0 ? read(fd, start, sizeof(start) - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    free(path);
    return length == (ssize_t)sizeof(start) - 1 && !strcmp(start, summary_start);
}

/* A run that was killed while it moved its files has moved its marker first. */
static bool is_stage(const char *name)
{
    return !strncmp(name, STAGE, strlen(STAGE));
}

static bool is_ours(const char *folder, const char *name, bool results)
{
    const struct found found = look(folder, name);
    char *path;
    bool ours;

    if (found.exists && !S_ISDIR(found.status.st_mode))
        return results && number_of(name) < NAMES;
    path = join(folder, name);
    ours = has_marker(path) || (results && is_stage(name));
    free(path);
    return ours;
}

/* Sets `foreign` to the first name, in the order of the alphabet, of what is not ours; "" if all
 * is. */
static int find_foreign(const char *folder, char foreign[NAME_MAX + 1], struct error *error)
{
    const bool results = has_marker(folder) || has_summary(folder);
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    if (!entries)
        return error_set(error, "%s: cannot be read: %s", folder, strerror(errno));
    foreign[0] = '\0';
    while ((entry = readdir(entries))) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !is_ours(folder, name, results) &&
            (foreign[0] == '\0' || strcmp(name, foreign) < 0))
            (void)snprintf(foreign, NAME_MAX + 1, "%s", name);
    }
    (void)closedir(entries);
    return 0;
}

static int check_foreign(const result_folder_t *self, struct error *error)
{
    char foreign[NAME_MAX + 1] = "";
    char shown[NAME_MAX + 1];

    if (find_foreign(self->path, foreign, error) < 0)
        return -1;
    if (foreign[0] == '\0')
        return 0;
    (void)input_printable(shown, sizeof(shown), foreign, strlen(foreign));
    return error_set(error,
                     "%s: holds %s, which is no result of a run; name a folder of its own for the "
                     "results, or say --force to write them beside it",
                     self->path, shown);
}

/* Notes what stands where results are to be, and refuses what must not be replaced. */
static int check_names(result_folder_t *self, struct error *error)
{
    for (int i = 0; i < NAMES; i++) {
        self->found[i] = look(self->path, names[i]);
        if (!self->found[i].exists)
            continue;
        if (S_ISDIR(self->found[i].status.st_mode)) {
            errno = EISDIR;
            return complain(self->path, names[i], error);
        }
        if (is_file(&self->found[i]) && input_was_read(&self->found[i].status))
            return error_set(error, "%s/%s: is an input too, and would be overwritten", self->path,
                             names[i]);
    }
    return 0;
}

/* ---- the stage ---- */

static int make_stage(result_folder_t *self, struct error *error)
{
    char name[64];
    int made = -1;

    for (int i = 1; made < 0 && i <= STAGES_MAX; i++) {
        (void)snprintf(name, sizeof(name), i == 1 ? STAGE "%ld" : STAGE "%ld-%d", (long)getpid(),
                       i);
        free(self->stage);
        self->stage = join(self->path, name);
        made = mkdir(self->stage, 0777);
        if (made < 0 && errno != EEXIST)
            break;
    }
    if (made == 0)
        return 0;
    complain(self->path, name, error);
    free(self->stage);
    self->stage = NULL;
    return -1;
}

static int write_marker(result_folder_t *self, struct error *error)
{
    output_t *marker = result_folder_create(self, names[MARKER], error);

    if (!marker)
        return -1;
    output_text(marker, marker_text);
    return output_commit(&marker, error);
}

result_folder_t *result_folder_open(const char *path, bool forced, struct error *error)
{
    result_folder_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    self->made = output_make_folder(path, error);
    if (self->made < 0 || check_names(self, error) < 0 ||
        (!forced && check_foreign(self, error) < 0) || make_stage(self, error) < 0 ||
        write_marker(self, error) < 0)
        result_folder_destroy(&self);
    under_way = self;
    return self;
}

output_t *result_folder_create(result_folder_t *self, const char *name, struct error *error)
{
    const int number = number_of(name);
    const bool special = number < NAMES && is_special(&self->found[number]);
    char *target = join(self->path, name);
    char *path = join(self->stage, name);
    output_t *output = NULL;

    assert(number < NAMES);
    if (special) {
        output = output_new(target, error);
    } else {
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

        self->staged[number] = fd >= 0;
        if (fd >= 0)
            output = output_take(fd, target);
        else
            complain(self->path, name, error);
    }
    free(path);
    free(target);
    return output;
}

/* ---- the end ---- */

/* Moves the file between its two places; -1 with errno. */
static int move(const result_folder_t *self, int number, bool back)
{
    char *staged = join(self->stage, names[number]);
    char *named = join(self->path, names[number]);
    const int result = back ? rename(named, staged) : rename(staged, named);

    free(named);
    free(staged);
    return result;
}

static void remove_file(const char *folder, const char *name)
{
    char *path = join(folder, name);

    (void)unlink(path);
    free(path);
}

static int check_unchanged(const result_folder_t *self, struct error *error)
{
    for (int i = 0; i < NAMES; i++) {
        const struct found now = look(self->path, names[i]);

        if (i == MARKER && is_file(&now)) /* of another run, which wrote the same */
            continue;
        if (now.exists && !is_special(&self->found[i]) && !is_same(&self->found[i], &now))
            return error_set(error, "%s/%s: %s during the run, and is not replaced", self->path,
                             names[i], self->found[i].exists ? "was changed" : "appeared");
    }
    return 0;
}

/* What an earlier run has left and this one does not replace. */
static void remove_old(const result_folder_t *self)
{
    for (int i = 0; i < NAMES; i++)
        if (is_file(&self->found[i]) && (i == SUMMARY || !self->staged[i]))
            remove_file(self->path, names[i]);
}

static int move_all(const result_folder_t *self, struct error *error)
{
    for (int i = 0; i < NAMES; i++) {
        (void)FAILPOINT("result-moves");
        if (!self->staged[i] || move(self, i, false) == 0)
            continue;
        complain(self->path, names[i], error);
        while (--i >= 0)
            if (self->staged[i])
                (void)move(self, i, true);
        return -1;
    }
    return 0;
}

int result_folder_commit(result_folder_t *self, struct error *error)
{
    if (check_unchanged(self, error) < 0)
        return -1;
    (void)FAILPOINT("results-ready");
    under_way = NULL;
    remove_old(self);
    if (move_all(self, error) < 0)
        return -1;
    memset(self->staged, 0, sizeof(self->staged));
    (void)rmdir(self->stage);
    self->made = 0;
    self->kept = true;
    return 0;
}

void result_folder_keep(result_folder_t *self, struct error *error)
{
    under_way = NULL;
    self->kept = true;
    (void)error_append(error, "; what the run has written stays in %s", self->stage);
}

const char *result_folder_stage(const result_folder_t *self)
{
    return self->stage;
}

void result_folder_discard(const char *stage)
{
    for (int i = 0; i < NAMES; i++)
        remove_file(stage, names[i]);
    (void)rmdir(stage);
}

void result_folder_abandon(void)
{
    const result_folder_t *self = under_way;
    const int stage = self ? open(self->stage, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    char part[PATH_MAX];
    size_t length;

    if (stage < 0)
        return;
    for (int i = 0; i < NAMES; i++)
        (void)unlinkat(stage, names[i], 0);
    (void)close(stage);
    (void)rmdir(self->stage);
    length = strlen(self->path);
    if (length >= sizeof(part))
        return;
    memcpy(part, self->path, length + 1);
    for (int i = 0; i < self->made && rmdir(part) == 0; i++) {
        while (length > 0 && part[length - 1] != '/')
            part[--length] = '\0';
        while (length > 0 && part[length - 1] == '/')
            part[--length] = '\0';
    }
}

void result_folder_destroy(result_folder_t **self)
{
    result_folder_t *folder = *self;

    if (!folder)
        return;
    if (under_way == folder)
        under_way = NULL;
    if (!folder->kept && folder->stage) {
        for (int i = 0; i < NAMES; i++)
            if (folder->staged[i])
                remove_file(folder->stage, names[i]);
        (void)rmdir(folder->stage);
    }
    if (!folder->kept && folder->made > 0)
        output_remove_folders(folder->path, folder->made);
    free(folder->stage);
    free(folder->path);
    free(folder);
    *self = NULL;
}
