/* decompressor.c - see decompressor.h.
 *
 * libarchive decompresses. It is loaded when the first compressed file is met, because linking it
 * would load its dependants (XML, ICU, OpenSSL) at every start, which takes longer than a whole
 * simulation of a small trace. */
#include "common/decompressor.h"

#include "common/memory.h"
#include "common/object.h"

#include <archive.h>
#include <assert.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define LIBARCHIVE "libarchive.so.13"

struct decompressor {
    char *path;
    struct archive *archive;
    bool empty; /* the compressed file holds no bytes, and libarchive has no data for it */
    void *library;
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

static int load(decompressor_t *self, struct error *error)
{
    self->library = object_open(LIBARCHIVE, error);
    if (!self->library)
        return error_set(error, "compressed files need %s, which cannot be loaded", LIBARCHIVE);

    const struct {
        const char *name;
        void *function;
    } symbols[] = {
        {"archive_read_new", &self->read_new},
        {"archive_read_support_filter_gzip", &self->support_gzip},
        {"archive_read_support_filter_zstd", &self->support_zstd},
        {"archive_read_support_filter_xz", &self->support_xz},
        {"archive_read_support_filter_bzip2", &self->support_bzip2},
        {"archive_read_support_format_raw", &self->support_raw},
        {"archive_read_support_format_empty", &self->support_empty},
        {"archive_read_open_fd", &self->open_fd},
        {"archive_read_next_header", &self->next_header},
        {"archive_read_data", &self->read_data},
        {"archive_read_free", &self->read_free},
        {"archive_error_string", &self->error_string},
    };

    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        void *symbol = dlsym(self->library, symbols[i].name);

        if (!symbol)
            return error_set(error, "%s lacks %s", LIBARCHIVE, symbols[i].name);
        memcpy(symbols[i].function, &symbol, sizeof(symbol)); /* POSIX's way past ISO C */
    }
    return 0;
}

static int complain(const decompressor_t *self, struct error *error)
{
    const char *why = self->error_string(self->archive);

    return error_set(error, "%s: cannot decompress: %s", self->path, why ? why : "damaged file");
}

static int start(decompressor_t *self, int fd, struct error *error)
{
    struct archive_entry *entry;
    int found;

    if (load(self, error) < 0)
        return error_prefix(error, self->path);
    self->archive = self->read_new();
    assert(self->archive);
    /* Not "all": some of all filters run programs, and a file must not choose a program. */
    self->support_gzip(self->archive);
    self->support_zstd(self->archive);
    self->support_xz(self->archive);
    self->support_bzip2(self->archive);
    self->support_raw(self->archive);
    self->support_empty(self->archive);
    if (self->open_fd(self->archive, fd, (size_t)64 * 1024) != ARCHIVE_OK)
        return complain(self, error);
    found = self->next_header(self->archive, &entry);
    self->empty = found == ARCHIVE_EOF;
    return found == ARCHIVE_OK || self->empty ? 0 : complain(self, error);
}

decompressor_t *decompressor_new(const char *path, int fd, struct error *error)
{
    decompressor_t *self = xcalloc(1, sizeof(*self));

    self->path = xstrdup(path);
    if (start(self, fd, error) < 0)
        decompressor_destroy(&self);
    return self;
}

void decompressor_destroy(decompressor_t **self)
{
    if (!*self)
        return;
    if ((*self)->archive)
        (*self)->read_free((*self)->archive);
    if ((*self)->library)
        (void)dlclose((*self)->library);
    free((*self)->path);
    free(*self);
    *self = NULL;
}

long decompressor_read(decompressor_t *self, void *bytes, size_t size, struct error *error)
{
    const la_ssize_t length = self->empty ? 0 : self->read_data(self->archive, bytes, size);

    return length < 0 ? complain(self, error) : (long)length;
}
