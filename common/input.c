/* input.c - see input.h.
 *
 * libarchive decompresses. It is loaded when the first compressed file is met, because linking it
 * would load its dependants (XML, ICU, OpenSSL) at every start, which takes longer than a whole
 * simulation of a small trace. */
#include "common/input.h"

#include "common/memory.h"

#include <archive.h>
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBARCHIVE "libarchive.so.13"

/* A decompression bomb: more than this many bytes, and more than this many for each byte read. */
#define BOMB_BYTES ((uint64_t)64 * 1024 * 1024)
#define BOMB_RATIO ((uint64_t)200)

struct decompressor {
    void *handle;
    __typeof__(&archive_read_new) read_new;
    __typeof__(&archive_read_support_filter_gzip) support_gzip;
    __typeof__(&archive_read_support_filter_zstd) support_zstd;
    __typeof__(&archive_read_support_filter_xz) support_xz;
    __typeof__(&archive_read_support_filter_bzip2) support_bzip2;
    __typeof__(&archive_read_support_format_raw) support_raw;
    __typeof__(&archive_read_support_format_empty) support_empty;
    __typeof__(&archive_read_open_fd) open_fd;
    __typeof__(&archive_read_next_header) next_header;
    __typeof__(&archive_read_data) read_data;
    __typeof__(&archive_read_free) read_free;
    __typeof__(&archive_error_string) error_string;
};

struct input {
    char *path;
    int fd;
    struct archive *archive; /* NULL for a plain file */
    bool empty;              /* a compressed file of nothing, for which libarchive has no data */
    struct decompressor with;
    uint64_t compressed_bytes; /* size of the file */
    uint64_t bytes;            /* given to the caller so far */
};

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

static int decompressor_load(struct decompressor *with, struct error *error)
{
    with->handle = dlopen(LIBARCHIVE, RTLD_NOW | RTLD_LOCAL);
    if (!with->handle)
        return error_set(error, "compressed files need %s, which cannot be loaded", LIBARCHIVE);

    const struct {
        const char *name;
        void *function;
    } symbols[] = {
        {"archive_read_new", &with->read_new},
        {"archive_read_support_filter_gzip", &with->support_gzip},
        {"archive_read_support_filter_zstd", &with->support_zstd},
        {"archive_read_support_filter_xz", &with->support_xz},
        {"archive_read_support_filter_bzip2", &with->support_bzip2},
        {"archive_read_support_format_raw", &with->support_raw},
        {"archive_read_support_format_empty", &with->support_empty},
        {"archive_read_open_fd", &with->open_fd},
        {"archive_read_next_header", &with->next_header},
        {"archive_read_data", &with->read_data},
        {"archive_read_free", &with->read_free},
        {"archive_error_string", &with->error_string},
    };

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = dlsym(with->handle, symbols[i].name);

        if (!symbol)
            return error_set(error, "%s lacks %s", LIBARCHIVE, symbols[i].name);
        memcpy(symbols[i].function, &symbol, sizeof(symbol)); /* POSIX's way past ISO C */
    }
    return 0;
}

/* The bytes of the character that starts here: shortest form, no surrogates. 0 if it is none. */
static size_t character_bytes(const unsigned char *text, size_t length)
{
    const unsigned char lead = text[0];
    const size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
        (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f))
        return 0;
    return bytes;
}

size_t input_valid_utf8(const char *text, size_t length)
{
    size_t valid = 0;

    while (valid < length) {
        const size_t bytes = character_bytes((const unsigned char *)text + valid, length - valid);

        if (bytes == 0)
            break;
        valid += bytes;
    }
    return valid;
}

/* C0 and DEL, C1, and Unicode's line ends, marks and overrides of direction. */
static bool is_harmful(const unsigned char *c, size_t bytes)
{
    if (bytes == 1)
        return c[0] < ' ' || c[0] == 0x7f;
    if (bytes == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    if (bytes != 3 || c[0] != 0xe2)
        return false;
    return (c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae))) ||
           (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

size_t input_printable(char *shown, size_t size, const char *text, size_t length)
{
    size_t from = 0;
    size_t to = 0;

    assert(size > 0);
    while (from < length) {
        const unsigned char *c = (const unsigned char *)text + from;
        const size_t bytes = character_bytes(c, length - from);
        const bool shows = bytes > 0 && !is_harmful(c, bytes);
        const size_t needed = shows ? bytes : 1;

        if (to + needed >= size)
            break;
        if (shows)
            memcpy(shown + to, c, bytes);
        else
            shown[to] = '?';
        from += bytes > 0 ? bytes : 1;
        to += needed;
    }
    shown[to] = '\0';
    return from;
}

static int decompression_error(const input_t *self, struct error *error)
{
    const char *why = self->archive ? self->with.error_string(self->archive) : NULL;

    return error_set(error, "%s: cannot decompress: %s", self->path, why ? why : "damaged file");
}

static int start_decompression(input_t *self, struct error *error)
{
    struct archive_entry *entry;
    int found;

    if (decompressor_load(&self->with, error) < 0)
        return error_prefix(error, self->path);
    self->archive = self->with.read_new();
    assert(self->archive);
    /* Not "all": some of those filters run programs, and a file must not choose one. */
    self->with.support_gzip(self->archive);
    self->with.support_zstd(self->archive);
    self->with.support_xz(self->archive);
    self->with.support_bzip2(self->archive);
    self->with.support_raw(self->archive);
    self->with.support_empty(self->archive);
    if (self->with.open_fd(self->archive, self->fd, (size_t)64 * 1024) != ARCHIVE_OK)
        return decompression_error(self, error);
    found = self->with.next_header(self->archive, &entry);
    self->empty = found == ARCHIVE_EOF;
    return found == ARCHIVE_OK || self->empty ? 0 : decompression_error(self, error);
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
    self->compressed_bytes = (uint64_t)status.st_size;
    length = pread(self->fd, start, sizeof(start), 0); /* fails on a pipe, which is read as it is */
    if (length > 0 && looks_compressed(start, (size_t)length))
        return start_decompression(self, error);
    return 0;
}

input_t *input_open(const char *path, struct error *error)
{
    input_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    if (open_file(self, error) < 0)
        input_destroy(&self);
    return self;
}

void input_destroy(input_t **self)
{
    if (!*self)
        return;
    if ((*self)->archive)
        (*self)->with.read_free((*self)->archive);
    if ((*self)->with.handle)
        (void)dlclose((*self)->with.handle);
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
    const la_ssize_t length = self->empty ? 0 : self->with.read_data(self->archive, bytes, size);

    if (length < 0)
        return decompression_error(self, error);
    self->bytes += (uint64_t)length;
    if (self->bytes > BOMB_BYTES && self->bytes / BOMB_RATIO > self->compressed_bytes)
        return error_set(error, "%s: refused, it decompresses to more than %d times its size",
                         self->path, (int)BOMB_RATIO);
    return (long)length;
}

long input_read(input_t *self, void *bytes, size_t size, struct error *error)
{
    return self->archive ? read_compressed(self, bytes, size, error)
                         : read_plain(self, bytes, size, error);
}
