/* overhead_table.c - see overhead_table.h. */
#include "master/commands/overhead_table.h"

#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

struct operation {
    enum operation_kind kind;
    uint64_t job;
    size_t gpus;
    int64_t from_us;
    bool over;
    double seconds;
};

struct overhead_table {
    struct operation *items;
    size_t count;
    size_t capacity;
};

overhead_table_t *overhead_table_new(void)
{
    return xcalloc(1, sizeof(overhead_table_t));
}

void overhead_table_destroy(overhead_table_t **self)
{
    if (!*self)
        return;
    free((*self)->items);
    free(*self);
    *self = NULL;
}

size_t overhead_table_begin(overhead_table_t *self, enum operation_kind kind, uint64_t job,
                            size_t gpus, int64_t now_us)
{
    self->items = grow_array(self->items, self->count, &self->capacity, sizeof(*self->items));
    self->items[self->count] = (struct operation){kind, job, gpus, now_us, false, 0};
    return self->count++;
}

static void print_row(const struct operation *operation, FILE *out)
{
    static const char *const names[] = {
        [OPERATION_START] = "start", [OPERATION_GROUP] = "group", [OPERATION_MOVE] = "move",
        [OPERATION_TRAIN] = "train", [OPERATION_STOP] = "stop",   [OPERATION_RESTART] = "restart",
    };

    if (operation->job == OPERATION_NO_JOB)
        (void)fprintf(out, "%-9s %8s %5s", names[operation->kind], "-", "-");
    else
        (void)fprintf(out, "%-9s %8" PRIu64 " %5zu", names[operation->kind], operation->job,
                      operation->gpus);
    if (operation->over)
        (void)fprintf(out, " %12.3f\n", operation->seconds);
    else
        (void)fprintf(out, " %12s\n", "-");
}

void overhead_table_took(overhead_table_t *self, size_t place, double seconds, FILE *out)
{
    struct operation *operation = &self->items[place];

    assert(place < self->count);
    if (operation->over)
        return;
    operation->over = true;
    operation->seconds = seconds;
    print_row(operation, out);
    (void)fflush(out);
}

void overhead_table_end(overhead_table_t *self, size_t place, int64_t now_us, double scale,
                        FILE *out)
{
    overhead_table_took(self, place, (double)(now_us - self->items[place].from_us) / 1e6 * scale,
                        out);
}

void overhead_table_print(const overhead_table_t *self, FILE *out)
{
    (void)fprintf(out, "\n%-9s %8s %5s %12s\n", "operation", "job", "GPUs", "seconds");
    for (size_t i = 0; i < self->count; i++)
        print_row(&self->items[i], out);
    (void)fflush(out);
}
