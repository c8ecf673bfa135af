/* rates.c - see rates.h. */
#include "worker/rates.h"

#include "common/memory.h"
#include "scheduler/state/throughput.h"

#include <inttypes.h>
#include <stdlib.h>

struct rates {
    const char *folder;
    const char *gpu_type;
    throughput_table_t *table; /* NULL until a rate is asked for */
};

rates_t *rates_new(const char *folder, const char *gpu_type)
{
    rates_t *self = xcalloc(1, sizeof(*self));

    self->folder = folder;
    self->gpu_type = gpu_type;
    return self;
}

void rates_destroy(rates_t **self)
{
    if (!*self)
        return;
    throughput_destroy(&(*self)->table);
    free(*self);
    *self = NULL;
}

static int open_table(rates_t *self, struct error *error)
{
    char *own = NULL;

    if (self->table)
        return 0;
    if (!self->folder && !(own = throughput_default_folder()))
        return error_set(error, "--throughputs is missing: no tables came with this program");
    self->table = throughput_read(self->folder ? self->folder : own, self->gpu_type, error);
    free(own);
    return self->table ? 0 : -1;
}

int rates_check(const char *folder, const char *gpu_type, struct error *error)
{
    rates_t *rates = rates_new(folder, gpu_type);
    const int result = open_table(rates, error);

    rates_destroy(&rates);
    return result;
}

double rates_find(rates_t *self, const char *model, int32_t batch_size, int32_t world,
                  struct error *error)
{
    const struct throughput_row *row;

    if (open_table(self, error) < 0)
        return -1;
    row = throughput_find(self->table, model, batch_size);
    for (int level = 0; row && level < row->level_count; level++)
        if (row->gpus[level] == world && row->iters_per_s[level] > 0)
            return row->iters_per_s[level];
    (void)error_set(error, "%s: no rate of %s with %" PRId32 " samples on %" PRId32 " GPUs",
                    throughput_source(self->table), model, batch_size, world);
    return -1;
}
