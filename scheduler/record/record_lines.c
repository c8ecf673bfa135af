/* record_lines.c - see record_lines.h. */
#include "scheduler/record/record_lines.h"

#include "common/checksum.h"
#include "common/input.h"
#include "common/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES   ((size_t)128 * 1024)
#define LINE_MAX_BYTES (BUFFER_BYTES / 2)

struct record_lines {
    char *path;
    input_t *input;
    int64_t line; /* number of the line at `at`, from 1 */
    uint64_t check;
    size_t at;
    size_t used;
    size_t length; /* of the line at `at`, without its newline */
    char buffer[BUFFER_BYTES];
};

record_lines_t *record_lines_open(const char *path, struct error *error)
{
    input_t *input = input_open(path, error);
    record_lines_t *self;

    if (!input)
        return NULL;
    self = xmalloc(sizeof(*self));
    self->path = xstrdup(path);
    self->input = input;
    self->line = 1;
    self->check = CHECKSUM_OF_NOTHING;
    self->at = self->used = self->length = 0;
    return self;
}

void record_lines_close(record_lines_t **self)
{
    if (!*self)
        return;
    input_destroy(&(*self)->input);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

/* Reads more of the file behind the unread rest. 0 at the end of the file. */
static long fill(record_lines_t *self, struct error *error)
{
    long got;

    memmove(self->buffer, self->buffer + self->at, self->used - self->at);
    self->used -= self->at;
    self->at = 0;
    got = input_read(self->input, self->buffer + self->used, BUFFER_BYTES - self->used, error);
    self->used += got > 0 ? (size_t)got : 0;
    return got;
}

static struct cursor cursor_of(const record_lines_t *self)
{
    return (struct cursor){.path = self->path,
                           .line = self->line,
                           .text = self->buffer + self->at,
                           .length = self->length};
}

int record_lines_look(record_lines_t *self, struct cursor *cursor, struct error *error)
{
    size_t searched = 0;
    const char *end;
    long got;

    while (!(
        end = memchr(self->buffer + self->at + searched, '\n', self->used - self->at - searched))) {
        searched = self->used - self->at;
        if (searched > LINE_MAX_BYTES)
            return error_set(error, "%s:%" PRId64 ": expected a line of at most %zu bytes",
                             self->path, self->line, LINE_MAX_BYTES);
        got = fill(self, error);
        if (got <= 0)
            return (int)got;
    }
    self->length = (size_t)(end - (self->buffer + self->at));
    *cursor = cursor_of(self);
    return 1;
}

void record_lines_take(record_lines_t *self)
{
    self->check = checksum(self->check, self->buffer + self->at, self->length + 1);
    self->at += self->length + 1;
    self->line++;
}

/* Whether the check is right. A build for fuzzers accepts any check, as made-up records have none
 * that fits. */
static bool is_right(uint64_t found, uint64_t check)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)found;
    (void)check;
    return true;
#else
    return found == check;
#endif
}

int record_lines_check(record_lines_t *self, struct error *error)
{
    struct cursor cursor = cursor_of(self);
    uint64_t found;

    if (cursor_word(&cursor, "check", error) < 0 || cursor_blank(&cursor, error) < 0 ||
        cursor_digest(&cursor, &found, error) < 0 || cursor_end(&cursor, error) < 0)
        return -1;
    if (!is_right(found, self->check))
        return error_set(error,
                         "%s:%" PRId64 ": the check is %016" PRIx64
                         ", and that of the lines before is %016" PRIx64 ": the record is damaged",
                         self->path, self->line, found, self->check);
    record_lines_take(self);
    return 0;
}

int record_lines_complain_cut(const record_lines_t *self, const char *where, struct error *error)
{
    return error_set(error, "%s:%" PRId64 ": the record breaks off %s", self->path, self->line,
                     where);
}
