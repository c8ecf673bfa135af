/* files_read.c - see files_read.h. */
#include "scheduler/report/files_read.h"

#include "common/input.h"
#include "scheduler/report/json_path.h"

void files_read_add(struct files_read *self, const char *kind, const char *path)
{
    uint64_t sum;

    if (path && self->count < FILES_READ_MAX && input_checksum(path, &sum))
        self->items[self->count++] = (struct file_read){kind, path, sum};
}

json_t *files_read_summary(const struct files_read *self)
{
    json_t *array = json_array();
    char digits[CHECKSUM_TEXT_BYTES];

    for (size_t i = 0; i < self->count; i++) {
        checksum_print(self->items[i].checksum, digits);
        json_array_append_new(array,
                              json_pack("{s:s, s:o, s:s}", "kind", self->items[i].kind, "path",
                                        json_path(self->items[i].path), "checksum", digits));
    }
    return array;
}
