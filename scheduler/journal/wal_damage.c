/* wal_damage.c - see wal_damage.h, and the file format of SQLite for the layout of a log.
 *
 * The checksum of a frame covers all frames before it. So a frame is whole if its checksum follows
 * from the one that the previous frame states, even if that frame is damaged. Frames with other
 * salts are left from before the log was begun anew. */
#include "scheduler/journal/wal_damage.h"

#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES       32
#define FRAME_HEADER_BYTES 24
#define MAGIC              0x377f0682u /* last bit: checksums of big-endian words */

struct sum {
    uint32_t a;
    uint32_t b;
};

struct wal {
    const unsigned char *bytes;
    size_t page_bytes;
    size_t frames;
    bool big_endian;
};

static uint32_t word(const unsigned char *at, bool big_endian)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++)
        value = value << 8 | at[big_endian ? i : 3 - i];
    return value;
}

static struct sum add(struct sum sum, const unsigned char *at, size_t bytes, bool big_endian)
{
    for (size_t i = 0; i < bytes; i += 8) {
        sum.a += word(at + i, big_endian) + sum.b;
        sum.b += word(at + i + 4, big_endian) + sum.a;
    }
    return sum;
}

static bool is_same(struct sum x, struct sum y)
{
    return x.a == y.a && x.b == y.b;
}

static const unsigned char *frame(const struct wal *self, size_t number)
{
    return self->bytes + HEADER_BYTES + number * (FRAME_HEADER_BYTES + self->page_bytes);
}

static struct sum stated(const unsigned char *at)
{
    return (struct sum){word(at, true), word(at + 4, true)};
}

static struct sum computed(const struct wal *self, size_t number, struct sum before)
{
    const unsigned char *at = frame(self, number);

    before = add(before, at, 8, self->big_endian);
    return add(before, at + FRAME_HEADER_BYTES, self->page_bytes, self->big_endian);
}

static bool has_salts(const struct wal *self, size_t number, const unsigned char *salts)
{
    return !memcmp(frame(self, number) + 8, salts, 8);
}

static bool ends_transaction(const struct wal *self, size_t number)
{
    return word(frame(self, number) + 4, true) != 0;
}

/* How many frames SQLite accepts, and their `sum`. */
static size_t count_good(const struct wal *self, struct sum *sum)
{
    size_t number = 0;

    *sum = stated(self->bytes + 24);
    while (number < self->frames && has_salts(self, number, self->bytes + 16)) {
        const struct sum next = computed(self, number, *sum);

        if (!is_same(next, stated(frame(self, number) + 16)))
            break;
        *sum = next;
        number++;
    }
    return number;
}

/* Whether a later transaction is whole than that of frame `bad`. `sum` is that of all frames before
 * `bad`. */
static bool is_followed(const struct wal *self, size_t bad, struct sum sum,
                        const unsigned char *salts)
{
    bool ended = ends_transaction(self, bad);

    sum = computed(self, bad, sum);
    for (size_t i = bad + 1; i < self->frames; i++) {
        const struct sum said = stated(frame(self, i) + 16);
        const bool whole = has_salts(self, i, salts) &&
                           (is_same(computed(self, i, sum), said) ||
                            is_same(computed(self, i, stated(frame(self, i - 1) + 16)), said));

        if (whole && ended)
            return true;
        ended = ended || (whole && ends_transaction(self, i));
        sum = whole ? said : computed(self, i, sum);
    }
    return false;
}

static bool is_good_page_size(uint32_t size)
{
    return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

/* Whether frames follow although the header is damaged: the second frame follows from the first in
 * some page size and byte order. */
static bool is_behind_bad_header(struct wal *self, size_t bytes)
{
    for (uint32_t size = 512; size <= 65536; size *= 2) {
        self->page_bytes = size;
        self->frames = (bytes - HEADER_BYTES) / (FRAME_HEADER_BYTES + size);
        for (int order = 0; order < 2 && self->frames >= 2; order++) {
            self->big_endian = order > 0;
            if (is_same(computed(self, 1, stated(frame(self, 0) + 16)),
                        stated(frame(self, 1) + 16)))
                return true;
        }
    }
    return false;
}

/* Reads the header of a log. False if it is damaged. */
static bool open_log(struct wal *self, const unsigned char *bytes, size_t length)
{
    const uint32_t magic = word(bytes, true);

    *self = (struct wal){.bytes = bytes, .page_bytes = word(bytes + 8, true)};
    self->big_endian = magic & 1;
    if ((magic & ~1u) != MAGIC || !is_good_page_size((uint32_t)self->page_bytes) ||
        !is_same(add((struct sum){0, 0}, bytes, 24, self->big_endian), stated(bytes + 24)))
        return false;
    self->frames = (length - HEADER_BYTES) / (FRAME_HEADER_BYTES + self->page_bytes);
    return true;
}

static bool is_damaged(const unsigned char *bytes, size_t length)
{
    struct wal self;
    struct sum sum;
    size_t good;

    if (!open_log(&self, bytes, length))
        return is_behind_bad_header(&self, length);
    good = count_good(&self, &sum);
    return good < self.frames && is_followed(&self, good, sum, bytes + 16);
}

/* The bytes of a log up to the end of its last good frame. */
static size_t good_bytes(const unsigned char *bytes, size_t length)
{
    struct wal self;
    struct sum sum;

    return open_log(&self, bytes, length)
               ? HEADER_BYTES + count_good(&self, &sum) * (FRAME_HEADER_BYTES + self.page_bytes)
               : length;
}

static int read_all(int fd, unsigned char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        const ssize_t got = read(fd, bytes + at, length - at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        at += (size_t)got;
    }
    return 0;
}

/* Reads the log; `bytes`, which the caller frees, are NULL if it has no frame. -1 with `error`. */
static int take_bytes(int fd, const char *path, unsigned char **bytes, size_t *length,
                      struct error *error)
{
    struct stat found;

    *bytes = NULL;
    if (fstat(fd, &found) < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    if (found.st_size <= HEADER_BYTES)
        return 0;
    *length = (size_t)found.st_size;
    *bytes = xmalloc(*length);
    if (read_all(fd, *bytes, *length) == 0)
        return 0;
    error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    free(*bytes);
    *bytes = NULL;
    return -1;
}

static int check(int fd, const char *path, struct error *error)
{
    unsigned char *bytes;
    size_t length;
    int status = 0;

    if (take_bytes(fd, path, &bytes, &length, error) < 0)
        return -1;
    if (bytes && is_damaged(bytes, length))
        status = error_set(error, "%s: is damaged before its last transaction", path);
    free(bytes);
    return status;
}

static int cut(int fd, const char *path, struct error *error)
{
    unsigned char *bytes;
    size_t length;
    int status = 0;

    if (take_bytes(fd, path, &bytes, &length, error) < 0)
        return -1;
    if (bytes && ftruncate(fd, (off_t)good_bytes(bytes, length)) < 0)
        status = error_set(error, "%s: cannot be cut: %s", path, strerror(errno));
    free(bytes);
    return status;
}

/* Calls `call` with the open log, if there is one. */
static int with_log(const char *path, int flags,
                    int (*call)(int fd, const char *path, struct error *error), struct error *error)
{
    const int fd = open(path, flags | O_CLOEXEC);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0
                               : error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    status = call(fd, path, error);
    (void)close(fd);
    return status;
}

int wal_damage_check(const char *path, struct error *error)
{
    return with_log(path, O_RDONLY, check, error);
}

int wal_damage_cut(const char *path, struct error *error)
{
    return with_log(path, O_RDWR, cut, error);
}
