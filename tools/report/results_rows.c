/* results_rows.c - see results.h: the pools of ranks, and sentences about wrong rows of result
 * files. */
#include "tools/report/results.h"

#include <inttypes.h>

int results_complain(const struct results *self, const char *file, int64_t line, const char *what,
                     int64_t number, struct error *error)
{
    return error_set(error, "%s/%s:%lld: %s %lld", self->folder, file, (long long)line, what,
                     (long long)number);
}

size_t results_pool_of(const struct results *self, int64_t rank)
{
    size_t pool = 0;

    while (pool + 1 < self->pool_count && rank >= self->pools[pool].gpus)
        rank -= self->pools[pool++].gpus;
    return pool;
}
