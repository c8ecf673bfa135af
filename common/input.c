/* input.c - see input.h. */
#include "common/input.h"

#include "common/checksum.h"
#include "common/decompressor.h"
#include "common/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits of a decompression bomb: more bytes than this, and more than this many for each byte
 * read. */
#define BOMB_BYTES ((uint64_t)64 * 1024 * 1024)
#define BOMB_RATIO ((uint64_t)200)

#define WHOLE_BYTES_FIRST ((size_t)16 * 1024)

/* Bytes enough to tell how the text is coded. */
#define START_BYTES ((size_t)4)

struct input {
    char *path;
    int fd;
    decompressor_t *decompressor; /* NULL for a plain file */
    uint64_t compressed_bytes;    /* size of the file */
    uint64_t bytes;               /* given to the caller so far */
    uint64_t checksum;            /* checksum of the bytes given so far */
    bool begun;                   /* the first bytes of the input were looked at */
};

/* The files that were read, by disk and number. The list lives as long as the process. */
static struct {
    struct read_file {
        dev_t device;
        ino_t number;
        char *path;
    } * items;
    size_t count;
    size_t capacity;
} read_files;

static bool is_file(const struct read_file *file, const struct stat *status)
{
    return file->device == status->st_dev && file->number == status->st_ino;
}

/* A removed file leaves its number to another file, which is then no input. */
bool input_was_read(const struct stat *status)
{
    struct stat now;

    for (size_t i = 0; i < read_files.count; i++)
        if (is_file(&read_files.items[i], status))
            return stat(read_files.items[i].path, &now) == 0 && is_file(&read_files.items[i], &now);
    return false;
}

static void note_file(const char *path, const struct stat *status)
{
    size_t i = 0;

    if (!S_ISREG(status->st_mode) && !S_ISBLK(status->st_mode))
        return;
    while (i < read_files.count && !is_file(&read_files.items[i], status))
        i++;
    if (i == read_files.count) {
        read_files.items = grow_array(read_files.items, read_files.count++, &read_files.capacity,
                                      sizeof(*read_files.items));
        read_files.items[i] =
            (struct read_file){.device = status->st_dev, .number = status->st_ino};
    }
    free(read_files.items[i].path);
    read_files.items[i].path = xstrdup(path);
}

/* The texts that were read to their ends, in the order of their paths. It lives as long as the
 * process. */
static struct {
    struct read_text {
        char *path;
        uint64_t checksum;
    } * items;
    size_t count;
    size_t capacity;
} read_texts;

