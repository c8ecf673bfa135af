/* kept_inputs.c - see kept_inputs.h. */
#include "scheduler/report/kept_inputs.h"

#include "common/input.h"
#include "common/memory.h"
#include "common/output.h"
#include "scheduler/report/result_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPIED_BYTES ((size_t)64 * 1024)

struct made {
    char *path;
    bool is_folder;
};

struct kept_inputs {
    char *folder; /* folder of all copies */
    struct made *made;
    size_t made_count;
    size_t made_capacity;
    bool kept;
};

/* The copies that a signal handler removes, NULL for none. */
static kept_inputs_t *volatile under_way;

static void note(kept_inputs_t *self, const char *path, bool is_folder)
{
    self->made =
        grow_array(self->made, self->made_count, &self->made_capacity, sizeof(*self->made));
    self->made[self->made_count] = (struct made){xstrdup(path), is_folder};
    self->made_count++;
}

static int complain(const char *path, struct error *error)
{
    return error_unwritten(error, path, errno);
}

static int join(char path[PATH_MAX], const char *folder, const char *name, struct error *error)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return complain(folder, error);
}

static int make_folder(kept_inputs_t *self, const char *path, struct error *error)
{
    if (mkdir(path, 0777) == 0)
        note(self, path, true);
    else if (errno != EEXIST)
        return complain(path, error);
    return 0;
}

/* ---- one file ---- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int copy_bytes(int from, output_t *output)
{
    char *bytes = xmalloc(COPIED_BYTES);
    ssize_t length;

    while ((length = read(from, bytes, COPIED_BYTES)) > 0 || (length < 0 && errno == EINTR))
        if (length > 0)
            output_bytes(output, bytes, (size_t)length);
    free(bytes);
    return length < 0 ? -1 : 0;
}

static int copy_open(kept_inputs_t *self, int from, const char *path, const char *to,
                     struct error *error)
{
    const bool is_new = access(to, F_OK) < 0;
    output_t *output = output_new(to, error);
    int status = -1;

    if (!output)
        return -1;
    if (copy_bytes(from, output) < 0)
        (void)error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    else
        status = output_commit_all(&output, 1, error);
    output_destroy(&output);
    if (status == 0 && is_new)
        note(self, to, false);
    return status;
}

static int copy_file(kept_inputs_t *self, const char *path, const char *to, struct error *error)
{
    struct stat status;
    struct stat older;
    int from;
    int result = 0;

    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return error_set(error, "--with-inputs: %s is no file that can be copied", path);
    if (stat(to, &older) == 0 && is_same(&status, &older))
        return 0;
    from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    result = copy_open(self, from, path, to, error);
    (void)close(from);
    return result;
}

/* ---- a file, or a folder of tables ---- */

/* Checks a copy by its checksum. The sum of a folder is made of those of its copied files. */
static int check_copy(const char *path, const char *copy, uint64_t expected, struct error *error)
{
    uint64_t sum;

    input_skim(copy);
    if (!input_checksum(copy, &sum))
        return error_set(error, "%s: the copy cannot be read", copy);
    if (sum != expected)
        return error_set(error, "%s: was changed since the run has read the file", path);
    return 0;
}

/* Copies a table of a folder, unless the run did not read that table. */
static int copy_table(kept_inputs_t *self, const char *from, const char *to, const char *name,
                      struct error *error)
{
    char path[PATH_MAX];
    char copy[PATH_MAX];
    uint64_t sum;

    if (join(path, from, name, error) < 0 || join(copy, to, name, error) < 0)
        return -1;
    if (!input_checksum(path, &sum))
        return 0;
    return copy_file(self, path, copy, error) < 0 ? -1 : check_copy(path, copy, sum, error);
}

