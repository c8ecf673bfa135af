/* output.c - see output.h.
 *
 * No fsync: a result can be computed again, and syncing three files would take longer than most
 * simulations. */
#include "common/output.h"

#include "common/digits.h"
#include "common/input.h"
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 * 1024)
#define LINKS_MAX    40 /* most links in a row, as in the kernel */
#define ASIDE_MAX    100
#define OLDER        ".rubato-older" /* suffix of a file that is being replaced with others */

/* The temporary names of this process's outputs, NULL for free places. A signal handler reads
 * the array, so each name is entered and removed in one write. */
#define ASIDE_AT_ONCE_MAX 64
static const char *volatile aside[ASIDE_AT_ONCE_MAX];

static void exchange_aside(const char *before, const char *after)
{
    for (size_t i = 0; i < ASIDE_AT_ONCE_MAX; i++)
        if (aside[i] == before) {
            aside[i] = after;
            return;
        }
}

void output_abandon(void)
{
    for (size_t i = 0; i < ASIDE_AT_ONCE_MAX; i++)
        if (aside[i])
            (void)unlink(aside[i]);
}

struct output {
    char *path;
    char *target; /* where the links at `path` lead; NULL if nothing is renamed */
    char *temporary;
    char *older; /* second link to the file that had the target's name; NULL for none */
    bool replaces;
    bool keeps_others; /* an older file with other bytes keeps its name */
    int fd;
    bool lent;   /* the file is the caller's */
    int failure; /* errno of the first write that failed */
    bool named;  /* the file has its final name: nothing temporary is left */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static int complain(const output_t *self, struct error *error)
{
    return error_unwritten(error, self->path, self->failure);
}

static output_t *allocate(int fd, const char *path)
{
    output_t *self = xmalloc(sizeof(*self));

    self->path = xstrdup(path);
    self->target = NULL;
    self->temporary = NULL;
    self->older = NULL;
    self->replaces = false;
    self->keeps_others = false;
    self->fd = fd;
    self->lent = false;
    self->failure = 0;
    self->named = true;
    self->used = 0;
    return self;
}

output_t *output_take(int fd, const char *path)
{
    return allocate(fd, path);
}

output_t *output_on(int fd, const char *path)
{
    output_t *self = allocate(fd, path);

    self->lent = true;
    return self;
}

/* ---- where a name leads to ---- */

struct place {
    char path[PATH_MAX]; /* without symbolic links */
    int own;             /* the descriptor of this process that the path names, or -1 */
    bool exists;
    struct stat status; /* valid if the file exists */
};

/* The number N of a path like /proc/self/fd/N; -1 for any other path. */
static int own_descriptor(const char *path)
{
    const char *name = strrchr(path, '/');
    char folder[PATH_MAX];
    char own[64];
    char real[PATH_MAX];

    if (!name || name[1] == '\0' || strspn(name + 1, "0123456789") != strlen(name + 1))
        return -1;
    (void)snprintf(folder, sizeof(folder), "%.*s", (int)(name - path), path);
    (void)snprintf(own, sizeof(own), "/proc/%ld/fd", (long)getpid());
    return realpath(folder, real) && !strcmp(real, own) ? atoi(name + 1) : -1;
}

/* Replaces `path`, the name of a symbolic link, with the path that the link leads to. */
static int follow(char path[PATH_MAX])
{
    char link[PATH_MAX];
    const ssize_t length = readlink(path, link, sizeof(link) - 1);
    char *name = strrchr(path, '/');
    size_t folder = name ? (size_t)(name - path) + 1 : 0;

    if (length < 0)
        return -1;
    link[length] = '\0';
    if (link[0] == '/')
        folder = 0;
    if (folder + (size_t)length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path + folder, link, (size_t)length + 1);
    return 0;
}

/* Follows the links from `place->path` on; -1 with errno if the links lead nowhere. */
static int resolve(struct place *place)
{
    struct stat status;

    for (int links = 0; links < LINKS_MAX; links++) {
        place->own = own_descriptor(place->path);
        if (place->own >= 0 || lstat(place->path, &status) < 0 || !S_ISLNK(status.st_mode))
            return 0;
        if (follow(place->path) < 0)
            return -1;
    }
    errno = ELOOP;
    return -1;
}

static int find_place(const char *path, struct place *place)
{
    const bool is_stdout = !strcmp(path, "-");

    place->own = STDOUT_FILENO;
    if (strlen(path) >= sizeof(place->path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(place->path, path, strlen(path) + 1);
    if (!is_stdout && resolve(place) < 0)
        return -1;
    place->exists = (place->own >= 0 ? fstat(place->own, &place->status)
                                     : stat(place->path, &place->status)) == 0;
    return 0;
}

bool output_is_stdout(const char *path)
{
    struct place place;
    struct stat status;

    return find_place(path, &place) == 0 && place.exists && fstat(STDOUT_FILENO, &status) == 0 &&
           place.status.st_dev == status.st_dev && place.status.st_ino == status.st_ino;
}

const char *output_name(const char *path)
{
    return strcmp(path, "-") != 0 ? path : "standard output";
}

FILE *output_talk(const char *path)
{
    return output_is_stdout(path) ? stderr : stdout;
}

/* ---- start ---- */

/* Opens a file beside the target under a name that is still free. */
static int open_aside(output_t *self)
{
    const size_t size = strlen(self->target) + 64;

    self->temporary = xmalloc(size);
    for (int i = 1; i <= ASIDE_MAX && self->fd < 0; i++) {
        (void)snprintf(self->temporary, size, i == 1 ? "%s.%ld.tmp" : "%s.%ld-%d.tmp", self->target,
                       (long)getpid(), i);
        self->fd =
            open(self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (self->fd < 0 && errno != EEXIST)
            break;
    }
    self->named = self->fd < 0; /* without a descriptor the temporary name is another file's */
    if (self->fd >= 0)
        exchange_aside(NULL, self->temporary);
    return self->fd;
}

/* Gives the new file the permissions of the file that it replaces and, where the system allows,
 * the owner. */
static void inherit(const output_t *self, const struct stat *older)
{
    if (fchmod(self->fd, older->st_mode & 0777) < 0 ||
        fchown(self->fd, older->st_uid, older->st_gid) < 0)
        return;
}

static int start(output_t *self, const struct place *place)
{
    if (place->exists && S_ISDIR(place->status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (place->exists && !S_ISREG(place->status.st_mode)) { /* a device or a FIFO */
        self->fd = open(place->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return self->fd;
    }
    if (place->exists && access(place->path, W_OK) < 0)
        return -1;
    self->target = xstrdup(place->path);
    if (open_aside(self) < 0)
        return -1;
    self->replaces = place->exists;
    if (place->exists)
        inherit(self, &place->status);
    return 0;
}

output_t *output_new(const char *path, struct error *error)
{
    struct place place;
    output_t *self = allocate(-1, output_name(path));
    bool failed = find_place(path, &place) < 0;

    if (!failed && place.exists && input_was_read(&place.status)) {
        error_set(error, "%s: is an input too, and would be overwritten", self->path);
        output_destroy(&self);
        return NULL;
    }
    if (!failed && place.own >= 0) {
        self->fd = place.own;
        self->lent = true;
        return self;
    }
    failed = failed || start(self, &place) < 0;
    if (failed) {
        self->failure = errno;
        complain(self, error);
        output_destroy(&self);
    }
    return self;
}

void output_flush(output_t *self)
{
    size_t written = 0;

    while (written < self->used && !self->failure) {
        const ssize_t length = write(self->fd, self->buffer + written, self->used - written);

        if (length >= 0)
            written += (size_t)length;
        else if (errno != EINTR)
            self->failure = errno;
    }
    self->used = 0;
}

void output_replace(output_t *self, bool forced)
{
    self->keeps_others = !forced;
}

int output_claim(output_t *self, bool forced, struct error *error)
{
    output_replace(self, forced);
    if (forced || !self->replaces)
        return 0;
    return error_set(error, "%s: is there already; name another file, or say --force to replace it",
                     self->path);
}

/* Whether two files have the same bytes. False if a file cannot be read. */
static bool are_equal(const char *a, const char *b)
{
    char of_a[4096];
    char of_b[sizeof(of_a)];
    FILE *files[2] = {fopen(a, "re"), fopen(b, "re")};
    bool equal = files[0] && files[1];
    size_t size = sizeof(of_a);

    while (equal && size == sizeof(of_a)) {
        size = fread(of_a, 1, sizeof(of_a), files[0]);
        equal = fread(of_b, 1, sizeof(of_b), files[1]) == size && memcmp(of_a, of_b, size) == 0 &&
                !ferror(files[0]) && !ferror(files[1]);
    }
    for (int i = 0; i < 2; i++)
        if (files[i])
            (void)fclose(files[i]);
    return equal;
}

/* Fails if an older file with other bytes has the name, even a file that came during the
 * writing. */
static int check_older(const output_t *self, struct error *error)
{
    if (!self->keeps_others || self->named || access(self->target, F_OK) < 0 ||
        are_equal(self->target, self->temporary))
        return 0;
    return error_set(error,
                     "%s: is there already, with other bytes; name another file, or say "
                     "--force to replace it",
                     self->path);
}

/* Writes what is left and closes the file. */
static int finish(output_t *self, struct error *error)
{
    if (self->fd >= 0) {
        output_flush(self);
        if (!self->lent && close(self->fd) < 0 && !self->failure)
            self->failure = errno;
        self->fd = -1;
    }
    return self->failure ? complain(self, error) : check_older(self, error);
}

/* Keeps a complete file that could not be renamed under its temporary name. */
static int keep_aside(output_t *self, struct error *error)
{
    self->failure = errno;
    self->named = true;
    complain(self, error);
    return error_append(error, "; the whole file is in %s", self->temporary);
}

int output_commit(output_t **self, struct error *error)
{
    output_t *output = *self;
    int result = finish(output, error);

    if (result == 0 && !output->named && rename(output->temporary, output->target) < 0)
        result = keep_aside(output, error);
    output->named = output->named || result == 0;
    output_destroy(self);
    return result;
}

/* Removes a file, with a second try if the first fails. */
static int remove_file(const char *path)
{
    for (int tries = 0; tries < 2; tries++)
        if (unlink(path) == 0)
            return 0;
    return -1;
}

/* Links the older file under a second name. A file system without links loses the older file. */
static int link_older(output_t *self)
{
    const size_t size = strlen(self->target) + sizeof(OLDER);
    bool linked;

    if (access(self->target, F_OK) < 0)
        return 0;
    self->older = xmalloc(size);
    (void)snprintf(self->older, size, "%s" OLDER, self->target);
    linked = link(self->target, self->older) == 0;
    if (!linked && errno == EEXIST) /* left by a process that was killed */
        linked = remove_file(self->older) == 0 && link(self->target, self->older) == 0;
    if (linked)
        return 0;
    free(self->older);
    self->older = NULL;
    return errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK ? 0 : -1;
}

static int give_name(output_t *self, struct error *error)
{
    if (self->named)
        return 0;
    if (link_older(self) < 0 || rename(self->temporary, self->target) < 0) {
        self->failure = errno;
        return complain(self, error);
    }
    self->named = true;
    return 0;
}

/* Gives the older file its name back. */
static void take_name(output_t *self, struct error *error)
{
    if (!self->target || (self->replaces && !self->older))
        return;
    if (!self->older) {
        (void)remove_file(self->target);
        return;
    }
    if (rename(self->older, self->target) < 0 &&
        (remove_file(self->target) < 0 || link(self->older, self->target) < 0)) {
        (void)error_append(error, "; the older file is in %s", self->older);
        free(self->older);
        self->older = NULL;
    }
}

int output_commit_all(output_t *outputs[], size_t count, struct error *error)
{
    size_t named = 0;
    int result = 0;

    for (size_t i = 0; i < count && result == 0; i++)
        result = finish(outputs[i], error);
    while (result == 0 && named < count) {
        result = give_name(outputs[named], error);
        named += result == 0;
    }
    while (result < 0 && named > 0)
        take_name(outputs[--named], error);
    for (size_t i = 0; i < count; i++)
        output_destroy(&outputs[i]);
    return result;
}

void output_destroy(output_t **self)
{
    if (!*self)
        return;
    if ((*self)->fd >= 0 && !(*self)->lent)
        (void)close((*self)->fd);
    if (!(*self)->named)
        (void)remove_file((*self)->temporary);
    if ((*self)->older && remove_file((*self)->older) < 0)
        (void)fprintf(stderr, "%s: cannot be removed now; the next run removes it\n",
                      (*self)->older);
    free((*self)->older);
    if ((*self)->temporary)
        exchange_aside((*self)->temporary, NULL);
    free((*self)->temporary);
    free((*self)->target);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

void output_bytes(output_t *self, const char *bytes, size_t length)
{
    while (length > 0) {
        const size_t room = BUFFER_BYTES - self->used;
        const size_t part = length < room ? length : room;

        memcpy(self->buffer + self->used, bytes, part);
        self->used += part;
        bytes += part;
        length -= part;
        if (self->used == BUFFER_BYTES)
            output_flush(self);
    }
}

void output_text(output_t *self, const char *text)
{
    output_bytes(self, text, strlen(text));
}

void output_char(output_t *self, char c)
{
    self->buffer[self->used++] = c;
    if (self->used == BUFFER_BYTES)
        output_flush(self);
}

char *output_room(output_t *self, size_t bytes)
{
    assert(bytes <= OUTPUT_ROOM_MAX);
    if (BUFFER_BYTES - self->used < bytes)
        output_flush(self);
    return self->buffer + self->used;
}

void output_wrote(output_t *self, const char *end)
{
    self->used = (size_t)(end - self->buffer);
    assert(self->used <= BUFFER_BYTES);
    if (self->used == BUFFER_BYTES)
        output_flush(self);
}

void output_whole(output_t *self, int64_t value)
{
    output_wrote(self, digits_put(output_room(self, DIGITS_BYTES), value));
}

void output_format(output_t *self, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof(text));
    output_bytes(self, text, (size_t)length);
}

int output_make_folder(const char *path, struct error *error)
{
    char *part = xstrdup(path);
    int made = 0;
    int result = 0;

    for (char *at = part + 1; result == 0 && part[0] != '\0'; at++) {
        const char end = *at;

        if ((end != '/' && end != '\0') || at[-1] == '/') { /* "a//b" and "a/" name no more */
            if (end == '\0')
                break;
            continue;
        }
        *at = '\0';
        if (mkdir(part, 0777) == 0)
            made++;
        else if (errno != EEXIST)
            result = error_set(error, "%s: the folder cannot be made: %s", part, strerror(errno));
        *at = end;
        if (end == '\0')
            break;
    }
    free(part);
    if (result < 0)
        output_remove_folders(path, made);
    return result < 0 ? -1 : made;
}

void output_remove_folders(const char *path, int count)
{
    char *part = xstrdup(path);
    size_t length = strlen(part);

    for (; count > 0; count--) {
        while (length > 0 && part[length - 1] == '/')
            part[--length] = '\0';
        (void)rmdir(part);
        while (length > 0 && part[length - 1] != '/')
            part[--length] = '\0';
    }
    free(part);
}

/* The errno of the first write to standard output that failed: stdio forgets the cause, and the
 * bytes too. */
static int stdout_failure;

int output_flush_stdout(void)
{
    const bool is_written = fflush(stdout) == 0;

    if (is_written && !ferror(stdout))
        return 0;
    /* After a full buffer was written in vain, a closed descriptor tells the cause again. */
    if (stdout_failure == 0 && (!is_written || write(STDOUT_FILENO, "", 0) < 0))
        stdout_failure = errno;
    return -1;
}

int output_check_stdout(struct error *error)
{
    return output_flush_stdout() == 0 ? 0
                                      : error_unwritten(error, output_name("-"), stdout_failure);
}
