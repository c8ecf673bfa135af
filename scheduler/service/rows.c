/* rows.c - see rows.h. */
#include "scheduler/service/rows.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The content of a row, without padding and pointers: a key to compare by. */
struct content {
    char model[THROUGHPUT_MODEL_BYTES_MAX + 1];
    int batch_size;
    int level_count;
    int gpus[THROUGHPUT_LEVELS_MAX];
    double iters_per_s[THROUGHPUT_LEVELS_MAX];
    bool marked_nan[THROUGHPUT_LEVELS_MAX];
};

struct kept_row {
    struct content content;
    struct throughput_row row;
    UT_hash_handle hh;
};

struct rows {
    arena_t *memory;
    struct kept_row *by_content;
};

rows_t *rows_new(void)
{
    rows_t *self = xcalloc(1, sizeof(*self));

    self->memory = arena_new();
    return self;
}

void rows_destroy(rows_t **self)
{
    if (!*self)
        return;
    HASH_CLEAR(hh, (*self)->by_content);
    arena_destroy(&(*self)->memory);
    free(*self);
    *self = NULL;
}

static void read_content(const struct throughput_row *row, struct content *content)
{
    const size_t levels = (size_t)row->level_count;

    memset(content, 0, sizeof(*content));
    strncpy(content->model, row->model, THROUGHPUT_MODEL_BYTES_MAX);
    content->batch_size = row->batch_size;
    content->level_count = row->level_count;
    memcpy(content->gpus, row->gpus, levels * sizeof(row->gpus[0]));
    memcpy(content->iters_per_s, row->iters_per_s, levels * sizeof(row->iters_per_s[0]));
    memcpy(content->marked_nan, row->marked_nan, levels * sizeof(row->marked_nan[0]));
}

const struct throughput_row *rows_keep(rows_t *self, const struct throughput_row *row)
{
    struct content content;
    struct kept_row *kept;

    read_content(row, &content);
    HASH_FIND(hh, self->by_content, &content, sizeof(content), kept);
    if (kept)
        return &kept->row;
    kept = arena_alloc(self->memory, sizeof(*kept));
    memcpy(&kept->content, &content, sizeof(content));
    kept->row = *row;
    kept->row.model = kept->content.model;
    HASH_ADD(hh, self->by_content, content, sizeof(content), kept);
    return &kept->row;
}
