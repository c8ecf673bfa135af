/* key_file.c - see key_file.h. */
#include "protocol/key_file.h"

#include "common/input.h"
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)
#define WORDS_MAX      4
#define KEY_BYTES      32

/* ---- reading ---- */

static int check_owner(const struct stat *status, const char *path, struct error *error)
{
    if (status->st_uid == geteuid() || status->st_uid == 0)
        return 0;
    return error_set(error, "%s: it belongs to another user", path);
}

static int check_writers(const struct stat *status, const char *path, struct error *error)
{
    if ((status->st_mode & 022) == 0)
        return 0;
    return error_set(error, "%s: others may write to it (mode %03o): chmod go-w", path,
                     (unsigned)status->st_mode & 0777U);
}

int key_folder_check(const char *path, struct error *error)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return error_set(error, "%s: it is no folder", path);
    return check_owner(&status, path, error) < 0 ? -1 : check_writers(&status, path, error);
}

static int check_care(int file, const char *path, enum key_file_care care, struct error *error)
{
    struct stat status;

    if (fstat(file, &status) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: it is no file", path);
    if (check_owner(&status, path, error) < 0)
        return -1;
    if (care == KEY_FILE_SECRET && (status.st_mode & 077) != 0)
        return error_set(error, "%s: others may read or write it (mode %03o, not 600)", path,
                         (unsigned)status.st_mode & 0777U);
    if (check_writers(&status, path, error) < 0)
        return -1;
    if ((size_t)status.st_size > FILE_BYTES_MAX)
        return error_set(error, "%s: it is larger than %zu bytes", path, FILE_BYTES_MAX);
    return 0;
}

/* Reads as much of the file as fits; -1 with errno. */
static ssize_t read_all(int file, char *text, size_t room)
{
    size_t used = 0;

    while (used < room) {
        const ssize_t got = read(file, text + used, room - used);

        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return -1;
        used += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)used;
}

char *key_file_read(const char *path, enum key_file_care care, size_t *size, struct error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *text;
    ssize_t used;

    if (file < 0) {
        error_set(error, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (check_care(file, path, care, error) < 0) {
        (void)close(file);
        return NULL;
    }
    text = xmalloc(FILE_BYTES_MAX);
    used = read_all(file, text, FILE_BYTES_MAX);
    if (used < 0) {
        error_set(error, "%s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    (void)close(file);
    *size = used < 0 ? 0 : (size_t)used;
    return text;
}

/* ---- lines ---- */

struct word {
    const char *text;
    size_t length;
};

/* A text that is taken apart line by line. */
struct lines {
    const char *at;
    const char *end;
    const char *path;
    long number; /* number of the line that was taken last */
    struct word words[WORDS_MAX];
    size_t count; /* number of words; further words than WORDS_MAX are not counted */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void take_words(struct lines *self, const char *line, const char *end)
{
    self->count = 0;
    while (line < end && self->count < WORDS_MAX) {
        const char *start;

        while (line < end && is_blank(*line))
            line++;
        if (line == end || *line == '#')
            return;
        start = line;
        while (line < end && !is_blank(*line))
            line++;
        self->words[self->count++] = (struct word){start, (size_t)(line - start)};
    }
}

/* Goes on to the next line that has words; false at the end. */
static bool next_line(struct lines *self)
{
    while (self->at < self->end) {
        const char *const newline = memchr(self->at, '\n', (size_t)(self->end - self->at));
        const char *const end = newline ? newline : self->end;

        self->number++;
        take_words(self, self->at, end);
        self->at = newline ? newline + 1 : self->end;
        if (self->count > 0)
            return true;
    }
    return false;
}

static struct lines lines_of(const char *text, size_t size, const char *path)
{
    return (struct lines){.at = text, .end = text + size, .path = path};
}

static bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

static int complain(const struct lines *self, struct error *error, const char *what)
{
    return error_set(error, "%s:%ld: %s", self->path, self->number, what);
}

static int take_key(const struct lines *self, const struct word *word, char key[KEY_CHARS + 1],
                    struct error *error)
{
    uint8_t bytes[KEY_BYTES];

    if (word->length == KEY_CHARS && !memchr(word->text, '\0', KEY_CHARS)) {
        memcpy(key, word->text, KEY_CHARS);
        key[KEY_CHARS] = '\0';
        if (zmq_z85_decode(bytes, key))
            return 0;
    }
    return complain(self, error, "a key of 40 characters of Z85 was expected");
}

static int take_name(const struct lines *self, const struct word *word,
                     char name[PROCESS_NAME_MAX + 1], struct error *error)
{
    if (word->length <= PROCESS_NAME_MAX && !memchr(word->text, '\0', word->length)) {
        memcpy(name, word->text, word->length);
        name[word->length] = '\0';
        if (process_name_is_good(name))
            return 0;
    }
    return complain(self, error, "a role or name is " PROCESS_NAME_RULE);
}

/* ---- the three kinds of files ---- */

/* Checks that the two keys belong together: a mistake would show only when no peer answers. */
static int check_pair(const char *path, const struct key_pair *pair, struct error *error)
{
    char derived[KEY_CHARS + 1];

    if (pair->public_key[0] == '\0' || pair->secret_key[0] == '\0')
        return error_set(error, "%s: it has not both the lines \"public KEY\" and \"secret KEY\"",
                         path);
    if (zmq_curve_public(derived, pair->secret_key) < 0 || strcmp(derived, pair->public_key) != 0)
        return error_set(error, "%s: the public key is not that of the secret key", path);
    return 0;
}

int key_file_parse_pair(const char *text, size_t size, const char *path, struct key_pair *pair,
                        struct error *error)
{
    struct lines lines = lines_of(text, size, path);

    memset(pair, 0, sizeof(*pair));
    while (next_line(&lines)) {
        const bool is_public = word_is(&lines.words[0], "public");
        char *const key = is_public ? pair->public_key : pair->secret_key;

        if (lines.count != 2 || (!is_public && !word_is(&lines.words[0], "secret")))
            return complain(&lines, error, "\"public KEY\" or \"secret KEY\" was expected");
        if (key[0])
            return complain(&lines, error, "a second key of the kind");
        if (take_key(&lines, &lines.words[1], key, error) < 0)
            return -1;
    }
    return check_pair(path, pair, error);
}

int key_file_parse_public(const char *text, size_t size, const char *path, char key[KEY_CHARS + 1],
                          struct error *error)
{
    struct lines lines = lines_of(text, size, path);

    if (!next_line(&lines))
        return error_set(error, "%s: there is no key in it", path);
    if (lines.count != 1)
        return complain(&lines, error, "one key was expected");
    if (take_key(&lines, &lines.words[0], key, error) < 0)
        return -1;
    return next_line(&lines) ? complain(&lines, error, "one key was expected, not two") : 0;
}

static const struct allowed_line *find_line(const struct allowed_list *list, const char *key)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->lines[i].public_key, key) == 0)
            return &list->lines[i];
    }
    return NULL;
}

static int parse_allowed_line(const struct lines *lines, const struct allowed_list *list,
                              struct allowed_line *line, struct error *error)
{
    if (lines->count != 3)
        return complain(lines, error, "PUBLIC-KEY ROLE NAME was expected");
    if (take_key(lines, &lines->words[0], line->public_key, error) < 0 ||
        take_name(lines, &lines->words[1], line->role, error) < 0 ||
        take_name(lines, &lines->words[2], line->name, error) < 0)
        return -1;
    if (find_line(list, line->public_key))
        return complain(lines, error, "an earlier line has this key");
    return 0;
}

int key_file_parse_allowed(const char *text, size_t size, const char *path, bool lenient,
                           struct allowed_list *list, struct error *error)
{
    struct lines lines = lines_of(text, size, path);

    while (next_line(&lines)) {
        struct allowed_line line;

        if (parse_allowed_line(&lines, list, &line, error) < 0) {
            if (lenient)
                continue;
            return -1;
        }
        list->lines = grow_array(list->lines, list->count, &list->capacity, sizeof(*list->lines));
        list->lines[list->count++] = line;
    }
    return 0;
}