/* The place of the first text whose path is not before `path`. */
static size_t find_text(const char *path)
{
    size_t low = 0;
    size_t high = read_texts.count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strcmp(read_texts.items[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_text(size_t place, const char *path)
{
    return place < read_texts.count && !strcmp(read_texts.items[place].path, path);
}

static void note_text(const char *path, uint64_t sum)
{
    const size_t place = find_text(path);

    if (!is_text(place, path)) {
        read_texts.items = grow_array(read_texts.items, read_texts.count, &read_texts.capacity,
                                      sizeof(*read_texts.items));
        memmove(&read_texts.items[place + 1], &read_texts.items[place],
                (read_texts.count++ - place) * sizeof(*read_texts.items));
        read_texts.items[place].path = xstrdup(path);
    }
    read_texts.items[place].checksum = sum;
}

/* Adds the checksum of a file in the folder if the file belongs to a throughput table. */
static bool add_text(const struct read_text *text, size_t folder_length, uint64_t *sum)
{
    static const char ending[] = ".csv";
    const char *name = text->path + folder_length;
    const size_t length = strlen(name);
    char digits[CHECKSUM_TEXT_BYTES];

    if (strchr(name, '/') || length < sizeof(ending) ||
        strcmp(name + length - strlen(ending), ending) != 0)
        return false;
    checksum_print(text->checksum, digits);
    *sum = checksum(*sum, name, length + 1);
    *sum = checksum(*sum, digits, strlen(digits));
    return true;
}

static bool checksum_folder(const char *path, uint64_t *sum)
{
    const size_t length = strlen(path) + 1;
    char *start = xmalloc(length + 1);
    bool found = false;

    (void)snprintf(start, length + 1, "%s/", path);
    *sum = CHECKSUM_OF_NOTHING;
    for (size_t i = find_text(start);
         i < read_texts.count && !strncmp(read_texts.items[i].path, start, length); i++)
        found = add_text(&read_texts.items[i], length, sum) || found;
    free(start);
    return found;
}

bool input_checksum(const char *path, uint64_t *sum)
{
    const size_t place = find_text(path);

    if (!is_text(place, path))
        return checksum_folder(path, sum);
    *sum = read_texts.items[place].checksum;
    return true;
}

static bool looks_compressed(const unsigned char *start, size_t length)
{
    static const struct {
        unsigned char bytes[4];
        size_t length;
    } magics[] = {
        {{0x1f, 0x8b}, 2},             /* gzip */
        {{0x28, 0xb5, 0x2f, 0xfd}, 4}, /* zstd */
        {{0xfd, '7', 'z', 'X'}, 4},    /* xz */
        {{'B', 'Z', 'h'}, 3},          /* bzip2 */
    };

    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if (length >= magics[i].length && !memcmp(start, magics[i].bytes, magics[i].length))
            return true;
    return false;
}

static int open_file(input_t *self, struct error *error)
{
    unsigned char start[4];
    struct stat status;
    ssize_t length;

    self->fd = open(self->path, O_RDONLY | O_CLOEXEC);
    if (self->fd < 0 || fstat(self->fd, &status) < 0)
        return error_set(error, "%s: cannot be read: %s", self->path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return error_set(error, "%s: is a folder, expected a file", self->path);
    note_file(self->path, &status);
    self->compressed_bytes = (uint64_t)status.st_size;
    length = pread(self->fd, start, sizeof(start), 0); /* fails on a pipe, which is read as it is */
    if (length <= 0 || !looks_compressed(start, (size_t)length))
        return 0;
    self->decompressor = decompressor_new(self->path, self->fd, error);
    return self->decompressor ? 0 : -1;
}

input_t *input_open(const char *path, struct error *error)
{
    input_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    self->checksum = CHECKSUM_OF_NOTHING;
    if (open_file(self, error) < 0)
        input_destroy(&self);
    return self;
}

void input_destroy(input_t **self)
{
    if (!*self)
        return;
    decompressor_destroy(&(*self)->decompressor);
    if ((*self)->fd >= 0)
        (void)close((*self)->fd);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

static long read_plain(input_t *self, void *bytes, size_t size, struct error *error)
{
    ssize_t length;

    do
        length = read(self->fd, bytes, size);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return error_set(error, "%s: cannot be read: %s", self->path, strerror(errno));
    return length;
}

static long read_compressed(input_t *self, void *bytes, size_t size, struct error *error)
{
    const long length = decompressor_read(self->decompressor, bytes, size, error);

    if (length < 0)
        return -1;
    self->bytes += (uint64_t)length;
    if (self->bytes > BOMB_BYTES && self->bytes / BOMB_RATIO > self->compressed_bytes)
        return error_set(error, "%s: refused, it decompresses to more than %d times its size",
                         self->path, (int)BOMB_RATIO);
    return length;
}

static long read_more(input_t *self, void *bytes, size_t size, struct error *error)
{
    return self->decompressor ? read_compressed(self, bytes, size, error)
                              : read_plain(self, bytes, size, error);
}

/* Whether a text has two or four bytes a character: such a text begins with a mark of its own,
 * or every second of its first bytes is NUL. */
static bool looks_wide(const char *start, size_t length)
{
    if (length >= 2 && (!memcmp(start, "\xff\xfe", 2) || !memcmp(start, "\xfe\xff", 2)))
        return true;
    return length >= START_BYTES && (start[0] == '\0') == (start[2] == '\0') &&
           (start[1] == '\0') == (start[3] == '\0') && (start[0] == '\0') != (start[1] == '\0');
}

/* Reads the first bytes, without the byte order mark. A pipe may give fewer at a time. */
static long read_start(input_t *self, char *bytes, size_t size, struct error *error)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    size_t length = 0;
    long got = 1;

    assert(size >= START_BYTES);
    while (length < START_BYTES && got > 0) {
        got = read_more(self, bytes + length, size - length, error);
        length += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
        return -1;
    if (looks_wide(bytes, length))
        return error_set(error, "%s: expected text in UTF-8, found UTF-16; save it as UTF-8",
                         self->path);
    if (length >= sizeof(mark) && !memcmp(bytes, mark, sizeof(mark))) {
        length -= sizeof(mark);
        memmove(bytes, bytes + sizeof(mark), length);
    }
    self->begun = true;
    return (long)length;
}

long input_read(input_t *self, void *bytes, size_t size, struct error *error)
{
    const long got =
        self->begun ? read_more(self, bytes, size, error) : read_start(self, bytes, size, error);

    if (got > 0)
        self->checksum = checksum(self->checksum, bytes, (size_t)got);
    if (got == 0)
        note_text(self->path, self->checksum);
    return got;
}

char *input_read_whole(const char *path, size_t max, size_t *length, struct error *error)
{
    input_t *input = input_open(path, error);
    size_t room = WHOLE_BYTES_FIRST;
    char *text = input ? xmalloc(room + 1) : NULL;
    long got = input ? 1 : -1;

    *length = 0;
    while (got > 0 && *length <= max) {
        if (*length == room)
            text = xrealloc(text, (room *= 2) + 1);
        got = input_read(input, text + *length, room - *length, error);
        *length += got > 0 ? (size_t)got : 0;
    }
    input_destroy(&input);
    if (got >= 0 && *length > max)
        got = error_set(error, "%s: expected at most %zu bytes, found more", path, max);
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[*length] = '\0';
    return text;
}

void input_skim(const char *path)
{
    struct error ignored;
    struct stat status;
    char chunk[16384];
    input_t *input =
        stat(path, &status) == 0 && S_ISREG(status.st_mode) ? input_open(path, &ignored) : NULL;

    while (input && input_read(input, chunk, sizeof(chunk), &ignored) > 0)
        continue;
    input_destroy(&input);
}
