/* decompressor.c - a compressed file is left to the full scheduler: a static program loads no
 * libraries. */
#include "common/decompressor.h"

#include "scheduler/lean/handover.h"

decompressor_t *decompressor_new(const char *path, int fd, struct error *error)
{
    (void)path;
    (void)fd;
    (void)error;
    handover();
}

void decompressor_destroy(decompressor_t **self)
{
    (void)self;
}

long decompressor_read(decompressor_t *self, void *bytes, size_t size, struct error *error)
{
    (void)self;
    (void)bytes;
    (void)size;
    (void)error;
    handover();
}
