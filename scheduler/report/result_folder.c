/* result_folder.c - see result_folder.h. */
#include "scheduler/report/result_folder.h"

#include "common/draft.h"
#include "common/failpoint.h"
#include "common/input.h"
#include "common/memory.h"
#include "scheduler/policies/policy.h"

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

#define NAMES_MAX 32
enum { MARKER };

/* The names of result files, in the order of a draft. Names of policies' own files come before the
 * last two. */
static const char *names[NAMES_MAX];
static int name_count;
static struct draft_names all_names;

static const char marker_text[] =
    "Results of Rubato: a run that is to write here replaces them. See rubato-results(5).\n";

/* How the summary of an earlier version begins. */
static const char summary_start[] = "{\n  \"schema_version\": ";

/* The file that has the name of a result. */
struct found {
    bool exists;
    struct stat status; /* of the name itself, if it is a link */
};

struct result_folder {
    char *path;
    int made; /* how many folders were made for the path */
    draft_t *draft;
    struct found found[NAMES_MAX];
};

/* The folder whose draft a signal handler removes, NULL for none. */
static result_folder_t *volatile under_way;

/* ---- names ---- */

static void add_name(const char *name)
{
    assert(name_count < NAMES_MAX);
    for (int i = 0; i < name_count; i++)
        if (!strcmp(names[i], name))
            return;
    names[name_count++] = name;
}

static void make_names(void)
{
    static const char *const first[] = {RESULT_MARKER, RESULT_JOBS, RESULT_OUTCOMES,
                                        RESULT_ROUNDS, RESULT_WORK, RESULT_TIMELINE,
                                        RESULT_CLUSTER};
    static const char *const last[] = {RESULT_DISTURBANCES, RESULT_GRANTS, RESULT_SUMMARY};
    const struct policy *policy;

    if (name_count > 0)
        return;
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        add_name(first[i]);
    for (size_t i = 0; (policy = policy_at(i)); i++)
        for (size_t k = 0; policy->report && policy->report->files[k]; k++)
            add_name(policy->report->files[k]);
    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
        add_name(last[i]);
    all_names = (struct draft_names){names, (size_t)name_count};
}

static int number_of(const char *name)
{
    int number = 0;

    while (number < name_count && strcmp(names[number], name) != 0)
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

/* Whether the result is written into a file that stays in place, such as a device. */
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

/* ---- whether the folder has results of Rubato ---- */

static bool has_marker(const char *folder)
{
    const struct found marker = look(folder, names[MARKER]);

    return is_file(&marker);
}

/* Whether the folder has results of an earlier version, which wrote no marker. */
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

/* Whether the name is that of a draft, of this or another run. A draft has no marker while its
 * files are moved. */
static bool is_draft(const char *name)
{
    static const char *const starts[] = {DRAFT_RUNNING, DRAFT_KEPT, DRAFT_ASIDE};

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static bool is_ours(const char *folder, const char *name, bool results)
{
    const struct found found = look(folder, name);
    char *path;
    bool ours;

    if (found.exists && !S_ISDIR(found.status.st_mode))
        return results && number_of(name) < name_count;
    path = join(folder, name);
    ours = has_marker(path) || (results && is_draft(name));
    free(path);
    return ours;
}

/* Sets `foreign` to the alphabetically first name that is no result; "" if all are. */
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

/* Notes which files have the names of results, and refuses files that must not be replaced. */
static int check_names(result_folder_t *self, struct error *error)
{
    for (int i = 0; i < name_count; i++) {
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

/* ---- the start ---- */

static int write_marker(output_t *marker, struct error *error)
{
    if (!marker)
        return -1;
    output_text(marker, marker_text);
    return output_commit_all(&marker, 1, error); /* leaves no file if it fails */
}

int result_folder_mark(const char *folder, struct error *error)
{
    char *path = join(folder, RESULT_MARKER);
    output_t *marker = output_new(path, error);

    free(path);
    return write_marker(marker, error);
}

result_folder_t *result_folder_open(const char *path, bool forced, struct error *error)
{
    result_folder_t *self = xcalloc(1, sizeof(*self));

    make_names();
    self->path = xstrdup(path);
    self->made = output_make_folder(path, error);
    if (self->made == 0)
        draft_mend(path, &all_names);
    if (self->made >= 0 && check_names(self, error) == 0 &&
        (forced || check_foreign(self, error) == 0))
        self->draft = draft_new(path, &all_names, error);
    if (!self->draft || write_marker(result_folder_create(self, names[MARKER], error), error) < 0)
        result_folder_destroy(&self);
    under_way = self;
    return self;
}

output_t *result_folder_create(result_folder_t *self, const char *name, struct error *error)
{
    const int number = number_of(name);
    const bool special =
        number != MARKER && number < name_count && is_special(&self->found[number]);
    char *target = join(self->path, name);
    char *path = join(draft_path(self->draft), name);
    output_t *output = NULL;

    assert(number < name_count);
    if (special) {
        output = output_new(target, error);
    } else {
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);

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

static int check_unchanged(const result_folder_t *self, struct error *error)
{
    for (int i = 0; i < name_count; i++) {
        const struct found now = look(self->path, names[i]);

        if (i == MARKER && is_file(&now)) /* another run's marker has the same content */
            continue;
        if (now.exists && !is_special(&self->found[i]) && !is_same(&self->found[i], &now))
            return error_set(error, "%s/%s: %s during the run, and is not replaced", self->path,
                             names[i], self->found[i].exists ? "was changed" : "appeared");
    }
    return 0;
}

int result_folder_commit(result_folder_t *self, struct error *error)
{
    if (check_unchanged(self, error) < 0)
        return -1;
    (void)FAILPOINT("results-ready");
    under_way = NULL;
    if (draft_commit(self->draft, error) < 0)
        return -1;
    self->made = 0;
    return 0;
}

void result_folder_keep(result_folder_t *self, struct error *error)
{
    under_way = NULL;
    self->made = 0;
    draft_keep(self->draft, error);
}

const char *result_folder_stage(const result_folder_t *self)
{
    return draft_path(self->draft);
}

void result_folder_discard(const char *stage)
{
    make_names();
    for (int i = 0; i < name_count; i++) {
        char *path = join(stage, names[i]);

        (void)unlink(path);
        free(path);
    }
    (void)rmdir(stage);
}

void result_folder_abandon(void)
{
    const result_folder_t *self = under_way;
    char part[PATH_MAX];
    size_t length;

    if (!self)
        return;
    draft_abandon(self->draft);
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
    draft_destroy(&folder->draft);
    if (folder->made > 0)
        output_remove_folders(folder->path, folder->made);
    free(folder->path);
    free(folder);
    *self = NULL;
}
