/* output.c - see output.h.
 *
 * No fsync: a result can be computed again, and syncing three files would take longer than most
 * simulations. */
#include "common/output.h"

#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES    ((size_t)64 * 1024)
#define WHOLE_CHARS_MAX 20

struct output {
    char *path;
    char *temporary;
    int fd;
    bool lent;   /* the file is the caller's */
    int failure; /* errno of the first write that failed */
    bool named;  /* it has got its name: nothing temporary is left */
    size_t used;
    char buffer[BUFFER_BYTES];
};

static int complain(const output_t *self, struct error *error)
{
    return error_set(error, "%s: cannot be written: %s", self->path, strerror(self->failure));
}

static output_t *allocate(const char *path)
{
    output_t *self = xmalloc(sizeof(*self));

    self->path = xstrdup(path);
    self->temporary = NULL;
    self->fd = -1;
    self->lent = false;
    self->failure = 0;
    self->named = false;
    self->used = 0;
    return self;
}

output_t *output_on(int fd, const char *path)
{
    output_t *self = allocate(path);

    self->fd = fd;
    self->lent = true;
    self->named = true;
    return self;
}

output_t *output_new(const char *path, struct error *error)
{
    const size_t size = strlen(path) + 32;
    output_t *self = allocate(path);

    self->temporary = xmalloc(size);
    (void)snprintf(self->temporary, size, "%s.%ld.tmp", path, (long)getpid());
    /* Left by a process of the same number, or laid there by somebody. */
    (void)unlink(self->temporary);
    self->fd = open(self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (self->fd < 0) {
        self->failure = errno;
        complain(self, error);
        self->named = true; /* whatever stands under the temporary name is not ours */
        output_destroy(&self);
    }
    return self;
}

static void flush(output_t *self)
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

int output_close(output_t *self, struct error *error)
{
    struct stat status;

    if (self->fd >= 0) {
        flush(self);
        if (!self->lent && close(self->fd) < 0 && !self->failure)
            self->failure = errno;
        self->fd = -1;
    }
    if (!self->failure && !self->named && stat(self->path, &status) == 0 && S_ISDIR(status.st_mode))
        self->failure = EISDIR;
    return self->failure ? complain(self, error) : 0;
}

int output_commit(output_t **self, struct error *error)
{
    output_t *output = *self;
    int result = output_close(output, error);

    if (result == 0 && !output->named && rename(output->temporary, output->path) < 0) {
        output->failure = errno;
        result = complain(output, error);
    }
    output->named = output->named || result == 0;
    output_destroy(self);
    return result;
}

void output_destroy(output_t **self)
{
    if (!*self)
        return;
    if ((*self)->fd >= 0 && !(*self)->lent)
        (void)close((*self)->fd);
    if (!(*self)->named)
        (void)unlink((*self)->temporary);
    free((*self)->temporary);
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
            flush(self);
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
        flush(self);
}

void output_whole(output_t *self, int64_t value)
{
    char digits[WHOLE_CHARS_MAX];
    size_t start = sizeof(digits);
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do {
        digits[--start] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        output_char(self, '-');
    output_bytes(self, digits + start, sizeof(digits) - start);
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

int output_check_stdout(struct error *error)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return error_set(error, "standard output: cannot be written: %s", strerror(errno));
}