static int copy_tables(kept_inputs_t *self, const char *from, const char *to, struct error *error)
{
    DIR *entries = opendir(from);
    const struct dirent *entry;
    int status = 0;

    if (!entries)
        return error_set(error, "%s: cannot be read: %s", from, strerror(errno));
    status = make_folder(self, to, error);
    while (status == 0 && (entry = readdir(entries)))
        if (entry->d_name[0] != '.')
            status = copy_table(self, from, to, entry->d_name, error);
    (void)closedir(entries);
    return status;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Makes the folder FOLDER/inputs/KIND-CHECKSUM. */
static int make_place(kept_inputs_t *self, const struct file_read *file, char place[PATH_MAX],
                      struct error *error)
{
    char digits[CHECKSUM_TEXT_BYTES];
    char name[64];

    checksum_print(file->checksum, digits);
    (void)snprintf(name, sizeof(name), "%s-%s", file->kind, digits);
    return join(place, self->folder, name, error) < 0 || make_folder(self, place, error) < 0 ? -1
                                                                                             : 0;
}

static int copy_input(kept_inputs_t *self, const struct file_read *file, struct error *error)
{
    char *path = realpath(file->path, NULL); /* resolves a path that ends in a slash, too */
    char place[PATH_MAX];
    char copy[PATH_MAX];
    struct stat status;
    int result = -1;

    if (!path || stat(path, &status) < 0) {
        free(path);
        return error_set(error, "--with-inputs: %s is no file that can be copied", file->path);
    }
    if (make_place(self, file, place, error) == 0 && join(copy, place, name_of(path), error) == 0)
        result = S_ISDIR(status.st_mode) ? copy_tables(self, file->path, copy, error)
                                         : copy_file(self, path, copy, error);
    free(path);
    return result < 0 ? -1 : check_copy(file->path, copy, file->checksum, error);
}

/* ---- all inputs ---- */

static int mark(kept_inputs_t *self, struct error *error)
{
    char marker[PATH_MAX];

    if (join(marker, self->folder, RESULT_MARKER, error) < 0)
        return -1;
    if (access(marker, F_OK) == 0)
        return 0;
    note(self, marker, false);
    return result_folder_mark(self->folder, error);
}

static int copy_all(kept_inputs_t *self, const struct files_read *files, struct error *error)
{
    if (make_folder(self, self->folder, error) < 0 || mark(self, error) < 0)
        return -1;
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].kind, FILE_OF_POLICY) != 0 &&
            copy_input(self, &files->items[i], error) < 0)
            return -1;
    return 0;
}

kept_inputs_t *kept_inputs_new(const char *folder, const struct files_read *files,
                               struct error *error)
{
    kept_inputs_t *self = xcalloc(1, sizeof(*self));
    const size_t size = strlen(folder) + sizeof("/" RESULT_INPUTS);

    self->folder = xmalloc(size);
    (void)snprintf(self->folder, size, "%s/" RESULT_INPUTS, folder);
    under_way = self;
    if (copy_all(self, files, error) < 0)
        kept_inputs_destroy(&self);
    return self;
}

void kept_inputs_keep(kept_inputs_t *self)
{
    under_way = NULL;
    self->kept = true;
}

static int remove_one(const struct made *made)
{
    return made->is_folder ? rmdir(made->path) : unlink(made->path);
}

void kept_inputs_abandon(void)
{
    const kept_inputs_t *self = under_way;

    for (size_t i = self ? self->made_count : 0; i-- > 0;)
        (void)remove_one(&self->made[i]);
}

/* Removes all copies. Each removal is tried twice. */
static void remove_made(const kept_inputs_t *self)
{
    for (size_t i = self->made_count; i-- > 0;) {
        const struct made *made = &self->made[i];

        if (remove_one(made) < 0 && errno != ENOENT && remove_one(made) < 0 && !made->is_folder)
            (void)fprintf(stderr, "%s: cannot be removed now; a later run may use the copy\n",
                          made->path);
    }
}

void kept_inputs_destroy(kept_inputs_t **self)
{
    kept_inputs_t *copies = *self;

    if (!copies)
        return;
    if (under_way == copies)
        under_way = NULL;
    if (!copies->kept)
        remove_made(copies);
    for (size_t i = 0; i < copies->made_count; i++)
        free(copies->made[i].path);
    free(copies->made);
    free(copies->folder);
    free(copies);
    *self = NULL;
}
